"""Built-in precondition learners."""

from __future__ import annotations

from cubespace.plugins.catalogue import provide

static = provide(
    "precondition",
    "static",
    "cubespace_precondition.static:Static",
    "every literal that held in all examples (the paper's rule)",
)
significant = provide(
    "precondition",
    "significant",
    "cubespace_precondition.significant:Significant",
    "what the effect requires, and the static literals that chance does not explain",
)
counterexamples = provide(
    "precondition",
    "counterexamples",
    "cubespace_precondition.counterexamples:Counterexamples",
    "the few literals that exclude successors the network finds implausible",
)
values = provide(
    "precondition",
    "values",
    "cubespace_precondition.values.learner:Values",
    "old values of what changes, without values of other variables that it should have been seen with but never was",
)
whole_state = provide(
    "precondition",
    "whole-state",
    "cubespace_precondition.whole_state:WholeState",
    "the whole state: an action is possible where it was seen, and nowhere else (AMA1, with extract.pairs=oracle)",
)
backward = provide(
    "precondition",
    "backward",
    "cubespace_precondition.backward:Backward",
    "what a second Back-to-Logit network, which regresses the state before, is certain of (after AMA4)",
)
