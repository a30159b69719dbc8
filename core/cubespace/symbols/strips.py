"""The STRIPS model: propositions are bits, actions are rows of masks; everything works on batches of states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, apply_effect
from cubespace.base.errors import InputError
from cubespace.base.files import replacing
from cubespace.symbols.literal_relations import close

if TYPE_CHECKING:
    from cubespace.lifting.task import LiftedTask

# PDDL names are case-insensitive, so capitals could make two names one
NAME = re.compile(r"[a-z][a-z0-9_-]*")
CHUNK = 500  # states whose successors are computed at once


def _names(value: Iterable[str]) -> tuple[str, ...]:
    return tuple(value)


def _masks(value: object) -> Bits:
    return np.ascontiguousarray(value, dtype=np.bool_)


def _integers(value: object) -> Indices:
    return np.ascontiguousarray(value, dtype=np.intp)


@attrs.frozen(eq=False, kw_only=True)
class StripsModel:
    """Actions over propositional states.

    Row ``a`` of each mask belongs to action ``a``: bits it adds, bits it deletes, bits that must be true and bits that
    must be false before it. ``support`` counts the training transitions that showed the effect. ``mutexes`` are pairs
    of literals that are never true together in the training states, which every action preserves
    (``symbols.invariants``); ``groups`` number the bits that encode one thing together (``symbols.bit_groups``). Both
    are None if they have not been computed.
    """

    names: Sequence[str] = attrs.field(converter=_names)
    add: Bits = attrs.field(converter=_masks)  # (actions, bits)
    delete: Bits = attrs.field(converter=_masks)  # (actions, bits)
    positive: Bits = attrs.field(converter=_masks)  # (actions, bits)
    negative: Bits = attrs.field(converter=_masks)  # (actions, bits)
    support: Indices = attrs.field(converter=_integers)  # (actions,)
    cost: Indices = attrs.field(converter=_integers)  # (actions,)
    mutexes: Bits | None = None  # (2 * bits, 2 * bits)
    groups: Indices | None = None  # (bits,)

    def __attrs_post_init__(self) -> None:
        """Refuse contradictions, which different planners would read differently."""
        for mask in (self.delete, self.positive, self.negative):
            if mask.shape != self.add.shape:
                raise ValueError(f"masks of different shapes: {self.add.shape} and {mask.shape}")
        if len(self.names) != len(self.add) or len(set(self.names)) != len(self.names):
            raise ValueError("action names must be unique, one per action")
        for name in self.names:
            if not NAME.fullmatch(name):
                raise ValueError(f"'{name}' is not a PDDL name: lower-case letters, digits, - or _, a letter first")
        if self.support.shape != (self.actions,) or self.cost.shape != (self.actions,) or (self.cost < 0).any():
            raise ValueError("support and cost need one number per action, and a cost is not negative")
        if (self.add & self.delete).any() or (self.positive & self.negative).any():
            raise ValueError("an action adds and deletes, or requires and forbids, the same bit")
        if self.mutexes is not None and self.mutexes.shape != (2 * self.bits, 2 * self.bits):
            raise ValueError(f"mutexes of shape {self.mutexes.shape} for {self.bits} bits")
        if self.groups is not None and self.groups.shape != (self.bits,):
            raise ValueError(f"groups of shape {self.groups.shape} for {self.bits} bits")

    @property
    def bits(self) -> int:
        """Return the number of propositions."""
        return int(self.add.shape[1])

    @property
    def actions(self) -> int:
        """Return the number of actions."""
        return int(self.add.shape[0])

    @property
    def unit_cost(self) -> bool:
        """Return whether every action costs one."""
        return bool((self.cost == 1).all())

    @cached_property
    def closed_mutexes(self) -> Bits:
        """Return the mutexes with all that follow from them; most tasks of a model share them."""
        if self.mutexes is None:
            raise ValueError("the mutexes of this model have not been computed")
        return close(self.mutexes)

    def applicable(self, states: Bits) -> Bits:
        """Return whether each action can be applied in each state, as (batch, actions)."""
        # counting violated literals as one matrix product is far faster than comparing all pairs of rows
        violated = (~states).astype(np.float32) @ self.positive.T.astype(np.float32)
        violated += states.astype(np.float32) @ self.negative.T.astype(np.float32)
        return np.asarray(violated == 0, dtype=np.bool_)

    def apply(self, states: Bits, actions: Indices) -> Bits:
        """Return the successor of each state under the action of the same row, applicable or not."""
        return apply_effect(states, self.add[actions], self.delete[actions])

    def reproduce(self, before: Bits, after: Bits) -> Indices:
        """Return an action that leads from each state to the one of the same row, or -1."""
        found = np.full(len(before), -1, dtype=np.intp)
        for start in range(0, len(before), CHUNK):
            old, new = before[start : start + CHUNK], after[start : start + CHUNK]
            row, action = np.nonzero(self.applicable(old))
            same = (self.apply(old[row], action) == new[row]).all(1)
            found[start + row[same]] = action[same]
        return found

    def select(self, rows: Bits) -> StripsModel:
        """Return a model of the actions whose rows are true."""
        return attrs.evolve(
            self,
            names=[name for name, kept in zip(self.names, rows.tolist(), strict=True) if kept],
            add=self.add[rows],
            delete=self.delete[rows],
            positive=self.positive[rows],
            negative=self.negative[rows],
            support=self.support[rows],
            cost=self.cost[rows],
        )

    def execute(self, state: Bits, plan: Sequence[int]) -> Bits | None:
        """Return the states along a plan, (steps + 1, bits), or None if a step is not applicable."""
        trace = [np.asarray(state, dtype=np.bool_)]
        for action in plan:
            now = trace[-1]
            if not now[self.positive[action]].all() or now[self.negative[action]].any():
                return None
            trace.append(apply_effect(now, self.add[action], self.delete[action]))
        return np.stack(trace)


@attrs.frozen(eq=False)
class Task:
    """A model with an initial state and a goal; ``care`` is False for bits of the goal that do not matter.

    ``lifted`` is the same task in lifted PDDL, for planners that read it.
    """

    model: StripsModel
    init: Bits = attrs.field(converter=_masks)  # (bits,)
    goal: Bits = attrs.field(converter=_masks)  # (bits,)
    care: Bits = attrs.field(converter=_masks)  # (bits,)
    lifted: LiftedTask | None = None

    @care.default
    def _all(self) -> Bits:
        return np.ones_like(self.goal)

    def __attrs_post_init__(self) -> None:
        """Refuse states of another size than the model's."""
        for state in (self.init, self.goal, self.care):
            if state.shape != (self.model.bits,):
                raise ValueError(f"a state of shape {state.shape} for a model of {self.model.bits} bits")

    def reached(self, state: Bits) -> bool:
        """Return whether the goal holds in a state."""
        return bool(((state == self.goal) | ~self.care).all())

    def solved_by(self, plan: Sequence[int]) -> bool:
        """Return whether the plan can be executed from the initial state and ends in the goal."""
        trace = self.model.execute(self.init, plan)
        return trace is not None and self.reached(trace[-1])

    def cost(self, plan: Sequence[int]) -> int:
        """Return the cost of a plan."""
        return int(self.model.cost[list(plan)].sum())


