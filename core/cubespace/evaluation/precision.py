"""How many of a model's moves are wrong, as far as pairs can say: precision without a simulator.

A true move that was never looked at has each sign of ``evaluation.real_moves`` with some probability, which pairs that
are left aside measure. If all moves of the model were true, as many of them would have the sign. If only the share x of
them has as many, at most that share of the moves is true: wrong moves dilute the signs. One sign is exact: no wrong
move was ever seen as a step. The others bound the wrong moves from below, each where pairs can say most: in small
worlds all states were seen, in large ones all that can be true together was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, row_keys
from cubespace.base.differences import number_rows
from cubespace.evaluation.precision_record import LOOKS, STEP, Precision, Sign
from cubespace.evaluation.real_moves import Draw, KnownMoves, Look, redrawn
from cubespace.symbols.strips import StripsModel

FOLDS = 5  # in turn, one is looked at with the memory of the others
MOST_STATES = 2000  # looked at, of all folds
MOST_MOVES = 8  # of each state
MOST_DRAWN = 500  # moves whose states are drawn, of each memory
FEWEST = 10  # true moves that have a sign: with fewer, nothing is compared
ALL_RIGHT = 0.5  # probability that no move is wrong, before anything is seen
FRACTIONS = np.concatenate([[0.0], np.geomspace(1e-4, 0.02, 60), np.linspace(0.022, 1.0, 490)])  # of wrong moves
EVERY_PART = np.linspace(0.0, 1.0, 101)  # of the wrong moves that may lack a sign
ALL_LACK_IT = 0.5  # probability that all wrong moves lack a sign
UNEVEN = 0.03  # of a fraction of wrong moves: states that are looked at differ that much from others
FAR = 30.0  # standard deviations: what is further away is as improbable
LEVEL = 0.05  # probability that the fraction is below its interval, and as much that it is above


@attrs.frozen(eq=False, kw_only=True)
class _Looked:
    """States, with what part of the model's moves there has each sign, and whether the true move of a pair has it."""

    names: tuple[str, ...]  # of the signs
    model: NDArray[np.float64]  # (states, signs), NaN where a sign was not looked for
    true: NDArray[np.float64]
    moves: int


def estimate_precision(
    model: StripsModel,
    training: tuple[Bits, Bits],
    held_out: tuple[Bits, Bits],
    *,
    grouped: bool,
    draw: Draw | None = None,
    look: Look | None = None,
    seed: int = 0,
) -> Precision:
    """Estimate which fraction of the model's moves is wrong in states that were seen.

    Pairs are (before, after), (pairs, bits) each; nothing was learned from those held out. ``grouped`` says that bits
    are values of variables: those that are true say everything. ``draw`` and ``look`` are those of the code; without
    them, one sign less is looked for.
    """
    rng = np.random.default_rng([seed, 0x9C15])
    parts = [_look(model, *fold, draw, look, rng) for fold in _folds(training, held_out, grouped, rng)]
    looked = [part for part in parts if part is not None]
    distinct, unseen = _saturation(training)
    unknown = Precision(
        wrong=None, low=0.0, high=1.0, states=0, moves=0, distinct_states=distinct, unseen_states=unseen, signs=()
    )
    if not looked:
        return unknown
    ours, true = (np.concatenate([getattr(part, side) for part in looked]) for side in ("model", "true"))
    each = [_sign(name, ours[:, row], true[:, row]) for row, name in enumerate(looked[0].names)]
    signs = [sign for sign in each if sign is not None]
    if not signs:
        return unknown
    posterior = _posterior(signs)
    return attrs.evolve(
        unknown,
        wrong=float(posterior @ FRACTIONS),
        low=_quantile(posterior, LEVEL),
        high=_quantile(posterior, 1 - LEVEL),
        states=len(ours),
        moves=sum(part.moves for part in looked),
        signs=tuple(signs),
    )


def _folds(
    training: tuple[Bits, Bits], held_out: tuple[Bits, Bits], grouped: bool, rng: np.random.Generator
) -> Iterator[tuple[KnownMoves, Bits, Bits]]:
    """Yield memories, and pairs that they do not have: those held out, then each fold of the training pairs."""
    before, after = training
    changed = (before != after).any(1)
    before, after = before[changed], after[changed]
    if not len(before):
        return
    yield KnownMoves.of(before, after, grouped=grouped), *held_out
    if len(before) < 2 * FOLDS:
        return
    fold = rng.permutation(len(before)) % FOLDS
    most = MOST_STATES // FOLDS
    for number in range(FOLDS):
        rest = fold != number
        rows = np.flatnonzero(~rest)[:most]
        yield KnownMoves.of(before[rest], after[rest], grouped=grouped), before[rows], after[rows]


