"""Plugin modules name their classes; they do not import them."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("kind", ["domains", "apply_modules", "precondition", "planners", "networks", "executors"])
def test_a_plugin_module_imports_nothing_heavy(kind: str) -> None:
    heavy = ("numpy", "torch", "pyperplan", "unified_planning")
    code = f"import sys, cubespace_{kind}.plugin; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
