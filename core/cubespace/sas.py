"""SAS+: the input of Fast Downward, written directly.

Fast Downward's translator takes seconds to minutes on tasks of our size. Here mutually exclusive bits become one
finite-domain variable, bits that never change or that equal another bit vanish, and so do actions that can never be
applied. All of it follows from the mutexes of the task, so plans and their costs stay the same; a bit whose use in some
action could not be said as a value of a larger variable stays a variable of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.mutex import complements, exclusive_groups, related, task_mutexes
from cubespace.strips import Bits, Indices, StripsModel, Task, literals

Values = NDArray[np.intp]  # (rows, variables), -1 where nothing is said about a variable


def write_sas(task: Task, *, group: bool = True) -> str:
    """Return the task in Fast Downward's format; without ``group`` every bit is a variable of its own."""
    bits = task.model.bits
    mutexes = task_mutexes(task) if group else complements(bits)
    wanted = literals(task.goal & task.care, ~task.goal & task.care)
    if mutexes[np.ix_(wanted, wanted)].any():
        return _contradiction()
    known = _implied(mutexes, wanted[None])
    usable = np.ones(bits, dtype=np.bool_)
    while True:
        encoding = _encoding(task.model, mutexes, usable)
        goal = encoding.values(known)[0]
        unsaid = encoding.unsaid(wanted, goal)
        if not unsaid.any():
            return _text(encoding, encoding.values(literals(task.init)[None])[0], goal, task.model.unit_cost)
        usable &= ~unsaid  # "not this member, whatever the others" can only be said of a variable of its own


@attrs.frozen(eq=False)
class Encoding:
    """Finite-domain variables for the literals of a model.

    Value ``i`` of a variable means that its member ``i`` is true, one value more that none of them is.
    """

    mutexes: Bits  # (2 * bits, 2 * bits), what follows from what
    usable: Bits  # (bits,), the bits that may share a variable
    same: Indices  # (2 * bits,), the literal that stands for all its equivalents
    constant: Bits  # (2 * bits,), literals of bits that never change
    variables: Sequence[Indices]  # the literals that are members of each variable
    operators: Sequence[str]
    emptied: Bits  # (variables,), whether an operator leaves none of the members true

    def values(self, known: Bits) -> Values:
        """Return the value of each variable for rows of known literals, (rows, 2 * bits)."""
        return _values(self.variables, known, every=True)

    def unsaid(self, wanted: Bits, values: NDArray[np.intp]) -> Bits:
        """Return the bits of wanted literals, (2 * bits,), on which the values of the variables are silent."""
        bits = len(wanted) // 2
        silent = np.zeros(bits, dtype=np.bool_)
        for members, value in zip(self.variables, values, strict=True):
            silent[members % bits] = value < 0
        unsaid = np.zeros(bits, dtype=np.bool_)
        unsaid[self.same[wanted & ~self.constant] % bits] = True
        return unsaid & silent


_encodings: WeakKeyDictionary[StripsModel, Encoding] = WeakKeyDictionary()


def _encoding(model: StripsModel, mutexes: Bits, usable: Bits) -> Encoding:
    """Return the encoding of a model; the last one is kept, for the tasks of a model mostly share it."""
    last = _encodings.get(model)
    if last is None or not (np.array_equal(last.mutexes, mutexes) and np.array_equal(last.usable, usable)):
        last = _encodings[model] = _encode(model, mutexes, usable)
    return last


def _encode(model: StripsModel, mutexes: Bits, usable: Bits) -> Encoding:
    """Choose the variables and say the actions in them."""
    negation = np.roll(np.arange(2 * model.bits), model.bits)
    never = mutexes.diagonal()
    constant = never | never[negation]
    follows = mutexes[:, negation]  # a implies b: a excludes not b
    same = _representatives(follows & follows.T)
    needed, made = literals(model.positive, model.negative), literals(model.add, model.delete)  # (actions, 2 bits)
    live = ~(related(needed, mutexes) & needed).any(1)
    needed, made = (_canonical(mask, same, constant) for mask in (needed, made))
    known = _implied(mutexes, needed)
    made &= ~known
    live = np.asarray(live & made.any(1), dtype=np.bool_)  # what changes nothing is in no plan
    needed, made, known = needed[live], made[live], known[live]
    alone = needed & ~related(needed, follows & ~(follows & follows.T))  # follows from no other need of the action
    # "not a" can be needed if another need implies it, and be made where a is known to be true
    shared = ~(alone[:, negation].any(0) | (made[:, negation] & ~known).any(0))
    own = (same == np.arange(2 * model.bits)) & ~constant
    groups = exclusive_groups(mutexes, own & shared & np.tile(usable, 2))
    rest = own[: model.bits].copy()
    for group in groups:
        rest[group % model.bits] = False
    variables = [*groups, *np.flatnonzero(rest)[:, None]]
    after = _values(variables, made, every=False)
    before = np.where(after < 0, _values(variables, needed, every=True), _values(variables, known, every=True))
    sizes = np.array([len(members) for members in variables], dtype=np.intp)
    names = [name for name, alive in zip(model.names, live.tolist(), strict=True) if alive]
    operators = _operators(names, before, after, model.cost[live])
    return Encoding(mutexes, usable, same, constant, variables, operators, (after == sizes).any(0))


