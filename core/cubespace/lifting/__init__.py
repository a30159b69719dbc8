"""Lifting: from bits to objects, places and action schemas with parameters."""
