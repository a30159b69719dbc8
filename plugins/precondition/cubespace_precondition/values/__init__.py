"""Preconditions over finite-domain variables, from positive examples alone."""
