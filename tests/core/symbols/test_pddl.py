"""Both forms of PDDL mean the model: the real VAL and Fast Downward's translator are the judges."""

import subprocess
import sys
from pathlib import Path

import attrs
import numpy as np
import pytest
from planning_tasks import eight_puzzle, lights_out, model_of, walk
from validator import accepts

from cubespace.symbols.pddl import read_plan, write_domain, write_plan, write_problem
from cubespace.symbols.strips import Task

PLAN = [3, 7]


def lamps() -> tuple[Task, list[int]]:
    model = lights_out(2)
    init = np.zeros(4, dtype=np.bool_)
    plan: list[int] = []
    state = init
    for _ in range(3):
        plan.append(int(np.flatnonzero(model.applicable(state[None])[0])[len(plan)]))
        state = model.apply(state[None], np.array(plan[-1:]))[0]
    return Task(model, init, state), plan


@pytest.mark.parametrize("negation", [True, False])
def test_val_accepts_a_plan_and_refuses_others(tmp_path: Path, negation: bool) -> None:
    task, plan = lamps()
    assert accepts(tmp_path, task, plan, negation=negation)
    assert not accepts(tmp_path, task, plan[:-1], negation=negation)
    assert not accepts(tmp_path, task, [*plan, plan[-1]], negation=negation)  # the lamps are not as it needs them


@pytest.mark.parametrize("negation", [True, False])
def test_costs_and_goals_that_do_not_care(tmp_path: Path, negation: bool) -> None:
    task, plan = lamps()
    model = attrs.evolve(task.model, cost=np.arange(task.model.actions))
    task = Task(model, task.init, task.goal, np.array([True, False, True, False]))
    assert accepts(tmp_path, task, plan, negation=negation)
    assert "total-cost" in write_domain(model, negation=negation)


@pytest.mark.parametrize("negation", [True, False])
def test_nothing_needed_nothing_wanted(tmp_path: Path, negation: bool) -> None:
    model = model_of(np.eye(2), np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2)))
    task = Task(model, np.zeros(2), np.zeros(2), np.zeros(2))
    assert accepts(tmp_path, task, [], negation=negation)
    assert accepts(tmp_path, Task(model, np.zeros(2), np.ones(2)), [0, 1], negation=negation)


@pytest.mark.parametrize("negation", [True, False])
def test_the_translator_reads_it(tmp_path: Path, negation: bool) -> None:
    task = eight_puzzle()
    (tmp_path / "domain.pddl").write_text(write_domain(task.model, negation=negation))
    (tmp_path / "problem.pddl").write_text(write_problem(task, negation=negation))
    call = [sys.executable, "-m", "fast_downward.translate", "--invariant-generation-max-candidates", "0"]
    done = subprocess.run(
        [*call, "domain.pddl", "problem.pddl"], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Translator operators: 192" in done.stdout


def test_plain_strips_has_no_negative_preconditions() -> None:
    task, _ = lamps()
    domain, problem = (
        write(part, negation=False) for write, part in ((write_domain, task.model), (write_problem, task))
    )
    assert "negative" not in domain
    assert all("not" not in line for line in domain.splitlines() if ":precondition" in line)
    assert "not" not in problem


def test_a_plan_is_read_back() -> None:
    model = lights_out(2)
    text = write_plan(model.names[action] for action in PLAN)
    assert read_plan(model, text) == PLAN
    assert read_plan(model, "; a comment\n\n" + text.upper() + "; cost = 2 (unit cost)\n") == PLAN


@pytest.mark.parametrize("line", ["(a0-d0-n1", "a0-d0-n1", "(no-such-action)", "\x00\x01", "(a0-d0-n1) (a1-d1-n1)"])
def test_a_line_that_is_no_action_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="is not an action of the model"):
        read_plan(lights_out(2), f"(a0-d0-n1)\n{line}\n")


def test_walks_end_where_they_should() -> None:
    task = eight_puzzle()
    assert not (walk(task.model, task.goal, 1) == task.goal).all()
