"""Results are told apart by revisions: without one, every release would make all runs unfinished."""

import pytest

from cubespace.plugins.catalogue import load_plugins

DECIDING = (  # kinds that decide a result
    *("domain", "learner", "encoder", "decoder", "action", "apply", "objective", "extension"),
    *("precondition", "planner"),
)
BUILT_IN = [
    component
    for kind in DECIDING
    for component in load_plugins().components[kind].values()
    if component.distribution.startswith("cubespace ")
]


@pytest.mark.parametrize("component", BUILT_IN, ids=lambda component: f"{component.kind.name}-{component.name}")
def test_a_built_in_component_declares_a_revision_of_its_own(component) -> None:
    assert isinstance(vars(component.load()).get("revision"), int)
    assert component.identity().startswith("revision ")