def _look(
    model: StripsModel,
    known: KnownMoves,
    before: Bits,
    after: Bits,
    draw: Draw | None,
    look: Look | None,
    rng: np.random.Generator,
) -> _Looked | None:
    """Compare the model's moves with the true one in each state whose true move the model has."""
    changed = np.flatnonzero((before != after).any(1))[:MOST_STATES]
    rows = changed[model.reproduce(before[changed], after[changed]) >= 0]
    if not len(rows):
        return None
    before, after = before[rows], after[rows]
    source, reached = _moves(model, before, rng)
    ours = known.signs(before[source], reached)
    true = {name: has.astype(np.float64) for name, has in known.signs(before, after).items()}
    shares = {name: _shares(source, ours[name], len(before)) for name in true}
    if draw is not None and look is not None:
        few = int(source[min(MOST_DRAWN, len(source) - 1)]) + (len(source) <= MOST_DRAWN)  # states
        drawn = redrawn(reached[source < few], draw, look)
        true[LOOKS] = _padded(redrawn(after[:few], draw, look), len(before))
        shares[LOOKS] = _padded(_shares(source[source < few], drawn, few), len(before))
    return _Looked(
        names=tuple(true),
        model=np.stack(list(shares.values()), axis=1),
        true=np.stack(list(true.values()), axis=1),
        moves=len(source),
    )


def _shares(source: Indices, has: Bits, states: int) -> NDArray[np.float64]:
    """Return which fraction of the moves from each state has a sign."""
    return np.bincount(source, weights=has, minlength=states) / np.bincount(source, minlength=states)


def _padded(values: NDArray[np.generic], length: int) -> NDArray[np.float64]:
    """Return values followed by NaN: those that were not looked at."""
    padded = np.full(length, np.nan)
    padded[: len(values)] = values
    return padded


def _moves(model: StripsModel, states: Bits, rng: np.random.Generator) -> tuple[Indices, Bits]:
    """Return distinct successors of states, some of each if there are many, and the row of the state of each."""
    source, action = np.nonzero(model.applicable(states))
    order = rng.permutation(len(source))
    order = order[np.argsort(source[order], kind="stable")]
    source, action = source[order], action[order]
    place = np.arange(len(source)) - np.searchsorted(source, source)
    few = place < 4 * MOST_MOVES
    source, action = source[few], action[few]
    reached = model.apply(states[source], action)
    moved = (reached != states[source]).any(1)
    source, reached = source[moved], reached[moved]
    seen: set[tuple[int, bytes]] = set()
    count = np.zeros(len(states), dtype=np.intp)
    kept = []
    for row, (state, key) in enumerate(zip(source.tolist(), row_keys(reached), strict=True)):
        if (state, key) not in seen and count[state] < MOST_MOVES:
            seen.add((state, key))
            count[state] += 1
            kept.append(row)
    return source[kept], reached[kept]


def _sign(name: str, ours: NDArray[np.float64], true: NDArray[np.float64]) -> Sign | None:
    """Return what a sign says, (states,) each; None if too few true moves have it to compare anything with them."""
    looked_at = ~np.isnan(true)
    ours, true = ours[looked_at], true[looked_at]
    if true.sum() < FEWEST:
        return None
    share = float(ours.sum() / true.sum())
    spread = float(np.square(ours - share * true).sum() + 1) ** 0.5  # 1: the next state may be the first without
    return Sign(
        name=name,
        true_moves=float(true.mean()),
        model_moves=float(ours.mean()),
        wrong=1 - share,
        error=spread / float(true.sum()),
        states=len(true),
    )


def _posterior(signs: Sequence[Sign]) -> NDArray[np.float64]:
    """Return how probable each fraction of ``FRACTIONS`` is.

    Beforehand, all moves are right with probability ``ALL_RIGHT``; otherwise each order of magnitude is as probable as
    any other. All wrong moves lack a sign or, as probable as that, an unknown part of them; all lack the exact one.
    """
    chance = np.concatenate([[0.0], np.gradient(np.log(FRACTIONS[1:]))])
    chance *= (1 - ALL_RIGHT) / chance.sum()
    chance[0] = ALL_RIGHT
    weight = np.log(chance)
    for sign in signs:
        error = np.hypot(sign.error, UNEVEN * FRACTIONS)[:, None]
        away = np.abs(sign.wrong - FRACTIONS[:, None] * EVERY_PART) / error  # (fractions, parts)
        fits = np.exp(-np.square(np.minimum(away, FAR)) / 2) / error
        some = 0.0 if sign.name == STEP else 1 - ALL_LACK_IT
        weight += np.log((1 - some) * fits[:, -1] + some * fits.mean(1))
    likely = np.exp(weight - weight.max())
    return np.asarray(likely / likely.sum())


def _quantile(posterior: NDArray[np.float64], level: float) -> float:
    return float(FRACTIONS[min(int(np.searchsorted(posterior.cumsum(), level)), len(FRACTIONS) - 1)])


def _saturation(training: tuple[Bits, Bits]) -> tuple[int, float]:
    """Return how many distinct states there are, and which fraction of new pairs would lead to a new one.

    As Good and Turing have it, that is the fraction of those seen once only.
    """
    rows = number_rows(np.packbits(np.concatenate(training), axis=1))
    return len(rows), float((rows.counts == 1).sum() / max(1, rows.counts.sum()))