MASKS = ("add", "delete", "positive", "negative", "mutexes")


def save_strips(path: Path, model: StripsModel) -> None:
    """Write a model to an ``.npz`` file, whole or not at all."""
    arrays: dict[str, NDArray[np.generic]] = {
        "names": np.array(model.names, dtype=np.str_),
        "bits": np.array(model.bits),
        "support": model.support,
        "cost": model.cost,
    }
    for name in MASKS:
        mask = getattr(model, name)
        if mask is not None:
            arrays[name] = np.packbits(mask, axis=1)
    if model.groups is not None:
        arrays["groups"] = model.groups
    with replacing(path) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load_strips(path: Path) -> StripsModel:
    """Read a model that ``save_strips`` wrote."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            bits = int(arrays["bits"])
            widths = dict.fromkeys(MASKS, bits) | {"mutexes": 2 * bits}
            masks = {
                name: np.unpackbits(arrays[name], axis=1, count=widths[name]).astype(np.bool_)
                for name in MASKS
                if name in arrays
            }
            names = [str(name) for name in arrays["names"]]
            groups = arrays.get("groups")
            return StripsModel(names=names, support=arrays["support"], cost=arrays["cost"], groups=groups, **masks)
    except FileNotFoundError:
        raise InputError(f"There is no STRIPS model at {path}: run 'cube extract' first.") from None
    except Exception as error:  # a damaged archive can raise anything
        raise InputError(f"{path} is not a STRIPS model ({error}): run 'cube extract' again.") from error
