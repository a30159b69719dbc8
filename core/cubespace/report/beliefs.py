"""What a model believes: its actions in pictures, before and after, grouped by what they change."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from cubespace.base.words import listed
from cubespace.report.image_tags import Picture, signed
from cubespace.report.visuals import CARD_PIXELS, ActionCard, LearnedPictures
from cubespace.symbols.strips import StripsModel

MAX_GROUPS = 12  # on a page
MAX_ACTIONS = 4  # of a group
MAX_NAMED = 4  # variables or bits in the heading of a group


@attrs.frozen(kw_only=True)
class Belief:
    """Actions that change the same variables, or the same bits."""

    changes: str
    actions: int
    seen: int  # training transitions that show one of them
    where: Picture  # the pixels that change
    cards: list[ActionCard]  # those seen most often


@attrs.frozen(kw_only=True)
class Beliefs:
    """The groups that are seen most often, and how much is left out."""

    groups: list[Belief]
    all_groups: int
    actions: int
    kind: str  # of what is changed

    @property
    def hidden(self) -> int:
        """Return how many actions are not shown."""
        return self.actions - sum(len(group.cards) for group in self.groups)


def beliefs(learned: LearnedPictures) -> Beliefs | None:
    """Return the actions of a model in groups, as many as a page can hold; None without a model."""
    model = learned.model
    if model is None:
        return None
    kind, together = changed_together(model, learned.code.groups)
    order = sorted(together, key=lambda changed: (-int(model.support[together[changed]].sum()), changed))
    prefix = "z" if kind == "bits" else ""
    groups = [
        _belief(learned, model, f"{kind} {_named(changed, prefix)}", together[changed])
        for changed in order[:MAX_GROUPS]
    ]
    return Beliefs(groups=groups, all_groups=len(together), actions=model.actions, kind=kind)


def changed_together(model: StripsModel, groups: Sequence[int] | None) -> tuple[str, dict[tuple[int, ...], list[int]]]:
    """Return rows of actions by what they change: variables, where bits are values of some, else bits.

    Of three bits in the groups (0, 0, 1), an action that adds bit 0 and deletes bit 1 changes variable 0.
    """
    changes = model.add | model.delete  # (actions, bits)
    if groups is None:
        kind, parts = "bits", changes
    else:
        numbers = np.asarray(groups)
        kind = "variables"
        parts = np.stack([changes[:, numbers == number].any(1) for number in range(numbers.max() + 1)], axis=1)
    together: dict[tuple[int, ...], list[int]] = {}
    for row, part in enumerate(parts):
        together.setdefault(tuple(np.flatnonzero(part).tolist()), []).append(row)
    return kind, together


def _belief(learned: LearnedPictures, model: StripsModel, changes: str, rows: Sequence[int]) -> Belief:
    often = sorted(rows, key=lambda row: -int(model.support[row]))[:MAX_ACTIONS]
    change = np.mean([np.abs(after - before) for before, after in (learned.means(model, row) for row in often)], axis=0)
    return Belief(
        changes=changes,
        actions=len(rows),
        seen=int(model.support[list(rows)].sum()),
        where=signed(change, f"the pixels that change with {changes}", CARD_PIXELS),
        cards=[learned.action(model, row) for row in often],
    )


def _named(parts: Sequence[int], prefix: str) -> str:
    """Return what is changed in words."""
    return listed([f"{prefix}{part}" for part in parts], ", ", MAX_NAMED) or "none"
