"""A component that fails while a run is at work is named with its plugin and package; a bad stage is not recorded."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from tiny_run import DEFAULTS, SETTINGS

from cubespace import hookimpl
from cubespace.autoencoder.action_model import ActionModel
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.encoder import Encoder
from cubespace.autoencoder.objective import Losses, Objective
from cubespace.autoencoder.phase import InstantPhase
from cubespace.base.errors import ComponentError, InputError
from cubespace.base.observer import Observer
from cubespace.data.domain import Domain, Explorer, Pairs, Progress
from cubespace.learning.bit_learner import BitLearner
from cubespace.learning.code import Code
from cubespace.plugins.catalogue import KINDS, Catalogue, collect
from cubespace.plugins.entry_points import installed
from cubespace.report import write_report
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver, Statistics
from cubespace.settings.check import resolve_components
from cubespace.settings.recipe import Execution, TrainConfig
from cubespace.settings.run_config import load_config
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions

LAMPS = {"domain": "lightsout:size=2", "plan.length": 2, "plan.instances": 2, "plan.planners": ("pyperplan-bfs",)}


class Floats(Domain):
    """Draws pictures of another type."""

    image_shape = (8, 8)

    def __init__(self, _: object) -> None:
        """Need nothing."""

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:
        return Pairs(rng.random((count or 100, 8, 8)), rng.random((count or 100, 8, 8)))


class Leaving(Floats):
    """Ends the whole program."""

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:  # noqa: ARG002
        sys.exit(0)


class Nan(ApplyModule):
    """Returns no numbers."""

    def forward(self, state: torch.Tensor, action: torch.Tensor, temperature: float) -> torch.Tensor:  # noqa: ARG002
        return state * torch.nan


class Doubles(ApplyModule):
    """Computes in more digits than the rest of the network."""

    def forward(self, state: torch.Tensor, action: torch.Tensor, temperature: float) -> torch.Tensor:  # noqa: ARG002
        return state.double()


class Raising(Encoder):
    """Cannot do anything."""

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        raise ValueError(f"{len(pixels)} are too many")

    def hold_bit(self, bit: int, value: bool) -> None:
        """Do nothing."""

    def held_bits(self) -> torch.Tensor:
        return torch.zeros(1, dtype=torch.bool)


class Uniform(ActionModel):
    """Chooses nothing."""

    def forward(self, before: torch.Tensor, after: torch.Tensor, apply: ApplyModule) -> torch.Tensor:  # noqa: ARG002
        return torch.zeros(len(before), self.actions)

    def choose(self, logits: torch.Tensor, temperature: float) -> torch.Tensor:  # noqa: ARG002
        return logits[:, :1]


class Free(Objective):
    """Has no total."""

    def terms(self, *_: object) -> Losses:
        return {}

    def weigh(self, progress: float) -> dict[str, float]:  # noqa: ARG002
        return {}

    def losses(self, *_: object) -> Losses:
        return {}


class Lazy(InstantPhase):
    """Does not begin."""

    name = "theirs"

    @classmethod
    def outline(cls, config: TrainConfig) -> str:  # noqa: ARG003
        return "nothing"

    def prepare(self) -> None:
        raise ValueError("not today")


class Clueless(BitLearner):
    """Learns nothing."""

    quick = True

    def learn(self, *_: object) -> Code:
        return None  # type: ignore[return-value]

    def read(self, *_: object) -> Code:
        raise NotImplementedError


class Nothing(PreconditionLearner):
    """Learns nothing."""

    def learn(self, evidence: Evidence) -> Preconditions:  # noqa: ARG002
        return None  # type: ignore[return-value]


class Wide(PreconditionLearner):
    """Has more literals than there are bits."""

    def learn(self, evidence: Evidence) -> Preconditions:
        wide = np.zeros((len(evidence.add), 99), dtype=np.bool_)
        return Preconditions(action=np.arange(len(evidence.add)), positive=wide, negative=wide)


class Contradiction(PreconditionLearner):
    """Wants bits to be true and false."""

    def learn(self, evidence: Evidence) -> Preconditions:
        both = np.ones_like(evidence.add)
        return Preconditions(action=np.arange(len(evidence.add)), positive=both, negative=both)


class Silent(Solver):
    """Returns nothing."""

    def __init__(self, _: object) -> None:
        """Need nothing."""

    def missing(self) -> str | None:
        return None

    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:  # noqa: ARG002
        return None  # type: ignore[return-value]


class Boaster(Silent):
    """Says that it has solved what it has not."""

    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:  # noqa: ARG002
        return SearchResult(outcome=Outcome.SOLVED)


class Counting(Silent):
    """Counts in words."""

    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:  # noqa: ARG002
        return SearchResult(outcome=Outcome.NOT_FOUND, statistics=Statistics(expansions="many"))  # type: ignore[arg-type]


def catalogue(kind: str, target: type) -> Catalogue:
    """Return all that is installed, and one more component called ``theirs``."""

    @hookimpl(specname=KINDS[kind].hook)
    def offer(registry):  # type: ignore[no-untyped-def]
        registry.add("theirs", target, "a component")

    plugin = ModuleType("a_plugin")
    setattr(plugin, KINDS[kind].hook, offer)
    ours = [(entry.name, source, entry.load) for entry, source in installed()]
    return collect([*ours, ("their-plugin", "their-package 2.0", lambda: plugin)])


def run(folder: Path, kind: str, target: type, key: str, settings: dict[str, object], observer: Observer) -> Pipeline:
    value = ("theirs",) if key in ("plan.planners", "train.extensions") else "theirs"
    loaded = catalogue(kind, target)
    config = resolve_components(loaded, load_config(None, {**LAMPS, **settings, key: value}))
    done = Pipeline(RunFolder.start(folder, config, loaded), loaded, Execution(device="cpu"), observer)
    done.until("evaluate")
    return done


@pytest.mark.parametrize(
    ("kind", "target", "key", "words"),
    [
        ("domain", Floats, "domain", "'before' of its pairs must be uint8"),
        ("domain", Leaving, "domain", r"it called sys.exit\(0\)"),
        ("apply", Nan, "autoencoder.apply", "are not all finite numbers"),
        ("apply", Doubles, "autoencoder.apply", r"must be a float32 tensor .* not torch\.float64"),
        ("action", Uniform, "autoencoder.action", "its actions must be a float32 tensor"),
        ("objective", Free, "autoencoder.objective", "its losses have no 'total'"),
        ("extension", Lazy, "train.extensions", "ValueError: not today"),
        ("learner", Clueless, "learner.name", "it returned NoneType, not a Code"),
        ("encoder", Raising, "autoencoder.encoder", "ValueError: 4 are too many"),
        ("precondition", Nothing, "extract.precondition", "it returned NoneType, not Preconditions"),
        ("precondition", Wide, "extract.precondition", r"'positive' of its preconditions must be bool .* not bool"),
        ("precondition", Contradiction, "extract.precondition", "require and forbid the same bit"),
        ("planner", Counting, "plan.planners", "TypeError: a statistic must be a number, not 'many'"),
        ("planner", Silent, "plan.planners", "it returned NoneType, not a SearchResult"),
        ("planner", Boaster, "plan.planners", "gives no plan with a trace"),
    ],
)
def test_it_is_named(tmp_path, kind, target, key, words) -> None:
    trained = kind in ("apply", "encoder", "action", "objective", "extension")
    settings = {**SETTINGS, "train.epochs": 2} if trained else DEFAULTS
    with pytest.raises(ComponentError, match=words) as caught:
        run(tmp_path / "run", kind, target, key, settings, Observer())
    title = f"{KINDS[kind].title} 'theirs' of plugin 'their-plugin' (their-package 2.0) failed: "
    assert str(caught.value).startswith(title)
    assert "\n" not in str(caught.value)
    done = RunFolder.load(tmp_path / "run", catalogue(kind, target)).records()
    assert ("data" in done) == (kind != "domain")
    assert "evaluate" not in done


class Listener(Observer):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def test_a_learner_that_cannot_even_be_tried_does_not_keep_others_from_being_chosen(tmp_path) -> None:
    listener = Listener()
    loaded = catalogue("learner", Clueless)
    config = load_config(None, {**LAMPS, **DEFAULTS})
    done = Pipeline(RunFolder.start(tmp_path / "run", config, loaded), loaded, Execution(device="cpu"), listener)
    done.until("train")
    said = [line for line in listener.lines if "learner theirs" in line]
    assert "not possible, bit learner 'theirs' of plugin 'their-plugin' (their-package 2.0) failed: it ret" in said[0]
    assert said[0].startswith("train: warning: learner theirs")
    assert any("learner places" in line for line in listener.lines)
    (warning,) = done.learner().warnings
    assert warning.startswith("passed over: bit learner 'theirs' of plugin 'their-plugin'")
    page = write_report([done.run.path], loaded).read_text()
    assert "Passed over: bit learner &#39;theirs&#39; of plugin" in page


class Explored(Floats, Explorer):
    """Has found things."""

    def explore(self, progress: Progress) -> None:
        """Find nothing."""

    def findings(self) -> dict[str, np.ndarray]:
        return {}

    def recall(self, findings: dict[str, np.ndarray]) -> None:
        findings["frames"]


def test_findings_that_are_gone_are_the_fault_of_the_file_not_of_the_domain(tmp_path) -> None:
    loaded = catalogue("domain", Explored)
    started = RunFolder.start(tmp_path / "run", load_config(None, {"domain": "theirs"}), loaded)
    with started.stage("data"):
        np.savez(started.file("data.npz"), before=np.zeros(1))
    with pytest.raises(InputError, match=r"the content of '.*data\.npz' does not have the form .*frames"):
        RunContents(started, loaded, Execution(device="cpu"), Observer()).domain()


def test_numbers_of_numpy_are_numbers() -> None:
    statistics = Statistics(expansions=np.int64(3), search_seconds=np.float32(0.5))  # type: ignore[arg-type]
    assert [type(value) for value in (statistics.expansions, statistics.search_seconds)] == [int, float]
