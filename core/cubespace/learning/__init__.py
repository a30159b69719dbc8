"""The network between pictures and bits, and its training."""
