"""Problems, true distances, the judge of plans, memorisation, diagnosis."""
