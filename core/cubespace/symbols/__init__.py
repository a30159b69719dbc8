"""From bits to a STRIPS model: effects, preconditions, invariants, PDDL."""
