"""Many runs: the cells of an experiment, and what runs them."""
