"""What the page can ask for: pictures, states of a simulator, searches. Knows nothing of HTTP."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Mapping
from functools import partial

import attrs
import numpy as np

from cubespace.base.arrays import Images, States
from cubespace.base.errors import CubeNote, UsageError
from cubespace.base.observer import Observer
from cubespace.data.domain import Judge, StateSpace
from cubespace.plugins.blame import blame, reason
from cubespace.runs.pictures.solving import check_pictures
from cubespace.search.solver import Limits, Solver
from cubespace.studio.searches import Searches
from cubespace.studio.shelf import Item, Shelf
from cubespace.studio.shown import ShownPlan, Tell, shown_picture, shown_plan
from cubespace.studio.source import Source, instances

MAX_UPLOAD = 16 << 20  # bytes of a picture file
MAX_MOVES = 64  # of one state, on the page
SHUFFLE = 60  # random moves
MAX_FOUND = 60  # plans of a session that are kept, to be saved with the page

Answer = dict[str, object]  # for JSON


class Studio:
    """A model, the pictures on the page, and the searches between them. Every method may be called by any thread."""

    def __init__(
        self, source: Source, planners: Mapping[str, Solver], limits: Limits, tell: Tell, observer: Observer
    ) -> None:
        self.source, self.planners, self.limits, self.tell, self.observer = source, planners, limits, tell, observer
        self.planning = source.planning
        self.shelf = Shelf()
        self.searches = Searches(self.complain)
        self.found: list[ShownPlan] = []  # plans of this session, the latest last
        self._lock = threading.Lock()  # one picture is decoded, and one state drawn, at a time
        self._rng = np.random.default_rng()
        self.pictures = [self._keep(Item(one[None]), "a picture held out", fixed=True) for one in source.pictures]
        self.instances = [self._instance(problem.init, problem.goal) for problem in instances(source.solved)]

    @property
    def simulator(self) -> StateSpace | None:
        """Return what knows the moves, if the domain does and can read pictures."""
        domain = self.planning.domain
        return domain if isinstance(domain, StateSpace) and isinstance(domain, Judge) else None

    def take(self, data: bytes) -> Answer:
        """Take a picture file, as bytes, in the size and colours of the run's pictures."""
        with self._lock, warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always", CubeNote)
            picture = self.planning.picture(data, resize=True)
        told = [str(note.message) for note in notes if issubclass(note.category, CubeNote)]
        return {**self._keep(Item(picture), "a picture of yours"), "notes": told}

    def state(self, kind: str) -> Answer:
        """Draw a state of the simulator: a random one, or its usual goal."""
        space = self._space()
        with self._lock, blame(self.planning.domain):
            states = space.random_states(1, self._rng) if kind == "random" else space.goal()
            return self._keep(Item(space.render(states), states), "a random state" if kind == "random" else "the goal")

    def shuffle(self, number: int) -> Answer:
        """Make random moves from the state of a picture."""
        space, states = self._space(), self._state_of(self.shelf.get(number))
        if states is None:
            raise UsageError("the simulator cannot read this picture: choose another one")
        with self._lock, blame(self.planning.domain):
            for _ in range(SHUFFLE):
                successors, _ = space.successors(states)
                if not len(successors):
                    break
                states = successors[[self._rng.integers(len(successors))]]
            return self._keep(Item(space.render(states), states), "a shuffled state")

    def look(self, number: int) -> Answer:
        """Say what the code makes of a picture, and which moves the simulator knows from there."""
        item = self.shelf.get(number)
        code = self.planning.code
        seen = code.draw(code.encode(item.picture))
        strange = check_pictures(code, item.picture, self.planning.redrawing_error, ["this picture"])
        return {
            "redrawn": attrs.asdict(shown_picture(seen, "the same picture, redrawn from its bits")),
            "warnings": strange,
            "moves": self._moves(item),
        }

    def plan(self, init: int, goal: int, planner: str, anyway: bool) -> Answer:
        """Begin a search from one picture to another."""
        if planner not in self.planners:
            raise UsageError(f"planner '{planner[:40]}' is not offered here")
        first, last = self.shelf.get(init).picture[0], self.shelf.get(goal).picture[0]
        work = partial(self._plan, first, last, planner, anyway)
        return {"search": self.searches.start(planner, self.limits.seconds, work)}

    def complain(self, error: Exception) -> None:
        """Tell on the terminal what the page is not told."""
        self.observer.say(f"studio: {reason(error)}")

    def _plan(self, init: Images, goal: Images, planner: str, anyway: bool) -> ShownPlan:
        made = self.planning.plan(init, goal, planner, self.planners[planner], self.limits, anyway=anyway)
        shown = shown_plan(made, self.tell)
        if shown.frames:
            self.found = [*self.found, shown][-MAX_FOUND:]
        return shown

    def _space(self) -> StateSpace:
        if self.simulator is None:
            raise UsageError("this domain has no simulator that could draw states: drop a picture")
        return self.simulator

    def _moves(self, item: Item) -> list[Answer] | None:
        """Return the pictures one move away; None if nobody can tell."""
        space, states = self.simulator, self._state_of(item)
        if space is None or states is None:
            return None
        with self._lock, blame(self.planning.domain):
            successors, _ = space.successors(states)
            successors = successors[:MAX_MOVES]
            drawn = space.render(successors)
        items = [Item(drawn[row : row + 1], successors[row : row + 1]) for row in range(len(successors))]
        return [self._keep(one, f"move {row}") for row, one in enumerate(items, start=1)]

    def _state_of(self, item: Item) -> States | None:
        """Return the state that a picture shows, if the domain can read it."""
        domain = self.planning.domain
        if item.state is not None or not isinstance(domain, Judge):
            return item.state
        with blame(domain):
            states, readable = domain.read(item.picture)
        return states if readable.all() else None

    def _keep(self, item: Item, alt: str, *, fixed: bool = False) -> Answer:
        return {"id": self.shelf.put(item, fixed=fixed), "picture": attrs.asdict(shown_picture(item.picture, alt))}

    def _instance(self, init: Images, goal: Images) -> Answer:
        return {
            "init": self._keep(Item(init), "start of an instance", fixed=True),
            "goal": self._keep(Item(goal), "goal of an instance", fixed=True),
        }
