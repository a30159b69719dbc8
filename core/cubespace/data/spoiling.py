"""Spoiled data: imperfect pictures and pairs made from clean ones, to test how robust learning is."""

from __future__ import annotations

from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices, States
from cubespace.base.errors import UsageError
from cubespace.data.camera_judge import Sharpener
from cubespace.data.domain import Domain, Pairs, Placing, Simulator, StateSpace
from cubespace.data.spoiled_camera import lay_down, margin, photograph, pick_up
from cubespace.data.spoiled_pictures import spoil_pixels, spoil_scene
from cubespace.settings.run_config import Spoiling

LAMP = 4  # pixels, the side of a lamp; a dark strip of two pixels more is added below the picture for them
STRIP = LAMP + 2
LAMP_EVERY = 9  # pixels from one lamp to the next
Places = NDArray[np.float32] | None  # (states, variables, 3): right, down, turned; None: everything is where it should


def spoil(domain: Domain, spoiling: Spoiling, *seeds: int) -> Domain:
    """Return a domain whose pictures and pairs are spoiled, with seeds of their own; the clean domain still judges."""
    if not spoiling.any:
        return domain
    rng = np.random.default_rng([*seeds, 0x5B01])
    if spoiling.misplaced and not isinstance(domain, Placing):
        raise UsageError(
            "data.spoil.place and place_turn need a domain that draws each thing by itself, such as blocks; this one "
            "cannot put things down inexactly"
        )
    if isinstance(domain, Simulator):
        return SpoiledSimulator(domain, spoiling, rng)
    if spoiling.walks is not None:
        raise UsageError("walks need a domain that knows its states")
    return SpoiledPairs(domain, spoiling, rng)


def clean(domain: Domain) -> Domain:
    """Return the clean domain behind a spoiled one, or the domain itself."""
    return domain.clean if isinstance(domain, SpoiledPairs | SpoiledSimulator) else domain


class SpoiledPairs(Domain):
    """Pairs of another domain, spoiled."""

    def __init__(self, clean: Domain, spoiling: Spoiling, rng: np.random.Generator) -> None:
        self.clean, self.spoiling, self.rng = clean, spoiling, rng

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape of the pictures, with the ground around them and the strip of the lamps."""
        return _spoiled_shape(self.clean.image_shape, self.spoiling)

    @property
    def resizes(self) -> bool:
        """Return whether the other domain does; never with lamps or ground, which pictures of another size lack."""
        return self.clean.resizes and not self.spoiling.blink and not margin(self.spoiling)

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw pairs of the other domain and spoil them."""
        pairs = self.clean.sample(count, rng)
        before, after = (spoil_pictures(images, self.spoiling, self.rng) for images in (pairs.before, pairs.after))
        return mismatch(attrs.evolve(pairs, before=before, after=after), self.spoiling.wrong, self.rng)


