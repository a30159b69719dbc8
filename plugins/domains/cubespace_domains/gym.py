"""Levels of Gymnasium: anything with discrete actions and a picture, explored or sampled by random walks."""

from __future__ import annotations

import copy
import enum
import importlib
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, Literal

import attrs
import numpy as np
from attrs.validators import and_, ge, le, lt
from PIL import Image

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import option
from cubespace.data.explored import USUAL_STEPS, ExploredWorld, WalkedLevel
from cubespace.data.level import Level, Picture, Snapshot, Step
from cubespace.data.world import MOST_FRAMES
from cubespace_domains.sizes import check_size, parse_size

INSTALL = "pip install 'cubespace[gym]'"
SHARED = ("P", "action_space", "observation_space", "spec")  # what no step changes: all snapshots share it
CORNERS = 4  # numbers that a crop needs: top, left, height, width


def _check_crop(_: object, __: object, value: tuple[int, ...]) -> None:
    if value and (len(value) != CORNERS or min(value) < 0 or min(value[2:]) == 0):
        raise ValueError(f"'{'+'.join(map(str, value))}' is not of the form TOP+LEFT+HEIGHT+WIDTH, as in 0+0+30+30")


def _check_arguments(_: object, __: object, value: tuple[str, ...]) -> None:
    for item in value:
        if not re.fullmatch(r"\w+:.+", item):
            raise ValueError(f"'{item}' is not of the form KEY:VALUE, as in arguments=is_slippery:false+map_name:8x8")


@attrs.frozen(kw_only=True)
class GymOptions:
    """Which environment, which level of it, which actions, and how its frames become pictures."""

    id: str | None = option(None, "the environment, as gymnasium.make takes it: MiniGrid-DoorKey-5x5-v0")
    arguments: tuple[str, ...] = option((), "arguments for gymnasium.make, KEY:VALUE+KEY:VALUE", _check_arguments)
    level: int = option(0, "the seed of reset(), which chooses the level", ge(0))
    actions: tuple[int, ...] = option((), "the numbers of the actions to use, joined by +; all if left out")
    frame: Literal["auto", "render", "get_frame"] = option(
        "auto", "where the frame comes from: render(), or MiniGrid's get_frame() without highlight; auto: what it has"
    )
    tile: int = option(6, "pixels of a cell in get_frame()", and_(ge(2), le(64)))
    crop: tuple[int, ...] = option((), "the part of the frame to use, TOP+LEFT+HEIGHT+WIDTH", _check_crop)
    resize: str | None = option(None, "scale frames to HEIGHTxWIDTH", check_size)
    longest: int = option(72, "frames with a longer side are scaled down to it, unless resize is given", ge(8))


@attrs.frozen(kw_only=True)
class ExploredOptions(GymOptions):
    """How far to explore, and how many moves are kept out of training."""

    limit: int = option(10_000, "how many states to look for before giving up", and_(ge(1), le(MOST_FRAMES)))
    held_out: float = option(0.0, "fraction of the moves that no training pair shows", and_(ge(0.0), lt(1.0)))


@attrs.frozen(kw_only=True)
class WalkOptions(GymOptions):
    """How long to walk."""

    steps: int = option(USUAL_STEPS, "steps of a walk before it starts again", ge(1))


class GymWorld(ExploredWorld):
    """A level of Gymnasium whose states have all been found."""

    revision = 1
    Options = ExploredOptions

    def __init__(self, options: ExploredOptions) -> None:
        super().__init__(lambda: GymLevel(options), options.limit, options.held_out)


class GymWalks(WalkedLevel):
    """Random walks through a level of Gymnasium."""

    revision = 1
    Options = WalkOptions

    def __init__(self, options: WalkOptions) -> None:
        super().__init__(lambda: GymLevel(options), options.steps)


