"""Lift a run: read its training pairs as values of variables, lift them, check the result and show it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images
from cubespace.base.files import write_json, write_text
from cubespace.base.images import write_png
from cubespace.base.labelled_sheet import labelled_sheet
from cubespace.data.domain import Domain, Pairs, StateSpace
from cubespace.evaluation.diagnosis import Encode, diagnose
from cubespace.learning import inference
from cubespace.learning.autoencoder import SpaceAutoEncoder
from cubespace.settings.run_config import LiftConfig
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.lifting.checks import compare, explain, find_actions
from cubespace.symbols.lifting.grounding import Grounded, ground
from cubespace.symbols.lifting.legend import make_legend
from cubespace.symbols.lifting.lift import Care, Lifting, lift
from cubespace.symbols.lifting.looks import Looks, find_looks
from cubespace.symbols.lifting.model import LiftedModel
from cubespace.symbols.lifting.pddl import write_lifted_domain, write_lifted_problem
from cubespace.symbols.lifting.pixels import find_pixel_variables
from cubespace.symbols.lifting.variables import Variables
from cubespace.symbols.strips import StripsModel

LIFTED, LIFTED_DOMAIN, LIFTED_PROBLEM, LIFTING = (
    "lifted.json",
    "lifted.pddl",
    "lifted-problem.pddl",
    "lifting.json",
)
SHEETS = ("lifted-things.png", "lifted-places.png", "lifted-schemas.png")


@attrs.frozen(eq=False, kw_only=True)
class Eye:
    """How pictures become bits that are values of variables, and where in the picture each variable is."""

    look: Encode
    groups: tuple[int, ...]
    regions: NDArray[np.intp] | None
    source: str  # encoder: the bits of the run; redrawn: pixels as the network redraws them; pixels: as they are


def network_eye(network: SpaceAutoEncoder, pairs: Pairs) -> Eye:
    """Return the eye of a run: the variables of its encoder or, if it has none, groups of the pixels it redraws."""
    encode = partial(inference.encode, network)
    groups = network.encoder.layout.groups
    if groups is not None:
        return Eye(look=encode, groups=groups, regions=network.encoder.regions(), source="encoder")

    def redraw(images: Images) -> Images:
        return inference.draw(network, encode(images))

    found = find_pixel_variables(redraw(pairs.before), redraw(pairs.after))
    return Eye(
        look=lambda images: found.look(redraw(images)), groups=found.groups, regions=found.regions, source="redrawn"
    )


def plain_eye(pairs: Pairs) -> Eye:
    """Return an eye that knows no network: groups of pixels of the pictures as they are."""
    found = find_pixel_variables(pairs.before, pairs.after)
    return Eye(look=found.look, groups=found.groups, regions=found.regions, source="pixels")


@attrs.frozen(eq=False, kw_only=True)
class Lifted:
    """What came of lifting, with the training pairs as bits."""

    eye: Eye
    before: Bits
    after: Bits
    looks: Looks
    lifting: Lifting
    grounded: Grounded | None

    @property
    def model(self) -> LiftedModel | None:
        """Return the lifted model, None if this world was not lifted."""
        return self.lifting.model


def lift_pairs(eye: Eye, pairs: Pairs, config: LiftConfig) -> Lifted:
    """Lift pairs of pictures as an eye sees them."""
    before, after = eye.look(pairs.before), eye.look(pairs.after)
    variables = Variables.of(eye.groups)
    looks = find_looks(len(variables), eye.regions, pairs.before, variables.values(before))
    care = Care(level=config.level, least_share=config.least_share, most_accidents=config.most_accidents)
    lifting = lift(before, after, eye.groups, looks, care)
    grounded = None
    if lifting.model is not None:
        found = ground(lifting.model)
        actions = find_actions(found.model, before, after)
        model = attrs.evolve(
            found.model,
            support=np.bincount(actions[actions >= 0], minlength=found.model.actions),
            mutexes=find_mutexes(found.model, np.concatenate([before, after])),
            groups=np.asarray(eye.groups, dtype=np.intp),
        )
        grounded = attrs.evolve(found, model=model)
    return Lifted(eye=eye, before=before, after=after, looks=looks, lifting=lifting, grounded=grounded)


def record(lifted: Lifted) -> dict[str, Any]:
    """Return what was found, for JSON."""
    found = lifted.lifting
    told: dict[str, Any] = {"lifted": found.model is not None, "source": lifted.eye.source}
    told |= {key: value for key, value in attrs.asdict(found, recurse=False).items() if key != "model"}
    if found.model is not None and lifted.grounded is not None:
        told["schemas"] = {schema.name: schema.events for schema in found.model.schemas}
        told["objects"] = {kind.name: len(found.model.objects_of(kind.name)) for kind in found.model.types}
        told["static_facts"] = len(found.model.facts)
        told["actions"] = lifted.grounded.model.actions
        told["never_seen"] = int((lifted.grounded.model.support == 0).sum())
        told["unknown_facts"] = lifted.grounded.unknown
    return told


def check(lifted: Lifted, held_out: Pairs, learned: StripsModel | None, config: LiftConfig) -> dict[str, Any]:
    """Compare the lifted model, grounded again, with all transitions and with the learned model."""
    assert lifted.grounded is not None
    model, look = lifted.grounded.model, lifted.eye.look
    unseen = look(held_out.before), look(held_out.after)
    checks: dict[str, Any] = {
        "training": attrs.asdict(explain(model, lifted.before, lifted.after)),
        "held_out": attrs.asdict(explain(model, *unseen)),
    }
    if learned is not None and lifted.eye.source == "encoder":
        own = {"training": explain(learned, lifted.before, lifted.after), "held_out": explain(learned, *unseen)}
        states = np.concatenate([lifted.before, lifted.after])
        checks["learned"] = attrs.asdict(compare(model, learned, states, config.states, config.seed))
        checks["learned"] |= {name: attrs.asdict(each) for name, each in own.items()}
        checks["passed"] = all(checks[name]["explained"] >= each.explained for name, each in own.items())
    return checks


def score(lifted: Lifted, domain: Domain, config: LiftConfig) -> dict[str, Any] | None:
    """Return recall and wrong successors against the true moves, where the domain knows them; a score, nothing else."""
    if lifted.grounded is None or not isinstance(domain, StateSpace):
        return None
    return attrs.asdict(diagnose(domain, lifted.eye.look, lifted.grounded.model, config.states, config.seed))


def write_lifted(folder: Path, lifted: Lifted, pairs: Pairs, about: tuple[str, ...]) -> None:
    """Write the lifted domain, a problem between two training states, the model and its legend."""
    model = lifted.model
    assert model is not None
    write_json(folder / LIFTED, model.record())
    write_text(folder / LIFTED_DOMAIN, write_lifted_domain(model, about))
    write_text(folder / LIFTED_PROBLEM, write_lifted_problem(model, lifted.before[0], lifted.after[-1]))
    legend = make_legend(model, (pairs.before, pairs.after), (lifted.before, lifted.after), place_regions(lifted))
    examples = [(name, pair) for name, pairs_shown in legend.schemas.items() for pair in pairs_shown]
    for sheet, rows in zip(SHEETS, (legend.things.items(), legend.places.items(), examples), strict=True):
        named = list(rows)
        write_png(folder / sheet, labelled_sheet([picture for _, picture in named], [name for name, _ in named]))


def place_regions(lifted: Lifted) -> dict[str, NDArray[np.bool_]]:
    """Return the pixels of each place that is a variable of the eye."""
    model, regions = lifted.model, lifted.eye.regions
    if model is None or regions is None:
        return {}
    variable = np.asarray(lifted.eye.groups)
    held: dict[str, set[int]] = {}
    for fact, meaning in model.meaning:
        held.setdefault(fact.terms[-1], set()).add(int(variable[meaning.true]))
    return {name: regions == numbers.pop() for name, numbers in held.items() if len(numbers) == 1}
