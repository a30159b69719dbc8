"""Tables of many runs: any axis as rows or columns, seeds aggregated, in several formats."""
