"""A level of DeepCubeAI: its states and pictures are those of that package, without its action labels."""

from __future__ import annotations

import contextlib
import importlib
import io
from copy import deepcopy
from typing import Any, Literal

import attrs
import numpy as np
from attrs.validators import and_, ge, le, lt

from cubespace.base.errors import UsageError
from cubespace.base.options import option
from cubespace.data.explored import ExploredWorld
from cubespace.data.level import Level, Picture, Snapshot, Step

INSTALL = "pip install --no-deps deepcubeai==0.2.1 opencv-python-headless"
WORLDS = {  # by our name: the module and the class of DeepCubeAI
    "ice-slider": ("ice_slider", "IceSliderEnvironment"),
    "digit-jump": ("digit_jump", "DigitJumpEnvironment"),
    "sokoban": ("sokoban", "Sokoban"),
}


@attrs.frozen(kw_only=True)
class Options:
    """Which level of which world."""

    world: Literal["ice-slider", "digit-jump", "sokoban"] = option("ice-slider", "the world")
    seed: int = option(0, "the seed of the level; of Sokoban, the number of a level that the package ships", ge(0))
    limit: int = option(10_000, "how many states to look for before giving up", and_(ge(1), le(1 << 16)))
    held_out: float = option(0.0, "fraction of the moves that no training pair shows", and_(ge(0.0), lt(1.0)))


class DeepCube(ExploredWorld):
    """A level of DeepCubeAI, all its states explored."""

    Options = Options

    def __init__(self, options: Options) -> None:
        super().__init__(lambda: DeepCubeLevel(options), options.limit, options.held_out)


class DeepCubeLevel(Level):
    """One level; a snapshot is a state of DeepCubeAI."""

    def __init__(self, options: Options) -> None:
        self.env = _make(options.world)
        self.name = f"{options.world} {options.seed}"
        self.actions = tuple(str(action) for action in range(self.env.num_actions_max))
        self.start = self._level(options)
        self.picture = self._look(self.start)

    def step(self, snapshot: Snapshot, action: int, luck: int | None = None) -> Step:
        """Do an action; one that is not possible changes nothing."""
        del luck  # nothing is random
        (following,), _ = self.env.next_state([deepcopy(snapshot)], [action])
        return Step(following, self._look(following))

    def _level(self, options: Options) -> Snapshot:
        if options.world != "sokoban":
            return self.env.generate_start_states(1, level_seeds=[options.seed])[0]
        levels = self.env.states_train  # ``generate_start_states`` picks one of them at random
        if options.seed >= len(levels):
            raise UsageError(f"DeepCubeAI ships {len(levels)} levels of Sokoban, there is no number {options.seed}")
        return levels[options.seed]

    def _look(self, state: Snapshot) -> Picture:
        drawn = self.env.state_to_real([state])[0]  # (3, height, width), from 0 to 1
        return np.rint(255 * np.moveaxis(drawn, 0, -1)).astype(np.uint8)


def _make(world: str) -> Any:
    """Build an environment of DeepCubeAI, which prints what it unpacks."""
    module, name = WORLDS[world]
    try:
        environments = importlib.import_module(f"deepcubeai.environments.{module}")
    except ImportError as error:
        raise UsageError(f"domain 'deepcubeai' needs DeepCubeAI ({error}): {INSTALL}") from error
    with contextlib.redirect_stdout(io.StringIO()):
        return getattr(environments, name)()
