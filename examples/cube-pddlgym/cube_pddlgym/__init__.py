"""The worlds of PDDLGym as domains of cubespace."""
