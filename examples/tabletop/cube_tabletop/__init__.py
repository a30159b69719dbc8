"""Blocks on a table, rendered in three dimensions."""
