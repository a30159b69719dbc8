"""Engines of unified-planning, each in a child process: problems are built through its interface, never from PDDL."""

from __future__ import annotations

import importlib.util
import shutil

import attrs

from cubespace.base.options import option
from cubespace_planners.exchange import PythonPlanner

# engine: the module it comes from, the package to install
ENGINES = {
    "fast-downward": ("up_fast_downward", "up-fast-downward"),
    "fast-downward-opt": ("up_fast_downward", "up-fast-downward"),
    "symk": ("up_symk", "up-symk"),
    "symk-opt": ("up_symk", "up-symk"),
    "pyperplan": ("up_pyperplan", "up-pyperplan"),
    "pyperplan-opt": ("up_pyperplan", "up-pyperplan"),
    "enhsp": ("up_enhsp", "up-enhsp"),
    "enhsp-opt": ("up_enhsp", "up-enhsp"),
    "enhsp-any": ("up_enhsp", "up-enhsp"),
    "tamer": ("up_tamer", "up-tamer"),
}
OPTIMAL = ("fast-downward-opt", "symk-opt", "pyperplan-opt", "enhsp-opt")
NEED_JAVA = ("enhsp", "enhsp-opt", "enhsp-any")


@attrs.frozen(kw_only=True)
class UnifiedOptions:
    """Which engine to run."""

    engine: str = option("fast-downward", f"the engine: {', '.join(ENGINES)}, or any other that is installed")


class UnifiedPlanning(PythonPlanner):
    """An engine of unified-planning; negative preconditions that it does not support are compiled away."""

    revision = 1
    Options = UnifiedOptions
    options: UnifiedOptions
    script = "unified_child.py"

    @property
    def optimal(self) -> bool:
        """Return whether the engine guarantees plans of minimum cost."""
        return self.options.engine in OPTIMAL

    def missing(self) -> str | None:
        """Return what to install for the engine."""
        engine = self.options.engine
        if importlib.util.find_spec("unified_planning") is None:
            return "its package is not installed: pip install 'cubespace[up]'"
        module, package = ENGINES.get(engine, (None, ""))
        if module is not None and importlib.util.find_spec(module) is None:
            return f"engine '{engine}' is not installed: pip install {package}"
        if engine in NEED_JAVA and shutil.which("java") is None:
            return f"engine '{engine}' needs Java: install a runtime of version 17 or later"
        return None

    def settings(self) -> dict[str, object]:
        """Return the engine."""
        return {"engine": self.options.engine, "optimal": self.optimal}
