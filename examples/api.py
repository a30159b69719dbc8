"""The Python interface in one minute: learn, look, plan, show. The puzzle is small, so this takes seconds.

python examples/api.py OUTPUT-FOLDER
"""

import sys
from pathlib import Path

import cubespace

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/api")

# 1. learn: four lamps, each of which also switches its neighbours; the program sees only pictures
run = cubespace.run(
    domain="lightsout:size=2",
    planners=["fd-lmcut"],
    instances=4,
    length=2,
    data__transitions=600,
    autoencoder__bits=12,
    autoencoder__actions=60,
    learner="autoencoder",  # a network that is trained by gradient
    encoder="mlp:width=100",
    train__epochs=80,
    train__batch=50,
    folder=folder / "run",
)
row = run.results["planners"]["fd-lmcut"]
print(f"{row['found']} plans found, {row['valid']} valid, {row['optimal']} optimal, of {row['instances']}")

# 2. look: a STRIPS model is a handful of masks over bits
print(f"{run.strips.bits} bits, {run.strips.actions} actions, such as {run.strips.names[0]}")

# 3. plan between any two pictures, with any planner
problem = run.path / "problems" / "001"
plan = run.plan(problem / "init.png", problem / "goal.png", planner="pyperplan-bfs")
print(f"{len(plan)} steps: {', '.join(plan.actions)}")

# 4. show: as files, as a page, or in a notebook, where runs, plans and models display themselves
print(plan.save(folder / "plan") / "strip.png")
print(run.report(folder / "report.html"))