class SpoiledSimulator(Simulator):
    """A simulator whose pictures are spoiled each time they are drawn, and whose pairs may come from walks."""

    def __init__(self, clean: Simulator, spoiling: Spoiling, rng: np.random.Generator) -> None:
        self.clean, self.spoiling, self.rng = clean, spoiling, rng
        self.reversible = clean.reversible

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the shape of the pictures, with the ground around them and the strip of the lamps."""
        return _spoiled_shape(self.clean.image_shape, self.spoiling)

    @property
    def radices(self) -> tuple[int, ...]:
        """Return those of the clean simulator."""
        return self.clean.radices

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw states as the clean simulator does."""
        return self.clean.random_states(count, rng)

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return the moves of the clean simulator."""
        return self.clean.successors(states)

    def predecessors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Return the moves of the clean simulator, backwards."""
        return self.clean.predecessors(states)

    def goal(self) -> States:
        """Return the goal of the clean simulator."""
        return self.clean.goal()

    def render(self, states: States) -> Images:
        """Draw the states and spoil the pictures, differently each time."""
        return self._render(states, self._placed(len(states)))

    def _render(self, states: States, places: Places) -> Images:
        if places is not None and isinstance(self.clean, Placing):
            drawn = self.clean.render_placed(states, places)
        else:
            drawn = self.clean.render(states)
        return spoil_pictures(drawn, self.spoiling, self.rng)

    def _placed(self, count: int) -> Places:
        """Return by how much each thing misses its place, (states, variables, 3); None if nothing does."""
        if not self.spoiling.misplaced:
            return None
        most = np.array([self.spoiling.place, self.spoiling.place, self.spoiling.place_turn])
        return (most * self.rng.uniform(-1, 1, (count, len(self.radices), 3))).astype(np.float32)

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Let the clean simulator read the pictures, without what is around them."""
        if self.spoiling.misplaced and isinstance(self.clean, Placing):
            return self.clean.read_placed(pick_up(self._without_lamps(images), self.spoiling))
        return self.clean.read(self._alone(images))

    def faults(self, images: Images) -> list[str]:
        """Let the clean simulator say what is impossible."""
        return self.clean.faults(self._alone(images))

    def _alone(self, images: Images) -> Images:
        """Return the pictures without lamps and ground and, if a camera took them, as sharp as they were drawn."""
        seen = self._without_lamps(images)
        moved = self.spoiling.shaking or self.spoiling.shift
        if moved and not self.clean.reads_blurred:
            return self._sharpener.sharp(seen)
        return pick_up(seen, self.spoiling)

    def _without_lamps(self, images: Images) -> Images:
        return np.ascontiguousarray(images[:, : self.clean.image_shape[0] + 2 * margin(self.spoiling)])

    @cached_property
    def _sharpener(self) -> Sharpener:
        return Sharpener.of(self.clean, self.spoiling)

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        """Draw pairs, or walks cut into pairs, and mix some of them up."""
        spoiling, number = self.spoiling, self.clean.usual_pairs if count is None else count
        if spoiling.walks is None:
            before, after = self.clean.random_moves(number, rng)
            episodes = None
        else:
            before, after, episodes = walk(self.clean, number, spoiling, rng)
        old = self._placed(len(before))
        new = None if old is None else self._put_down(old, before != after)
        pairs = Pairs(self._render(before, old), self._render(after, new), before, after, episodes)
        return mismatch(pairs, spoiling.wrong, self.rng)

    def _put_down(self, places: NDArray[np.float32], moved: NDArray[np.bool_]) -> Places:
        """Return where things lie after an action: those that it moves are put down anew."""
        new = self._placed(len(places))
        return None if new is None else np.where(moved[:, :, None], new, places)


def _spoiled_shape(shape: tuple[int, ...], spoiling: Spoiling) -> tuple[int, ...]:
    """Return the shape of pictures with the ground around them and the strip of the lamps below."""
    (height, width, *colours), around = shape, 2 * margin(spoiling)
    return (height + around + (STRIP if spoiling.blink else 0), width + around, *colours)


def walk(space: StateSpace, count: int, spoiling: Spoiling, rng: np.random.Generator) -> tuple[States, States, Indices]:
    """Return about ``count`` moves of random walks: the states before and after each, and the number of its walk.

    A walk that comes to an end starts again as another walk, and so does every walk after ``restart`` steps.
    """
    walks = spoiling.walks or 1
    states, number, fresh = _starts(space, walks, spoiling, rng), np.arange(walks), walks
    rows: list[tuple[States, States, Indices]] = []
    for step in range(-(-count // walks)):
        children, parents = space.successors(states)
        degrees = np.bincount(parents, minlength=walks)
        again = spoiling.restart is not None and step > 0 and step % spoiling.restart == 0
        while (ended := np.flatnonzero((degrees == 0) | again)).size:
            states[ended] = _starts(space, len(ended), spoiling, rng)
            number[ended], fresh, again = fresh + np.arange(len(ended)), fresh + len(ended), False
            children, parents = space.successors(states)
            degrees = np.bincount(parents, minlength=walks)
            if spoiling.from_goal and not degrees.any():
                raise UsageError("no move leads away from the goal: begin walks elsewhere")
        following = children[np.cumsum(degrees) - degrees + rng.integers(degrees)]
        rows.append((states, following, number.copy()))
        states = following.copy()
    before, after, numbers = (np.concatenate(part)[:count] for part in zip(*rows, strict=True))
    return before, after, numbers


def _starts(space: StateSpace, count: int, spoiling: Spoiling, rng: np.random.Generator) -> States:
    """Return where walks begin."""
    return np.repeat(space.goal(), count, axis=0) if spoiling.from_goal else space.random_states(count, rng)


def mismatch(pairs: Pairs, fraction: float, rng: np.random.Generator) -> Pairs:
    """Return the pairs with some second pictures swapped between them."""
    chosen = np.flatnonzero(rng.random(len(pairs)) < fraction)
    if len(chosen) < 2:
        return pairs
    partner = np.arange(len(pairs))
    partner[chosen] = np.roll(rng.permutation(chosen), 1)
    states = None if pairs.states_after is None else pairs.states_after[partner]
    return Pairs(pairs.before, pairs.after[partner], pairs.states_before, states, pairs.episodes)


def spoil_pictures(images: Images, spoiling: Spoiling, rng: np.random.Generator, chunk: int = 1000) -> Images:
    """Return pictures on their ground, photographed, with lamps below, in another light, noisy, in this order."""
    if not spoiling.pictures:
        return images
    parts = [_spoiled(images[start : start + chunk], spoiling, rng) for start in range(0, len(images), chunk)]
    return np.concatenate(parts) if parts else _spoiled(images, spoiling, rng)


def _spoiled(images: Images, spoiling: Spoiling, rng: np.random.Generator) -> Images:
    images = photograph(lay_down(images, spoiling), spoiling, rng)
    if spoiling.shift:
        images = _shifted(images, spoiling.shift, rng)
    if spoiling.blink:
        strip = np.zeros((len(images), STRIP, *images.shape[2:]), dtype=np.uint8)
        for lamp in range(spoiling.blink):
            lit = rng.random(len(images)) < 0.5
            strip[lit, 1 : 1 + LAMP, 2 + LAMP_EVERY * lamp : 2 + LAMP_EVERY * lamp + LAMP] = 255
        images = np.concatenate([images, strip], axis=1)
    return spoil_pixels(_dim_and_noisy(spoil_scene(images, spoiling, rng), spoiling, rng), spoiling, rng)


def _dim_and_noisy(images: Images, spoiling: Spoiling, rng: np.random.Generator) -> Images:
    if not spoiling.light and not spoiling.noise:
        return images
    pixels = images.astype(np.float32)
    light = rng.uniform(1 - spoiling.light, 1, (len(images), *[1] * (images.ndim - 1)))
    pixels = pixels * light.astype(np.float32) + rng.normal(0, 255 * spoiling.noise, images.shape).astype(np.float32)
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def _shifted(images: Images, most: int, rng: np.random.Generator) -> Images:
    """Return pictures moved by up to ``most`` pixels each way; what comes in from outside repeats the edge."""
    height, width = images.shape[1:3]
    padding = [(0, 0), (most, most), (most, most)] + [(0, 0)] * (images.ndim - 3)
    padded = np.pad(images, padding, mode="edge")
    down, right = rng.integers(0, 2 * most + 1, (2, len(images)))
    return np.stack([picture[y : y + height, x : x + width] for picture, y, x in zip(padded, down, right, strict=True)])
