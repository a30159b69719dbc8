"""Built-in precondition learners."""
