"""Data sets: transitions as pairs of pictures, split for training, validation and test, kept in one verified file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Indices
from cubespace.base.errors import ContractError, InputError, UsageError
from cubespace.data.archive import InOrder, sha256_of, write_archive
from cubespace.data.domain import Domain, Pairs, StateSpace
from cubespace.data.memory import check_count, check_memory
from cubespace.data.splitting import split_by_state

FORMAT = 2
READABLE = (1, 2)  # formats; the first recorded no sizes: its data sets were all split by pairs
HELD_OUT_FRACTION = 0.05  # of the pairs, for validation, and as much again for test
FEWEST = 4  # two transitions to learn from, since batch norm needs two, and one for each other part
FEWEST_EPISODES = 10  # with fewer, holding one out would be too much
PICTURES = ("before", "after")
FOUND = "found_"  # prefix of the names of what a domain found
STATES = ("states_before", "states_after")  # where the domain knows them


@attrs.frozen(eq=False, repr=False)
class Transitions:
    """A data set in the order of its split, so that each part is a slice, and what it was made from."""

    pairs: Pairs
    spec: str
    seed: int
    sizes: tuple[int, int]  # how many transitions are held out for validation, and how many for test
    note: str = ""  # about the split, for the user
    findings: dict[str, NDArray[Any]] = attrs.field(factory=dict)  # of a domain that had to explore

    @property
    def train(self) -> Pairs:
        """Return the part to learn from: nine tenths, unless the split is by states or episodes."""
        return self.pairs[: len(self.pairs) - sum(self.sizes)]

    @property
    def validation(self) -> Pairs:
        """Return the part to tune with: a twentieth."""
        return self.pairs[len(self.pairs) - sum(self.sizes) : len(self.pairs) - self.sizes[1]]

    @property
    def test(self) -> Pairs:
        """Return the part to report on: a twentieth."""
        return self.pairs[len(self.pairs) - self.sizes[1] :]

    def __repr__(self) -> str:
        """Return where they come from, how many, and of what size."""
        parts = f"{len(self.train)} train, {len(self.validation)} validation, {len(self.test)} test"
        return f"<Transitions of {self.spec}: {parts}, pictures {'x'.join(map(str, self.pairs.before.shape[1:]))}>"

    def check_drawn_by(self, domain: Domain, probes: int = 32) -> None:
        """Raise unless ``domain`` still draws the stored states the same way: its picture file may have changed."""
        sample = self.pairs[:probes]
        if sample.states_before is None or not isinstance(domain, StateSpace):
            return
        same = sample.before.shape[1:] == domain.image_shape
        if not same or not np.array_equal(domain.render(sample.states_before), sample.before):
            raise InputError(f"domain '{self.spec}' no longer draws the pictures of this data set: make the data again")

    def save(self, path: Path) -> None:
        """Write the data set as one compressed ``.npz``, whole or not at all."""
        Drawn(self.pairs, np.arange(len(self.pairs)), self.spec, self.seed, self.sizes, self.note).save(
            path, self.findings
        )


@attrs.frozen(eq=False, repr=False)
class Drawn:
    """Pairs as they were drawn, and the order in which they are a data set.

    Pictures are put in order as they are written: that they fit into memory once is enough.
    """

    pairs: Pairs
    rows: Indices  # in the order of the split
    spec: str
    seed: int
    sizes: tuple[int, int]
    note: str = ""

    @property
    def train(self) -> Indices:
        """Return the rows to learn from."""
        return self.rows[: len(self.rows) - sum(self.sizes)]

    def transitions(self) -> Transitions:
        """Return the data set, in memory."""
        return Transitions(self.pairs[self.rows], self.spec, self.seed, self.sizes, self.note)

    def save(self, path: Path, findings: Mapping[str, NDArray[Any]]) -> None:
        """Write the data set as one compressed ``.npz``, whole or not at all."""
        given = {name: getattr(self.pairs, name) for name in (*PICTURES, *STATES)}
        arrays = {name: InOrder(array, self.rows) for name, array in given.items() if array is not None}
        arrays |= {f"{FOUND}{name}": InOrder(array) for name, array in findings.items()}
        about = {"format": FORMAT, "spec": self.spec, "seed": self.seed, "sizes": self.sizes, "note": self.note}
        write_archive(path, arrays, about)


def make(domain: Domain, spec: str, count: int | None, seed: int, split: str = "pair") -> Transitions:
    """Draw ``count`` transitions of ``domain``, as :func:`draw` does, and put them in order in memory."""
    return draw(domain, spec, count, seed, split).transitions()


def draw(domain: Domain, spec: str, count: int | None, seed: int, split: str = "pair") -> Drawn:
    """Draw ``count`` transitions of ``domain``, whose spec text is ``spec``; the seed fixes both draw and split.

    With a split by ``pair``, a state may appear in several parts; by ``state`` it may not: pairs that join two parts
    are left out. Of films, whole episodes are held out.
    """
    drawing, shuffle = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    check_count(domain, count)
    pairs = domain.sample(count, drawing)
    check_pairs(pairs, domain)
    check_memory(len(pairs), domain.image_shape)
    if len(pairs) < FEWEST:
        raise UsageError(f"{len(pairs)} transitions cannot be split in three: at least {FEWEST} are needed")
    if all(np.array_equal(*pair) for pair in zip(pairs.before, pairs.after, strict=True)):
        raise InputError(
            f"nothing changes in any of the {len(pairs)} pairs of '{spec}': each has the same picture before and after"
        )
    if split == "state":
        parts = split_by_state(pairs, _usual_sizes(len(pairs))[0], shuffle)
        rows = np.concatenate([parts.train, parts.validation, parts.test])
        return Drawn(pairs, rows, spec, seed, (len(parts.validation), len(parts.test)), parts.note)
    if pairs.episodes is None:
        return Drawn(pairs, shuffle.permutation(len(pairs)), spec, seed, _usual_sizes(len(pairs)))
    order, sizes = _by_episode(pairs.episodes, shuffle)
    return Drawn(pairs, order, spec, seed, sizes)


def _usual_sizes(count: int) -> tuple[int, int]:
    held_out = max(1, round(HELD_OUT_FRACTION * count))
    return held_out, held_out


def _by_episode(episodes: Indices, rng: np.random.Generator) -> tuple[Indices, tuple[int, int]]:
    """Return an order in which whole episodes are held out, those for test last, and how many pairs these have.

    Neighbours of one film look alike: a pair whose neighbours were trained on would not be a test. Where there are
    too few episodes, they are cut into runs of as many pairs as are to be held out.
    """
    size = _usual_sizes(len(episodes))[0]
    if len(np.unique(episodes)) < FEWEST_EPISODES:
        _, episodes = np.unique(episodes, return_inverse=True)
        episodes = episodes * len(episodes) + np.arange(len(episodes)) // size
    names, number, counts = np.unique(episodes, return_inverse=True, return_counts=True)
    order = rng.permutation(len(names))
    left = order.tolist()
    test = _taken(left, counts, size)
    validation = _taken(left, counts, size)
    parts = [np.flatnonzero(np.isin(number, chosen)) for chosen in (left, validation, test)]
    return np.concatenate([rng.permutation(part) for part in parts]), (len(parts[1]), len(parts[2]))


def _taken(left: list[int], counts: Indices, size: int) -> list[int]:
    """Take episodes from those left until they have at least ``size`` pairs, but leave at least two."""
    taken = [left.pop()]
    while counts[taken].sum() < size and len(left) > 2:
        taken.append(left.pop())
    return taken


def check_pairs(pairs: object, domain: Domain) -> None:
    """Raise a :class:`ContractError` if a domain has drawn anything other than pairs of pictures."""
    if not isinstance(pairs, Pairs):
        raise ContractError(f"it drew {type(pairs).__name__}, not Pairs", domain)
    shape = tuple(domain.image_shape)
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] != 3):
        raise ContractError(f"its image_shape is {shape}, not (height, width) or (height, width, 3)", domain)
    for name in PICTURES:
        _check_array(name, getattr(pairs, name), (len(pairs.before), *shape), domain)
    if (pairs.states_before is None) != (pairs.states_after is None):
        raise ContractError("it gives the states before or after each pair, but not both", domain)
    for name in STATES if pairs.states_before is not None else ():
        states = getattr(pairs, name)
        _check_array(name, states, (len(pairs), *np.shape(states)[1:2]), domain)


def _check_array(name: str, array: object, shape: tuple[int, ...], domain: Domain) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.uint8 or array.shape != shape:
        there = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ContractError(f"'{name}' of its pairs must be uint8 {shape}, not {there}", domain)


def load(path: Path) -> Transitions:
    """Read a data set and verify it against the hashes written with it."""
    if not path.is_file():
        raise InputError(f"there is no data set '{path}'")
    try:
        with np.load(path, allow_pickle=False) as archive:
            metadata = json.loads(archive["metadata"].tobytes())
            arrays = {name: archive[name] for name in (*PICTURES, *STATES) if name in archive or name in PICTURES}
        damaged = _damage(metadata, arrays)
    except Exception as error:  # a damaged archive may raise anything: zlib.error, BadZipFile, KeyError …
        raise InputError(f"data set '{path}' is damaged, or not a data set ({error}): make it again") from error
    if damaged:
        raise InputError(f"data set '{path}' is damaged ({damaged}): make it again")
    sizes = metadata.get("sizes", _usual_sizes(len(arrays["before"])))  # the first format has none
    known = metadata["spec"], metadata["seed"], (sizes[0], sizes[1]), metadata.get("note", "")
    return Transitions(Pairs(**arrays), *known)


def load_findings(path: Path) -> dict[str, NDArray[Any]]:
    """Read what a domain found when the data set was made; empty if it did not have to explore."""
    with np.load(path, allow_pickle=False) as archive:
        return {name.removeprefix(FOUND): archive[name] for name in archive.files if name.startswith(FOUND)}


def _damage(metadata: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    """Return what is wrong with a data set, or ""."""
    if metadata["format"] not in READABLE:
        return f"its format is {metadata['format']}, this version reads {' and '.join(map(str, READABLE))}"
    sizes = metadata.get("sizes")
    if sizes is not None and (len(sizes) != 2 or min(sizes) < 1 or sum(sizes) >= len(arrays["before"])):
        return "the sizes of its parts do not add up"
    for name, array in arrays.items():
        if sha256_of(array) != metadata["sha256"][name]:
            return f"the hash of '{name}' does not match"
    return ""
