"""Towers of Hanoi, learned and solved by a small training: bits about disks and pegs, whatever lies below."""

import json
from pathlib import Path

import numpy as np
from tiny_run import cube

from cubespace.symbols.strips import load_strips

SMALL = {
    "data.transitions": 1500,
    "model.bits": 15,
    "model.actions": 40,
    "model.decoder": "piles:columns=3,width=100",
    "model.action_width": 40,
    "train.epochs": 25,
    "train.decoder_epochs": 10,
    "train.batch": 50,
    "train.consolidation.rounds": 1,
}


def test_three_disks_are_learned_for_good(tmp_path: Path) -> None:
    settings = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    plan = ["--length", "5", "--instances", "4", "--planner", "fd-lmcut", "--planner", "fd-gc"]
    answer = cube(
        "run", "--domain", "hanoi:disks=3", "--preset", "piles", *settings, *plan, "-o", "run", "--json", cwd=tmp_path
    )
    assert answer.returncode == 0, answer.stderr
    planners = json.loads(answer.stdout)["planners"]
    assert planners["fd-lmcut"]["optimal"] == planners["fd-lmcut"]["instances"] == 4
    assert planners["fd-gc"]["valid"] == 4
    model = load_strips(tmp_path / "run" / "strips.npz")
    assert model.actions == 3 * 6  # each disk, from each peg to each other
    assert model.groups is not None
    changing = model.add.any(0) | model.delete.any(0)
    assert changing.sum() == 9
    disks = [np.flatnonzero(changing & (model.groups == number)) for number in np.unique(model.groups[changing])]
    assert sorted(len(disk) for disk in disks) == [3, 3, 3]  # the three pegs of a disk are one variable
