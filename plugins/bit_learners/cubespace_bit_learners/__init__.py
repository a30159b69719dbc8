"""Built-in bit learners."""
