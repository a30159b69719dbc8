"""A problem of PDDLGym: its states are sets of facts, its pictures those that PDDLGym draws."""

from __future__ import annotations

import importlib
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from attrs.validators import and_, ge, le, lt
from PIL import Image

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import option
from cubespace.data.explored import ExploredWorld
from cubespace.data.level import Level, Picture, Snapshot, Step

INSTALL = "pip install --no-deps pddlgym gym gym-notices; pip install networkx"
PROBLEMS = Path(__file__).with_name("problems")
CRISP = ("sokoban",)  # drawn cell by cell; PDDLGym's default takes a second for each picture


@attrs.frozen(kw_only=True)
class Options:
    """Which problem of which domain, and how large its pictures are."""

    env: str | None = option(None, "a domain of PDDLGym, such as hanoi; the problem's name begins with it if left out")
    problem: Path | None = option(None, "a problem file: one of this package, as hanoi-4-4.pddl, or your own")
    index: int = option(0, "the number of a problem that PDDLGym ships, if no file is given", ge(0))
    longest: int = option(64, "the longer side of a picture, in pixels", and_(ge(8), le(512)))
    limit: int = option(10_000, "how many states to look for before giving up", and_(ge(1), le(1 << 16)))
    held_out: float = option(0.0, "fraction of the moves that no training pair shows", and_(ge(0.0), lt(1.0)))


class PddlGym(ExploredWorld):
    """A problem of PDDLGym, all its states explored; reaching the goal of the problem does not end anything."""

    Options = Options

    def __init__(self, options: Options) -> None:
        super().__init__(lambda: Problem(options), options.limit, options.held_out)


class Problem(Level):
    """One problem; a snapshot is a state of PDDLGym, which never changes."""

    def __init__(self, options: Options) -> None:
        self.longest = options.longest
        file = _problem_file(options)
        domain = options.env or ("hanoi" if file is None else file.stem.partition("-")[0])
        self.name, self.crisp = domain if file is None else file.stem, domain in CRISP
        self.env = _make(domain, file, options.index)
        self.start, _ = self.env.reset()
        ground = sorted(self.env.action_space.all_ground_literals(self.start, valid_only=False), key=str)
        self.ground = ground
        self.actions = tuple(str(action) for action in ground)
        self.derived = any(predicate.is_derived for predicate in self.env.domain.predicates.values())
        self.known: dict[tuple[frozenset[Any], int], Step] = {}
        self.pictures: dict[frozenset[Any], Picture] = {}
        self.picture = self._look(self.start)

    def step(self, snapshot: Snapshot, action: int, luck: int | None = None) -> Step:
        """Do an action; one that is not possible changes nothing."""
        del luck  # nothing is random
        tried = frozenset(snapshot.literals), action
        if tried not in self.known:
            following = self._following(snapshot, action)
            self.known[tried] = Step(following, self._look(following))
        return self.known[tried]

    def _following(self, state: Snapshot, action: int) -> Snapshot:
        """Return the state after an action.

        ``env.step`` would also look for derived facts, for seconds, in domains that have none.
        """
        if self.derived:
            self.env.set_state(state)
            return self.env.step(self.ground[action])[0]
        core = importlib.import_module("pddlgym.core")
        return core.get_successor_state(state, self.ground[action], self.env.domain)

    def _look(self, state: Snapshot) -> Picture:
        """Return the picture of a state, drawn once."""
        facts = frozenset(state.literals)
        if facts not in self.pictures:
            self.env.set_state(state)
            self.pictures[facts] = self._drawn()
        return self.pictures[facts]

    def _drawn(self) -> Picture:
        drawn = np.asarray(self.env.render(mode="human_crisp") if self.crisp else self.env.render())[..., :3]
        frame = np.clip(np.rint(255 * drawn if drawn.dtype != np.uint8 else drawn), 0, 255).astype(np.uint8)
        _close_figures()
        height, width = (max(1, round(side * self.longest / max(frame.shape[:2]))) for side in frame.shape[:2])
        return np.asarray(Image.fromarray(frame).resize((width, height), Image.Resampling.BOX))


def _problem_file(options: Options) -> Path | None:
    if options.problem is None:
        return None
    for file in (options.problem, PROBLEMS / options.problem):
        if file.is_file():
            return file
    shipped = ", ".join(sorted(each.name for each in PROBLEMS.glob("*.pddl")))
    raise InputError(f"there is no problem '{options.problem}'; this package has {shipped}")


def _make(domain: str, file: Path | None, index: int) -> Any:
    """Build the environment of one problem."""
    pddlgym = _import()
    folder = Path(pddlgym.__file__).parent / "pddl"
    known = sorted(each.stem for each in folder.glob("*.pddl"))
    if domain not in known:
        raise UsageError(f"PDDLGym has no domain '{domain}'. Available: {', '.join(known)}.")
    render = importlib.import_module("pddlgym.rendering")
    draw = getattr(render, f"{domain}_render", None) or getattr(render, f"{domain.partition('_')[0]}_render", None)
    if draw is None:
        raise UsageError(f"PDDLGym cannot draw the domain '{domain}'")
    if file is None:
        env = pddlgym.core.PDDLEnv(str(folder / f"{domain}.pddl"), str(folder / domain), render=draw)
        if index >= len(env.problems):
            raise UsageError(f"PDDLGym has {len(env.problems)} problems of '{domain}', there is no number {index}")
        env.fix_problem_index(index)
        return env
    with tempfile.TemporaryDirectory() as place:  # PDDLGym reads all problems of a folder
        shutil.copy(file, place)
        env = pddlgym.core.PDDLEnv(str(folder / f"{domain}.pddl"), place, render=draw)
    env.fix_problem_index(0)
    return env


def _import() -> Any:
    """Import PDDLGym, which needs two names that its libraries have renamed since."""
    Image.ANTIALIAS = Image.Resampling.LANCZOS  # type: ignore[attr-defined]
    np.bool8 = np.bool_  # type: ignore[attr-defined]
    import matplotlib

    matplotlib.use("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module("pddlgym")
        except ImportError as error:
            raise UsageError(f"domain 'pddlgym' needs PDDLGym ({error}): {INSTALL}") from error


def _close_figures() -> None:
    import matplotlib.pyplot as plt

    plt.close("all")