def _implied(mutexes: Bits, known: Bits) -> Bits:
    """Return all literals that hold where the known ones do, row by row."""
    return known | np.roll(related(known, mutexes), len(mutexes) // 2, axis=1)


def _representatives(equivalent: Bits) -> Indices:
    """Return for each literal the equivalent one of the lowest bit, so that opposite literals get opposite ones."""
    by_bit = np.arange(len(equivalent)).reshape(2, -1).T.ravel()
    return np.asarray(by_bit[equivalent[:, by_bit].argmax(1)], dtype=np.intp)


def _canonical(mask: Bits, same: Indices, constant: Bits) -> Bits:
    """Return rows of literals with each replaced by its representative and constant ones left out."""
    rows, columns = np.nonzero(mask & ~constant)
    result = np.zeros_like(mask)
    result[rows, same[columns]] = True
    return result


def _values(variables: Sequence[Indices], known: Bits, *, every: bool) -> Values:
    """Return the value of each variable in rows of literals: no member if ``every`` one (else: any) is negated."""
    bits = known.shape[1] // 2
    values = np.full((len(known), len(variables)), -1, dtype=np.intp)
    for index, members in enumerate(variables):
        negated = known[:, (members + bits) % (2 * bits)]
        values[negated.all(1) if every else negated.any(1), index] = len(members)
        true = known[:, members]
        said = true.any(1)
        values[said, index] = true[said].argmax(1)
    return values


def _operators(names: Sequence[str], before: Values, after: Values, cost: Indices) -> list[str]:
    """Return the operators as Fast Downward reads them: conditions on what stays, then changes."""
    stays = [""] * len(names)
    changes = [""] * len(names)
    count = np.zeros((2, len(names)), dtype=np.intp)
    change = (after >= 0) & (after != before)
    stay = (before >= 0) & ~change
    for lines, mask, total in ((stays, stay, count[0]), (changes, change, count[1])):
        total[:] = mask.sum(1)
        rows, columns = np.nonzero(mask)
        old, new = before[rows, columns].tolist(), after[rows, columns].tolist()
        if lines is stays:
            facts = [f"{variable} {value}\n" for variable, value in zip(columns.tolist(), old, strict=True)]
        else:
            facts = [f"0 {variable} {a} {b}\n" for variable, a, b in zip(columns.tolist(), old, new, strict=True)]
        ends = np.cumsum(total).tolist()
        for row, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            lines[row] = "".join(facts[start:end])
    return [
        f"begin_operator\n{name}\n{kept}\n{stay_lines}{changed}\n{change_lines}{price}\nend_operator\n"
        for name, kept, stay_lines, changed, change_lines, price in zip(
            names, count[0].tolist(), stays, count[1].tolist(), changes, cost.tolist(), strict=True
        )
    ]


def _text(encoding: Encoding, init: NDArray[np.intp], goal: NDArray[np.intp], unit_cost: bool) -> str:
    """Put the file together."""
    bits = len(encoding.usable)
    variables, start = [], init.tolist()
    for index, members in enumerate(encoding.variables):
        # the extra value is only there where something gives it
        empty = len(members) == 1 or encoding.emptied[index] or len(members) in (init[index], goal[index])
        facts = [f"{'NegatedAtom' if literal >= bits else 'Atom'} z{literal % bits}()" for literal in members.tolist()]
        facts += ["<none of those>"] * empty
        variables.append(f"begin_variable\nvar{index}\n-1\n{len(facts)}\n" + "\n".join(facts) + "\nend_variable\n")
    goals = [f"{index} {goal[index]}" for index in np.flatnonzero(goal >= 0)]
    if not goals:  # Fast Downward insists on a goal; this one holds
        variables.append(f"begin_variable\nvar{len(variables)}\n-1\n2\nAtom true()\nNegatedAtom true()\nend_variable\n")
        goals = [f"{len(start)} 0"]
        start = [*start, 0]
    return _file(variables, start, goals, encoding.operators, unit_cost)


def _contradiction() -> str:
    """Return a task without a plan, for a goal that the mutexes already exclude."""
    variable = "begin_variable\nvar0\n-1\n2\nAtom false()\nNegatedAtom false()\nend_variable\n"
    return _file([variable], [1], ["0 0"], [], True)


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
            *(f"{goal}\n" for goal in goals),
            f"end_goal\n{len(operators)}\n",
            *operators,
            "0\n",
        )
    )
