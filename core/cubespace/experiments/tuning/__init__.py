"""Tuning: a search for good settings whose trials are run folders. It needs the extra ``tune`` (Optuna)."""
