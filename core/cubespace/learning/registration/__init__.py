"""Registration: pictures of a camera that moves are laid over each other before anything is learned from them."""
