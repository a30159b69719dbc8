"""Plugin modules name their classes; they do not import them."""

import subprocess
import sys

import pytest

KINDS = ["domains", "apply_modules", "precondition", "planners", "bit_learners", "networks", "executors"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_plugin_module_imports_nothing_heavy(kind: str) -> None:
    heavy = ("numpy", "torch", "pyperplan", "unified_planning")
    names = [f"cubespace_{kind}.plugin", *(["cubespace_networks.training_steps"] if kind == "networks" else [])]
    code = f"import sys, {', '.join(names)}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
