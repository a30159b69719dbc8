"""A matrix of 2 variants, 3 planners and 5 seeds whose verdicts and efforts are invented: one real run, copied."""

import random
from collections.abc import Sequence

import attrs

from cubespace.evaluation.summary import summarise
from cubespace.experiments.tables.rows import RunFacts
from cubespace.settings.run_config import with_settings

VARIANTS, PLANNERS, SEEDS = ("static", "values"), ("fd-blind", "fd-lmcut", "fd_ff & co"), range(5)
INSTANCES = 12


def invented(real: RunFacts) -> list[RunFacts]:
    """Return a run for each variant, planner and seed; later variants and planners solve more, with less effort."""
    moments = random.Random(7)
    return [
        _one(real, variant, planner, seed, moments) for variant in VARIANTS for planner in PLANNERS for seed in SEEDS
    ]


def _one(real: RunFacts, variant: str, planner: str, seed: int, moments: random.Random) -> RunFacts:
    assert real.results is not None
    assert real.diagnosis is not None
    skill = 0.4 + 0.2 * VARIANTS.index(variant) + 0.15 * PLANNERS.index(planner)
    pattern = next(iter(real.results.planners.values())).records[0]
    records = []
    for number in range(INSTANCES):
        found = moments.random() < skill
        change = {
            "planner": planner,
            "problem": f"{number:03d}",
            "plan": (0, 1) if found else None,
            "outcome": "solved" if found else "out of time",
            "valid": moments.random() < 0.9 if found else False,
            "optimal": False,
            "expansions": round(moments.lognormvariate(4 - skill, 1)) if found else None,
        }
        records.append(attrs.evolve(pattern, **change))
    settings = {"data.seed": seed, "train.seed": seed, "extract.seed": seed, "plan.seed": seed}
    config = with_settings(real.run.config, {**settings, "extract.precondition": variant, "plan.planners": [planner]})
    of_model = random.Random(f"{variant} {seed}")  # no planner has a say in it
    recall = round(0.6 + 0.1 * VARIANTS.index(variant) + of_model.gauss(0, 0.02), 4)
    moves = attrs.evolve(real.diagnosis.moves, recall=recall)
    return attrs.evolve(
        real,
        run=attrs.evolve(real.run, config=config),
        values={"precondition": variant, "planner": planner, "seed": str(seed)},
        settings={**real.settings, **settings, "extract.precondition": variant, "plan.planners": (planner,)},
        results=attrs.evolve(real.results, planners={planner: summarise(records, optimal_planner=False)}),
        diagnosis=attrs.evolve(real.diagnosis, moves=moves),
    )


def unfinished(run: RunFacts) -> RunFacts:
    """Return the same cell of a matrix before anything of it was done."""
    nothing = dict.fromkeys(("measures", "learner", "extraction", "results", "diagnosis"))
    return attrs.evolve(run, stages={}, **nothing)


def of(runs: Sequence[RunFacts], **values: str) -> list[RunFacts]:
    """Return the runs with these values of axes."""
    return [run for run in runs if all(run.values[axis] == value for axis, value in values.items())]
