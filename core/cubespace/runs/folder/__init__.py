"""The files of a run: what is there, what it belongs to, and whether it still counts."""
