"""Towers of Hanoi, learned and solved without training: bits about disks and pegs, whatever lies below."""

import json
from pathlib import Path

import numpy as np
from command import cube

from cubespace.symbols.strips import load_strips


def test_three_disks_are_learned_for_good(tmp_path: Path) -> None:
    plan = ["--length", "5", "--instances", "4", "--planner", "fd-lmcut", "--planner", "fd-gc"]
    data = ["--domain", "hanoi:disks=3", "--set", "data.transitions=1500"]
    answer = cube("run", *data, *plan, "-o", "run", "--json", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    planners = json.loads(answer.stdout)["planners"]
    assert planners["fd-lmcut"]["optimal"] == planners["fd-lmcut"]["instances"] == 4
    assert planners["fd-gc"]["valid"] == 4
    assert json.loads((tmp_path / "run" / "learner.json").read_text())["learner"] == "piles"
    model = load_strips(tmp_path / "run" / "strips.npz")
    assert model.actions == 3 * 6  # each disk, from each peg to each other
    assert model.groups is not None
    changing = model.add.any(0) | model.delete.any(0)
    assert changing.sum() == 9
    disks = [np.flatnonzero(changing & (model.groups == number)) for number in np.unique(model.groups[changing])]
    assert sorted(len(disk) for disk in disks) == [3, 3, 3]  # the three pegs of a disk are one variable
