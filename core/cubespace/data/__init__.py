"""Where pictures come from: the contracts of a domain, and data sets of transitions."""
