"""The stages of a run, one file each, called like the command that does it."""
