"""Piles: things that lie on each other in columns side by side, told by what they are, not by how high they lie."""
