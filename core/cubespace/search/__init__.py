"""Solvers: the contract, planners as supervised processes, and the input they read."""
