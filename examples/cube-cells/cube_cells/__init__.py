"""A bit learner and an action model for cubespace."""