class GymLevel(Level):
    """One level of an environment of Gymnasium; a snapshot is a copy of the whole environment."""

    def __init__(self, options: GymOptions) -> None:
        self.options = options
        self.name = str(options.id)
        env = _make(options)
        self.numbers = _actions(env, options)
        self.actions = _names(env, self.numbers)
        env.reset(seed=options.level)
        self.picture = self._look(env)  # before anything is shared: the first picture loads what drawing needs
        self._shared = [name for name, value in vars(env).items() if name in SHARED or not _copyable(value)]
        self.start: Snapshot = env

    def step(self, snapshot: Snapshot, action: int, luck: int | None = None) -> Step:
        """Do an action in a copy of a snapshot."""
        env = self._copy(snapshot)
        if luck is not None:
            env.np_random = np.random.default_rng(luck)
        try:
            _, reward, over, _, _ = env.step(self.numbers[action])
        except Exception as error:  # environments may raise anything
            reason = f"action {self.numbers[action]} raises {type(error).__name__}: {error}"
            raise InputError(f"environment '{self.name}': {reason}; leave it out with actions=") from error
        return Step(env, self._look(env), bool(over), float(reward))

    def draws(self, snapshot: Snapshot, step: Step) -> bool:
        """Return whether a step has used random numbers."""
        states = (each.np_random.bit_generator.state for each in (snapshot, step.snapshot))
        return str(next(states)) != str(next(states))

    def _copy(self, env: Snapshot) -> Snapshot:
        values = vars(env)
        shared = [values[name] for name in self._shared if name in values]
        return copy.deepcopy(env, {id(value): value for value in shared})

    def _look(self, env: Snapshot) -> Picture:
        """Return the picture of an environment in its present state."""
        options = self.options
        by_cells = options.frame == "get_frame" or (options.frame == "auto" and hasattr(env, "get_frame"))
        try:
            drawn = env.get_frame(highlight=False, tile_size=options.tile) if by_cells else env.render()
        except Exception as error:  # environments may raise anything
            raise InputError(f"environment '{options.id}' cannot draw itself: {error}") from error
        frame = np.asarray(drawn)
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3:
            raise InputError(f"environment '{options.id}' draws {frame.dtype} {frame.shape}, not a picture in colour")
        return self._fitted(frame)

    def _fitted(self, frame: Picture) -> Picture:
        if self.options.crop:
            top, left, height, width = self.options.crop
            if top + height > frame.shape[0] or left + width > frame.shape[1]:
                raise UsageError(f"crop= does not fit into a frame of {frame.shape[0]}x{frame.shape[1]} pixels")
            frame = frame[top : top + height, left : left + width]
        size, longest = frame.shape[:2], max(frame.shape[:2])
        if self.options.resize is not None:
            size = parse_size(self.options.resize)
        elif longest > self.options.longest:
            size = tuple(max(1, round(side * self.options.longest / longest)) for side in size)
        if size == frame.shape[:2]:
            return np.ascontiguousarray(frame)
        return np.asarray(Image.fromarray(frame).resize((size[1], size[0]), Image.Resampling.BOX))


def _make(options: GymOptions) -> Any:
    """Build the environment, without the wrapper that ends long episodes."""
    if options.id is None:
        raise UsageError("domain 'gym' needs id=NAME, such as gym:id=MiniGrid-DoorKey-5x5-v0")
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # drawing must not need a screen
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        gymnasium: Any = importlib.import_module("gymnasium")
    except ImportError as error:
        raise UsageError(f"domain 'gym' needs the package gymnasium: {INSTALL}") from error
    gymnasium.logger.min_level = gymnasium.logger.ERROR
    if "minigrid" not in sys.modules and options.id.startswith(("MiniGrid", "BabyAI")):
        try:
            importlib.import_module("minigrid")  # registers its levels
        except ImportError as error:
            raise UsageError(f"'{options.id}' needs the package minigrid: {INSTALL}") from error
    arguments = dict(_argument(item) for item in options.arguments)
    try:
        return gymnasium.make(options.id, render_mode="rgb_array", **arguments).unwrapped
    except Exception as error:  # environments may raise anything
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(f"environment '{options.id}' cannot be made: {first}") from error


def _argument(item: str) -> tuple[str, object]:
    """Read ``key:value``; the value is JSON, or else a text."""
    key, _, value = item.partition(":")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _actions(env: Any, options: GymOptions) -> Sequence[int]:
    count = getattr(env.action_space, "n", None)
    if count is None:
        raise UsageError(f"environment '{options.id}' has no discrete actions, but {env.action_space}")
    first = int(getattr(env.action_space, "start", 0))
    known = range(first, first + int(count))
    wrong = [action for action in options.actions if action not in known]
    if wrong:
        raise UsageError(f"environment '{options.id}' has actions {known.start} to {known.stop - 1}, not {wrong[0]}")
    return options.actions or tuple(known)


def _names(env: Any, numbers: Sequence[int]) -> tuple[str, ...]:
    """Return the environment's names of its actions, as in MiniGrid, or else their numbers."""
    named: Any = getattr(env, "actions", None)
    members: dict[str, Any] = dict(named.__members__) if isinstance(named, enum.EnumMeta) else {}
    called = {int(member): name for name, member in members.items()}
    return tuple(called.get(number, str(number)) for number in numbers)


def _copyable(value: object) -> bool:
    """Return whether a snapshot can hold a copy of this; surfaces and clocks of pygame are drawn over each time."""
    first = next(iter(value), value) if isinstance(value, (list, tuple)) else value
    if type(first).__module__.partition(".")[0] == "pygame":
        return False
    try:
        copy.deepcopy(value)
    except Exception:  # whatever it is, it cannot be copied
        return False
    return True
