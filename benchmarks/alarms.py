"""Do warnings mean something? Models that are right and models that are wrong, judged by what learning never sees.

    python benchmarks/alarms.py [--seeds 910-912] [--kinds stacks,blur] [--folder FOLDER] [--seconds 300] [--print]

Each case learns from pairs of pictures of a small world, as ``cube run`` does with pictures of one's own, plans between
pictures, and collects every warning that the program gives. More than half of the cases are spoilt on purpose. Then a
simulator that nothing before has seen judges plans and moves. Writes results/alarms.json, alarms.md and
docs/pictures/alarms.svg; cases that are there already are not done again. Seeds below 910 were for tuning; 910 to 912
were seen before the last change to places, so that the table has later ones. A call that ends early leaves cases out.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from alarm_cases import CASES, Case, Spoil
from alarm_tables import write_results
from alarm_worlds import GraphWorld

from cubespace.base.arrays import Images, Indices, step_keys
from cubespace.base.errors import CubeError
from cubespace.base.files import read_json
from cubespace.data.domain import Pairs
from cubespace.data.transitions import Transitions
from cubespace.evaluation.doubts import Doubts, plan_findings
from cubespace.evaluation.judgement import Judgement
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.plan_record import SearchRecord
from cubespace.evaluation.real_moves import KnownMoves
from cubespace.learning.bit_learner import Unsuitable, Work
from cubespace.learning.choice import choose_code
from cubespace.learning.code import Code
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.bits_file import BitPairs
from cubespace.runs.learners import parts_of, quick_learners
from cubespace.runs.pictures.solving import Solution, search_plan
from cubespace.runs.stages.judging import judge_run
from cubespace.runs.stages.lifted_checks import check, lifting_record
from cubespace.runs.stages.lifted_pairs import code_eye, lift_pairs
from cubespace.runs.stages.planned import planned_with
from cubespace.search.solver import Limits, SearchProblem
from cubespace.settings.recipe import Execution, LearnerConfig, Recipe
from cubespace.settings.run_config import LiftConfig
from cubespace.symbols.extraction import extract
from cubespace.symbols.strips import StripsModel

PROBLEMS, WALK = 8, 7  # plans of each case, and the random moves between start and goal
PLANNER = "fd-lmcut"
LIMITS = Limits(seconds=20, megabytes=1500)
JUDGED_STATES = 500


@attrs.frozen(eq=False, kw_only=True)
class Learned:
    """What came of learning: the pictures, the code, the bits and the model."""

    data: Transitions
    code: Code
    bits: dict[str, BitPairs]
    model: StripsModel
    doubt: str


def work(case: Case, seed: int, catalogue: Catalogue) -> dict[str, Any]:
    """Do a case and return its record."""
    begun = time.process_time()
    rng = np.random.default_rng([seed, case.number])
    world = case.world(rng)
    record: dict[str, Any] = {
        "kind": case.kind,
        "case": case.number,
        "about": case.about,
        "spoilt": case.spoilt,
        "seed": seed,
    }
    try:
        learned = learn(case, world, catalogue, seed, rng)
    except CubeError as error:
        return record | {"refused": str(error), "cpu_seconds": round(time.process_time() - begun, 1)}
    judgement = judge_run(learned.code, learned.model, learned.data, learned.bits, effects="differences", labels=None)
    plans = solve(case, world, learned, judgement, catalogue, rng)
    records = [plan for plan, _ in plans]
    warnings = (*judgement.warnings, *plan_findings(records, judgement.precision))
    precision = judgement.precision
    assert precision is not None
    verdicts = [valid for plan, valid in plans if plan.found]
    return record | {
        "refused": "",
        "doubt": learned.doubt,
        "problems": PROBLEMS,
        "found": len(verdicts),
        "valid": sum(verdicts),
        "doubted_invalid": sum(bool(plan.doubtful_steps) for plan, valid in plans if plan.found and not valid),
        "doubted_valid": sum(bool(plan.doubtful_steps) for plan, valid in plans if plan.found and valid),
        "warnings": [finding.about for finding in warnings] + (["doubt"] if learned.doubt else []),
        "words": [finding.words for finding in warnings],
        "predicted": precision.wrong,
        "low": precision.low,
        "high": precision.high,
        "signs": [attrs.asdict(sign) for sign in precision.signs],
        "true": true_wrong(world, case.spoil, learned, rng),
        "distinct_states": precision.distinct_states,
        "unseen_states": precision.unseen_states,
        "cpu_seconds": round(time.process_time() - begun, 1),
    }


def learn(case: Case, world: GraphWorld, catalogue: Catalogue, seed: int, rng: np.random.Generator) -> Learned:
    """Learn from pairs as the stages of a run do; what is misread or left out on purpose comes after each of them."""
    before, after = world.sample(case.pairs, rng)
    pairs = Pairs(case.spoil(world.draw(before), rng), case.spoil(world.draw(after), rng))
    held_out = max(1, round(0.05 * case.pairs))
    data = Transitions(pairs, "images", seed, (held_out, held_out))
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_of(catalogue, Execution())
        made = Work(folder=Path(folder), seed=seed, recipe=Recipe(), parts=parts)
        choice = choose_code(quick_learners(catalogue), data.train, data.validation, made, LearnerConfig())
        code = choice.code
        if code is None:  # the program says so, and trains its network, for minutes
            raise Unsuitable("; ".join(candidate.summary for candidate in choice.candidates))
    code = case.misread(code, rng)
    splits = {"train": data.train, "validation": data.validation, "test": data.test}
    bits = {name: BitPairs(code.encode(part.before), code.encode(part.after)) for name, part in splits.items()}
    model, _ = extract(
        bits["train"].before,
        bits["train"].after,
        catalogue.create("precondition", case.precondition),
        draw=code.draw,
        look=code.encode,
        groups=code.groups,
        seed=seed,
    )
    seen = np.concatenate([bits["train"].before, bits["train"].after])
    if case.lifted:
        model = lifted_model(data, code, bits, model)
    model = case.overgeneralise(model, seen, rng)
    return Learned(data=data, code=code, bits=bits, model=model, doubt=code.doubt)


def lifted_model(data: Transitions, code: Code, bits: dict[str, BitPairs], model: StripsModel) -> StripsModel:
    """Return the lifted model, grounded again, as ``--model lifted`` has it; an error says that it is too general."""
    config, training = LiftConfig(), bits["train"]
    lifted = lift_pairs(code_eye(code, data.train), data.train, training, config)
    held_out = bits["validation"]
    checks = None if lifted.grounded is None else check(lifted, lifted.grounded, held_out, model, config)
    seen = np.concatenate([training.before, training.after])
    return planned_with("lifted", lifting_record(lifted, checks=checks), model, seen).strips


def solve(
    case: Case,
    world: GraphWorld,
    learned: Learned,
    judgement: Judgement,
    catalogue: Catalogue,
    rng: np.random.Generator,
) -> list[tuple[SearchRecord, bool]]:
    """Plan between pictures; return what the program records of each plan, and the verdict of the simulator."""
    code, seen = learned.code, learned.bits["train"]
    precision = judgement.precision
    assert precision is not None
    known = KnownMoves.of(seen.before, seen.after, grouped=code.groups is not None)
    doubts = Doubts(known=known, precision=precision, draw=code.draw, look=code.encode)
    memory = TrainingMemory.of(seen.before, seen.after)
    solver = catalogue.create("planner", PLANNER)
    seen_as = world.frames if case.steady is None else case.steady(world.frames, rng)
    plans = []
    for _ in range(PROBLEMS):
        init = goal = rng.integers(world.count, size=1)
        for _ in range(WALK):
            goal = world.step(goal, rng)
        pictures = case.spoil(world.draw(np.concatenate([init, goal])), rng)
        bits = code.encode(pictures)
        result = search_plan(solver, SearchProblem(init=bits[0], goal=bits[1], model=learned.model), LIMITS)
        solution = Solution(search=result)
        record = solution.record(PLANNER, memory.count(result.trace), doubts.of(result.trace))
        record = attrs.evolve(record, valid=None, optimal=None)  # the program has no judge
        frames = None if result.trace is None else code.draw(result.trace)
        plans.append((record, frames is not None and is_valid(world, frames, seen_as, init, goal)))
    return plans


def is_valid(world: GraphWorld, frames: Images, seen_as: Images, init: Indices, goal: Indices) -> bool:
    """Return whether the frames show legal moves from one state to another."""
    states = world.read(frames, seen_as)
    if (states < 0).any() or states[0] != init[0] or states[-1] != goal[0]:
        return False
    return all(world.is_move(one, other) for one, other in pairwise(states.tolist()))


def true_wrong(world: GraphWorld, spoil: Spoil, learned: Learned, rng: np.random.Generator) -> float | None:
    """Return which fraction of the moves is wrong, a mean over random states, in bits as the diagnosis has them."""
    states = rng.integers(world.count, size=JUDGED_STATES)
    parents, children = world.successors(states)
    look = learned.code.encode
    bits, reached = look(spoil(world.draw(states), rng)), look(spoil(world.draw(children), rng))
    source, action = np.nonzero(learned.model.applicable(bits))
    ours = learned.model.apply(bits[source], action)
    moved = (ours != bits[source]).any(1)
    keys, first = np.unique(step_keys(source[moved], ours[moved]), return_index=True)
    wrong = ~np.isin(keys, step_keys(parents, reached))
    count = np.bincount(source[moved][first], minlength=len(states))
    share = np.bincount(source[moved][first], weights=wrong, minlength=len(states))[count > 0] / count[count > 0]
    return float(share.mean()) if len(share) else None


def main(arguments: Sequence[str] | None = None) -> None:
    """Do all cases and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="910-912")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--folder", type=Path, default=Path("results"))
    parser.add_argument("--seconds", type=int, default=10**6, help="begin no case after this many CPU seconds")
    parser.add_argument("--print", action="store_true", help="write the page again, from the records that are there")
    chosen = parser.parse_args(arguments)
    kept = chosen.folder / "alarms.json"
    known = read_json(kept)["records"] if kept.is_file() else []
    first, last = (int(part) for part in (chosen.seeds.split("-") * 2)[:2])
    kinds = set(filter(None, chosen.kinds.split(",")))
    catalogue = load_plugins()
    records = {(record["seed"], record["case"]): record for record in known if first <= record["seed"] <= last}
    for seed in () if chosen.print else range(first, last + 1):
        for case in CASES:
            if (kinds and case.kind not in kinds) or (seed, case.number) in records:
                continue
            if time.process_time() > chosen.seconds:
                return
            record = records[seed, case.number] = work(case, seed, catalogue)
            print({name: value for name, value in record.items() if name not in ("signs", "words")}, flush=True)
            write_results([records[key] for key in sorted(records)], chosen.folder, chosen.seeds)
    write_results([records[key] for key in sorted(records)], chosen.folder, chosen.seeds)


if __name__ == "__main__":
    main()
