"""Places: groups of pixels that vary together, each with an encoder and a decoder of its own."""
