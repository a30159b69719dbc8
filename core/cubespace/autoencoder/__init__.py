"""The Cube-Space AutoEncoder of the paper, in reading order."""
