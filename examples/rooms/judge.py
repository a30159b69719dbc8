"""Plan between pictures of the rooms and let the simulator judge every frame.

python examples/rooms/judge.py rooms/run rooms/problems
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from world import Rooms

import cubespace
from cubespace.base.images import read_picture
from cubespace.evaluation import distances
from cubespace.evaluation.judge import Verdict, judge


def main() -> None:
    """Plan for every problem in a folder, write the pictures and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--planner", default="fd-lmcut")
    parser.add_argument(
        "-o", "--output", type=Path, help="where the pictures go [default: 'plans' beside the problems]"
    )
    arguments = parser.parse_args()
    output = arguments.output or arguments.problems.parent / "plans"
    run, world = cubespace.Run.load(arguments.run), Rooms()
    starts = sorted(arguments.problems.glob("*_init.png"))
    found = valid = optimal = 0
    for init in starts:
        goal = init.with_name(init.name.replace("init", "goal"))
        plan = run.plan(init, goal, arguments.planner)
        plan.save(output / init.name.removesuffix("_init.png"))
        verdict = look(world, init, goal, plan)
        found, valid, optimal = found + plan.found, valid + bool(verdict.valid), optimal + bool(verdict.optimal)
        words = "optimal" if verdict.optimal else "valid" if verdict.valid else f"not valid: {verdict.reason}"
        print(f"{init.name}: {plan.record['outcome']}, {len(plan)} steps, {words}")
    print(f"{len(starts)} problems by {arguments.planner}: {found} found, {valid} valid, {optimal} optimal")
    print(f"pictures in {output}")


def look(world: Rooms, init: Path, goal: Path, plan: cubespace.Plan) -> Verdict:
    """Judge a plan as strictly as the built-in domains are judged: first frame, last frame, every frame, every step."""
    if plan.frames is None:
        return Verdict(valid=False, optimal=False, reason="no plan")
    states, readable = world.read(np.stack([read_picture(path) for path in (init, goal)]))
    if not readable.all():
        raise SystemExit(f"{init} or {goal} does not show the rooms")
    shortest = distances.shortest(world, states[:1], states[1:], bound=len(plan))
    return judge(world, states[:1], states[1:], plan.frames, shortest)


if __name__ == "__main__":
    main()
