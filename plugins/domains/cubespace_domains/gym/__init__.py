"""Environments of others: everything with the interface of Gymnasium, discrete actions and a picture."""
