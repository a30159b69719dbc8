"""Built-in apply modules."""
