"""The table of README.md and the facts in its text, from ``results/*.json`` and the paper's own figures."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from generator import records
from generator.records import NONE, Plans

PLANNER = "fd-lmcut"
INSTANCES = 30  # of every cell: the one denominator
ALONE = " \\*"  # no quick learner fitted, so a network was trained


@attrs.frozen(kw_only=True)
class World:
    """A row of the table: a world, and where its figures are."""

    title: str
    network: str = ""  # in the matrices of the network, and in the paper
    recipe: str = ""  # section/name in recipe.json
    gym: str = ""  # name in worlds.json


WORLDS = (
    World(title="8-puzzle, MNIST digits", network="mnist", recipe="domains/mnist"),
    World(title="8-puzzle, mandrill", network="mandrill", recipe="domains/mandrill"),
    World(title="8-puzzle, spider", network="spider", recipe="domains/spider"),
    World(title="LightsOut", network="lightsout", recipe="domains/lightsout"),
    World(title="LightsOut, twisted", network="twisted", recipe="domains/twisted"),
    World(title="four blocks in three bins, noisy, 6 steps", network="bins", recipe="stacks/bins-4x3"),
    World(title="Gymnasium's Taxi", gym="Taxi"),
    World(title="8-puzzle, digits shifted by a pixel", network="mnist-shift", recipe="robustness/mnist-shift-1"),
)
HEAD = (
    "world",
    "the paper",
    "its network here, by its rules",
    "the same network, our preconditions",
    "`cube run`, nothing trained",
)


def readme() -> str:
    """Return a row per world: the paper, its network here by its rules and by ours, and the quick learners."""
    lines = [list(HEAD)]
    for world in WORLDS:
        paper = records.printed("network", "paper: LMcut", world.network)
        quick, trained = learned(world)
        cells = [_cell(paper), _cell(network(world.network, "paper-rules")), _cell(network(world.network, "ours"))]
        lines.append([world.title, *cells, _cell(quick) + (ALONE if trained else "")])
    return records.markdown(lines)


def network(domain: str, variant: str) -> Plans | None:
    """Return the median of the trainings of the paper's network; None where it has not been trained."""
    found = records.records("paper-network")
    others = records.matched(records.records("paper-network-others"), domain=domain) if variant == "ours" else []
    together = records.plans(others, planner=PLANNER)
    for each in records.matched(found, "median", domain=domain, variant=variant, measure="plans", planner=PLANNER):
        return Plans(each["found"], each["valid"], each["optimal"], each["instances"], each["runs"])
    return together


def learned(world: World) -> tuple[Plans | None, bool]:
    """Return the median of the runs by default settings, and whether a network had to be trained."""
    if world.gym:
        rows = [row for row in records.rows("worlds") if row["name"] == world.gym and "plans" in row]
        return records.middle([Plans.read(row["plans"][PLANNER], INSTANCES) for row in rows]), False
    rows = [row for row in records.rows("recipe") if f"{row['section']}/{row['name']}" == world.recipe]
    plans = [Plans.read(row["plans"][row["planners"].index(PLANNER)], INSTANCES) for row in rows]
    return records.middle(plans), any(row["learner"].startswith("autoencoder") for row in rows)


def _cell(plans: Plans | None) -> str:
    if plans is None:
        return NONE
    if plans.instances != INSTANCES:
        raise ValueError(f"the table has one denominator: {INSTANCES}, not {plans.instances}")
    return str(plans) if plans.runs == 1 else f"{plans} ({plans.runs})"


def far() -> str:
    """Return a row per distance of the 8-puzzle, or a note that there is no run yet."""
    found = records.records("paper-distances")
    if not found:
        return "Not measured yet: `cube matrix examples/paper/distances.toml -o runs/distances`.\n"
    planners = _values(found, "planner")
    lines = [["distance", *planners]]
    for length in _values(found, "plan.length"):
        cells = [records.plans(found, planner=planner, **{"plan.length": length}) for planner in planners]
        lines.append([length, *(f"{cell} of {cell.instances}" if cell else NONE for cell in cells)])
    return records.markdown(lines)


def _values(found: Sequence[records.Record], key: str) -> list[str]:
    return list(dict.fromkeys(str(each[key]) for each in found if key in each))
