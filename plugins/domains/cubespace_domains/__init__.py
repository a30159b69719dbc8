"""Built-in domains: the puzzles of the paper, and pairs of the user's own pictures."""
