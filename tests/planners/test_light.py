"""Planner plugins name their classes; they do not import them."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["fast_downward", "pyperplan", "symk"])
def test_a_plugin_module_imports_nothing_heavy(module: str) -> None:
    heavy = ("numpy", "torch", "pyperplan", "unified_planning")
    code = f"import sys, cubespace_planners.{module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
