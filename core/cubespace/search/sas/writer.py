"""SAS+, the input of Fast Downward, written directly: its translator takes seconds to minutes on such tasks."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from cubespace.base.arrays import Bits, Indices, literals
from cubespace.search.sas.exclusive_variables import Encoding, Values, encode
from cubespace.search.sas.merged_variables import Merged, Variable, merge_once
from cubespace.symbols.invariants import complements, implied, task_mutexes
from cubespace.symbols.strips import StripsModel, Task


def write_sas(task: Task, *, group: bool = True) -> str:
    """Return the task in Fast Downward's format; without ``group`` every bit is a variable of its own."""
    bits = task.model.bits
    mutexes = task_mutexes(task) if group else complements(bits)
    groups = task.model.groups if group and task.model.groups is not None else np.arange(bits)
    goal_literals = literals(task.goal & task.care, ~task.goal & task.care)
    if mutexes[np.ix_(goal_literals, goal_literals)].any():
        return _contradiction()
    known = implied(mutexes, goal_literals[None])
    usable = np.ones(bits, dtype=np.bool_)
    while True:
        encoding = encode(task.model, mutexes, usable)
        goal = encoding.values(known)[0]
        unsaid = encoding.unsaid(goal_literals, goal)
        if not unsaid.any():
            return _merged_text(encoding, groups, encoding.values(literals(task.init)[None])[0], goal, task.model)
        usable = usable & ~unsaid  # only a variable of its own can express "not this member, whatever the others"


def _merged_text(encoding: Encoding, groups: Indices, init: Values, goal: Values, model: StripsModel) -> str:
    """Merge the variables that belong together, except where the goal would fit several values, and write the task."""
    while True:
        merged = merge_once(encoding, groups, init)
        end, choices = merged.fitting(goal)
        if not choices.all():
            return _contradiction()
        unclear = np.flatnonzero(choices > 1).tolist()
        if not unclear:
            return _text(encoding, merged, merged.fitting(init)[0], end, model.unit_cost)
        alone = np.concatenate([encoding.variables[part] for each in unclear for part in merged.variables[each].parts])
        groups = groups.copy()
        groups[alone % model.bits] = groups.max() + 1 + np.arange(len(alone))


def _text(encoding: Encoding, merged: Merged, init: Values, goal: Values, unit_cost: bool) -> str:
    """Write what matters to the goal; some heuristics of Fast Downward refuse a task that contains more."""
    kept = merged.relevant(goal)
    some = [variable for variable, relevant in zip(merged.variables, kept.tolist(), strict=True) if relevant]
    variables = [_variable(number, _facts(encoding, variable)) for number, variable in enumerate(some)]
    start, end = init[kept].tolist(), goal[kept].tolist()
    goals = [f"{number} {value}\n" for number, value in enumerate(end) if value >= 0]
    if not goals:  # Fast Downward needs a goal; this one always holds
        variables.append(_variable(len(start), ["Atom true()", "NegatedAtom true()"]))
        goals.append(f"{len(start)} 0\n")
        start.append(0)
    return _file(variables, start, goals, _operators(merged, kept), unit_cost)


def _facts(encoding: Encoding, variable: Variable) -> list[str]:
    """Return the names of the values of a merged variable."""
    if len(variable.parts) == 1:
        return [encoding.fact(int(variable.parts[0]), value) for value in variable.values[:, 0].tolist()]
    bit = int(encoding.variables[int(variable.parts[0])][0]) % len(encoding.usable)
    return [f"Atom z{bit}-and-others({number})" for number in range(len(variable.values))]


def _variable(number: int, facts: Sequence[str]) -> str:
    return f"begin_variable\nvar{number}\n-1\n{len(facts)}\n" + "\n".join(facts) + "\nend_variable\n"


_complete: WeakKeyDictionary[Merged, list[str]] = WeakKeyDictionary()


def _operators(merged: Merged, kept: Bits) -> list[str]:
    """Return the operators that change a variable that is kept; if all are kept, every task has the same text."""
    if kept.all():
        if merged not in _complete:
            _complete[merged] = _operator_lines(merged.names, merged.cost, merged.before, merged.after)
        return _complete[merged]
    rows = np.asarray((merged.after[:, kept] >= 0).any(1), dtype=np.bool_)
    names = [name for name, row in zip(merged.names, rows.tolist(), strict=True) if row]
    before, after = (values[np.ix_(rows, kept)] for values in (merged.before, merged.after))
    return _operator_lines(names, merged.cost[rows], before, after)


def _operator_lines(names: Sequence[str], cost: Indices, before: Values, after: Values) -> list[str]:
    """Return the operators as Fast Downward reads them: conditions on what stays, then changes."""
    stay, change = (before >= 0) & (after < 0), after >= 0
    rows, columns = np.nonzero(stay)
    # there are few distinct facts and many lines
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
    """Return for each row of the mask the number of its lines, followed by the lines."""
    ends = np.cumsum(mask.sum(1)).tolist()
    return [f"{end - start}\n" + "".join(lines[start:end]) for start, end in zip([0, *ends][:-1], ends, strict=True)]


def _contradiction() -> str:
    """Return a task without a plan, for a goal that is known to be unreachable."""
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
