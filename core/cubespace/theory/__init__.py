"""Cube-like graphs: what the paper says about them, checked by answer sets and counted in learned spaces."""
