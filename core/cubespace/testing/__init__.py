"""Conformance suites: the rules that every component of a kind must follow, the same for built-ins and third parties.

In a plugin's test file::

    from cubespace.testing import conformance

    test_rooms = conformance("domain", "rooms", "rooms:size=7")
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from cubespace.plugins.component import KINDS

Check = Callable[[str], None]


def checks(kind: str) -> Sequence[Check]:
    """Return the checks of a kind; each takes a spec such as ``"mnist:size=4"`` and fails by assertion."""
    module = importlib.import_module(f"cubespace.testing.{KINDS[kind].name}")
    suite: Sequence[Check] = module.CHECKS
    return suite


def conformance(kind: str, *specs: str) -> Any:
    """Return a pytest function that runs every check of a kind on every spec."""
    import pytest  # needed only by tests

    # numbered, since options may hold paths that differ between the processes of a parallel run
    cases = [
        pytest.param(check, spec, id=f"{spec.partition(':')[0]}-{number}-{check.__name__}")
        for number, spec in enumerate(specs)
        for check in checks(kind)
    ]

    @pytest.mark.parametrize(("check", "spec"), cases)
    def test_conformance(check: Check, spec: str) -> None:
        check(spec)

    return test_conformance
