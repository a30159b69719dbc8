"""SAS+: the input of Fast Downward, written directly, for its translator takes seconds to minutes on such tasks."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from cubespace.finite_domain import Encoding, Values, encode
from cubespace.mutex import complements, implied, task_mutexes
from cubespace.strips import Bits, Indices, Task, literals


def write_sas(task: Task, *, group: bool = True) -> str:
    """Return the task in Fast Downward's format; without ``group`` every bit is a variable of its own."""
    bits = task.model.bits
    mutexes = task_mutexes(task) if group else complements(bits)
    wanted = literals(task.goal & task.care, ~task.goal & task.care)
    if mutexes[np.ix_(wanted, wanted)].any():
        return _contradiction()
    known = implied(mutexes, wanted[None])
    usable = np.ones(bits, dtype=np.bool_)
    while True:
        encoding = encode(task.model, mutexes, usable)
        goal = encoding.values(known)[0]
        unsaid = encoding.unsaid(wanted, goal)
        if not unsaid.any():
            return _text(encoding, encoding.values(literals(task.init)[None])[0], goal, task.model.unit_cost)
        usable = usable & ~unsaid  # "not this member, whatever the others" can only be said of a variable of its own


def _text(encoding: Encoding, init: NDArray[np.intp], goal: NDArray[np.intp], unit_cost: bool) -> str:
    """Write what matters to the goal; some heuristics of Fast Downward refuse a task with more in it."""
    kept = encoding.relevant(goal)
    members = [literals for literals, relevant in zip(encoding.variables, kept.tolist(), strict=True) if relevant]
    sizes = np.array([len(some) for some in members], dtype=np.intp)
    after, init, goal = encoding.after[:, kept], init[kept], goal[kept]
    # the value "none of those" is only there where something gives it
    empty = (sizes == 1) | (after == sizes).any(0) | (init == sizes) | (goal == sizes)
    bits = len(encoding.usable)
    variables = [
        _variable(number, [_fact(literal, bits) for literal in some.tolist()] + ["<none of those>"] * int(extra))
        for number, (some, extra) in enumerate(zip(members, empty.tolist(), strict=True))
    ]
    goals = [f"{number} {goal[number]}\n" for number in np.flatnonzero(goal >= 0)]
    start = init.tolist()
    if not goals:  # Fast Downward insists on a goal; this one holds
        variables.append(_variable(len(start), ["Atom true()", "NegatedAtom true()"]))
        goals.append(f"{len(start)} 0\n")
        start.append(0)
    return _file(variables, start, goals, _operators(encoding, kept), unit_cost)


def _fact(literal: int, bits: int) -> str:
    return f"Atom z{literal}()" if literal < bits else f"NegatedAtom z{literal - bits}()"


def _variable(number: int, facts: Sequence[str]) -> str:
    return f"begin_variable\nvar{number}\n-1\n{len(facts)}\n" + "\n".join(facts) + "\nend_variable\n"


_complete: WeakKeyDictionary[Encoding, list[str]] = WeakKeyDictionary()


def _operators(encoding: Encoding, kept: Bits) -> list[str]:
    """Return the operators that change a variable which is kept; where all are, the text is the same for every task."""
    if kept.all():
        if encoding not in _complete:
            _complete[encoding] = _operator_lines(encoding.names, encoding.cost, encoding.before, encoding.after)
        return _complete[encoding]
    rows = np.asarray((encoding.after[:, kept] >= 0).any(1), dtype=np.bool_)
    names = [name for name, row in zip(encoding.names, rows.tolist(), strict=True) if row]
    before, after = (values[np.ix_(rows, kept)] for values in (encoding.before, encoding.after))
    return _operator_lines(names, encoding.cost[rows], before, after)


def _operator_lines(names: Sequence[str], cost: Indices, before: Values, after: Values) -> list[str]:
    """Return the operators as Fast Downward reads them: conditions on what stays, then changes."""
    stay, change = (before >= 0) & (after < 0), after >= 0
    rows, columns = np.nonzero(stay)
    # there are few different facts and many lines
    values = int(before.max(initial=0)) + 1
    facts = np.array(
        [f"{column} {value}\n" for column in range(before.shape[1]) for value in range(values)], dtype=object
    )
    stays = _counted(stay, facts[columns * values + before[rows, columns]].tolist())
    rows, columns = np.nonzero(change)
    moves = zip(columns.tolist(), before[rows, columns].tolist(), after[rows, columns].tolist(), strict=True)
    changes = _counted(change, [f"0 {column} {old} {new}\n" for column, old, new in moves])
    return [
        f"begin_operator\n{name}\n{kept}{changed}{price}\nend_operator\n"
        for name, kept, changed, price in zip(names, stays, changes, cost.tolist(), strict=True)
    ]


def _counted(mask: Bits, lines: Sequence[str]) -> list[str]:
    """Return for each row of the mask the number of its lines and these."""
    ends = np.cumsum(mask.sum(1)).tolist()
    return [f"{end - start}\n" + "".join(lines[start:end]) for start, end in zip([0, *ends][:-1], ends, strict=True)]


def _contradiction() -> str:
    """Return a task without a plan, for a goal that the mutexes already exclude."""
    return _file([_variable(0, ["Atom false()", "NegatedAtom false()"])], [1], ["0 0\n"], [], True)


def _file(
    variables: Sequence[str], init: Sequence[int], goals: Sequence[str], operators: Sequence[str], unit_cost: bool
) -> str:
    """Return the sections in their order."""
    return "".join(
        (
            f"begin_version\n3\nend_version\nbegin_metric\n{0 if unit_cost else 1}\nend_metric\n",
            f"{len(variables)}\n",
            *variables,
            "0\nbegin_state\n",
            *(f"{value}\n" for value in init),
            f"end_state\nbegin_goal\n{len(goals)}\n",
            *goals,
            f"end_goal\n{len(operators)}\n",
            *operators,
            "0\n",
        )
    )
