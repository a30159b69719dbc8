"""Data sets: transitions as pairs of pictures, split for training, validation and test, kept in one verified file."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.errors import ContractError, InputError, UsageError
from cubespace.base.files import replacing
from cubespace.data.domain import Domain, Pairs, StateSpace

FORMAT = 1
HELD_OUT = 0.05  # for validation, and as much again for test
FEWEST = 4  # two transitions to learn from, since batch norm needs two, and one for each other part
PICTURES = ("before", "after")
STATES = ("states_before", "states_after")  # where the domain knows them


@attrs.frozen(eq=False)
class Transitions:
    """A data set in the order of its split, so that each part is a slice, and what it was made from."""

    pairs: Pairs
    spec: str
    seed: int

    @property
    def held_out(self) -> int:
        """Return how many transitions are held out for validation, and how many for test."""
        return max(1, round(HELD_OUT * len(self.pairs)))

    @property
    def train(self) -> Pairs:
        """Return the nine tenths to learn from."""
        return self.pairs[: len(self.pairs) - 2 * self.held_out]

    @property
    def validation(self) -> Pairs:
        """Return the twentieth to tune with."""
        return self.pairs[len(self.pairs) - 2 * self.held_out : len(self.pairs) - self.held_out]

    @property
    def test(self) -> Pairs:
        """Return the twentieth to report on."""
        return self.pairs[len(self.pairs) - self.held_out :]

    def check_drawn_by(self, domain: Domain, probes: int = 32) -> None:
        """Raise unless ``domain`` draws the stored states as they were drawn: its picture file may have changed."""
        some = self.pairs[:probes]
        if some.states_before is None or not isinstance(domain, StateSpace):
            return
        same = some.before.shape[1:] == domain.image_shape
        if not same or not np.array_equal(domain.render(some.states_before), some.before):
            raise InputError(f"domain '{self.spec}' no longer draws the pictures of this data set: make the data again")

    def save(self, path: Path) -> None:
        """Write the data set as one compressed ``.npz``, whole or not at all."""
        given = {name: getattr(self.pairs, name) for name in (*PICTURES, *STATES)}
        arrays = {name: np.ascontiguousarray(array) for name, array in given.items() if array is not None}
        hashes = {name: _sha256(array) for name, array in arrays.items()}
        metadata = json.dumps({"format": FORMAT, "spec": self.spec, "seed": self.seed, "sha256": hashes})
        arrays["metadata"] = np.frombuffer(metadata.encode(), dtype=np.uint8)
        with replacing(path) as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)


def make(domain: Domain, spec: str, count: int | None, seed: int) -> Transitions:
    """Draw ``count`` transitions of ``domain``, whose spec text is ``spec``; the seed fixes both draw and split."""
    draw, split = (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2))
    check_count(domain, count)
    pairs = domain.sample(count, draw)
    check_pairs(pairs, domain)
    if len(pairs) < FEWEST:
        raise UsageError(f"{len(pairs)} transitions cannot be split in three: at least {FEWEST} are needed")
    if np.array_equal(pairs.before, pairs.after):
        raise InputError(
            f"nothing changes in any of the {len(pairs)} pairs of '{spec}': each has the same picture before and after"
        )
    return Transitions(pairs[split.permutation(len(pairs))], spec, seed)


def check_count(domain: Domain, count: int | None) -> None:
    """Raise if so many pictures do not fit into the memory of this machine."""
    needed = 0 if count is None else 2 * count * math.prod(domain.image_shape)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > there:
        raise UsageError(
            f"{count:,} transitions need {needed / 1e9:,.0f} GB for their pictures, this machine has {there / 1e9:,.0f}"
        )


def check_pairs(pairs: object, domain: Domain) -> None:
    """Raise a :class:`ContractError` if a domain has drawn something else than pairs of pictures."""
    if not isinstance(pairs, Pairs):
        raise ContractError(f"it drew {type(pairs).__name__}, not Pairs", domain)
    shape = tuple(domain.image_shape)
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[2] != 3):
        raise ContractError(f"its image_shape is {shape}, not (height, width) or (height, width, 3)", domain)
    for name in PICTURES:
        _check_array(name, getattr(pairs, name), (len(pairs.before), *shape), domain)
    if (pairs.states_before is None) != (pairs.states_after is None):
        raise ContractError("it knows the states of one half of the pairs only", domain)
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
    except Exception as error:  # a damaged archive raises anything: zlib.error, BadZipFile, KeyError …
        raise InputError(f"data set '{path}' is damaged, or not a data set ({error}): make it again") from error
    if damaged:
        raise InputError(f"data set '{path}' is damaged ({damaged}): make it again")
    return Transitions(Pairs(**arrays), metadata["spec"], metadata["seed"])


def _damage(metadata: dict[str, Any], arrays: dict[str, NDArray[np.uint8]]) -> str:
    """Return what is wrong with a data set, or nothing."""
    if metadata["format"] != FORMAT:
        return f"its format is {metadata['format']}, not {FORMAT}"
    for name, array in arrays.items():
        if _sha256(array) != metadata["sha256"][name]:
            return f"the hash of '{name}' does not match"
    return ""


def _sha256(array: NDArray[np.uint8]) -> str:
    """Hash the values of an array and its shape."""
    digest = hashlib.sha256(f"{array.dtype} {array.shape} ".encode())
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
