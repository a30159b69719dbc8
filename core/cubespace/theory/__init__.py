"""Cube-like graphs: the paper's statements about them, checked with answer sets and counted in learned spaces."""
