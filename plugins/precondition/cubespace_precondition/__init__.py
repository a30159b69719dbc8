"""Built-in precondition learners. No file is called like a plugin: its import would take the place of the plugin."""

from __future__ import annotations

from cubespace.plugins import provide

static = provide(
    "precondition",
    "static",
    "cubespace_precondition.static_literals:Static",
    "every literal that held in all examples (the paper's rule)",
)
significant = provide(
    "precondition",
    "significant",
    "cubespace_precondition.significant_literals:Significant",
    "the effect's own literals and those static ones that chance does not explain",
)
counterexamples = provide(
    "precondition",
    "counterexamples",
    "cubespace_precondition.excluding_rules:Counterexamples",
    "few literals that exclude the successors which the network itself cannot draw",
)
