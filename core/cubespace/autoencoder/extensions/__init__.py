"""What is not in the paper: our own steps after its training, and the discriminator of AMA2."""
