"""Piles: things that lie on each other in columns, identified by what they are and not by how high they lie."""
