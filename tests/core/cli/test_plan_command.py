"""``cube plan``: what it says, where it writes, and that its exit code tells the truth."""

import json
import re
from pathlib import Path

import attrs
import pytest
from command import cube

from cubespace.base.errors import UsageError
from cubespace.cli.plan import summary
from cubespace.runs.pictures.plan import UNJUDGED, Ending, PicturePlanRecord
from cubespace.search.solver import Limits
from cubespace.settings.run_config import load_config

ROOT = Path(__file__).parents[3]


def test_every_exit_code_of_plan_is_documented() -> None:
    table = (ROOT / "docs" / "exit-codes.md").read_text()
    for code in {*(ending.exit_code for ending in Ending), UNJUDGED}:
        assert f"| {code} |" in table


def test_all_is_said_as_json_and_other_pictures_go_elsewhere(default_run) -> None:
    folders = set()
    for number in ("000", "001"):
        pictures = [f"run/problems/{number}/{name}.png" for name in ("init", "goal")]
        answer = cube("plan", "--run", "run", *pictures, "--json", cwd=default_run.parent)
        record = json.loads(answer.stdout)
        assert (answer.returncode, record["exit_code"], record["ending"]) == (0, 0, "valid")
        folders.add(record["folder"])
        assert json.loads((default_run.parent / record["folder"] / "result.json").read_text())["plan"] == record["plan"]
    assert len(folders) == 2
    assert record["unseen_steps"] == []
    assert record["simulator"]["distance"] == len(record["plan"]) == len(record["actions"]) == 2
    assert (record["limits"], record["warnings"]) == ({"seconds": 900.0, "megabytes": 2048}, [])


def test_it_says_what_was_seen_and_quietly_only_where_the_plan_is(default_run) -> None:
    pictures = [f"run/problems/000/{name}.png" for name in ("init", "goal")]
    answer = cube("plan", "--run", "run", *pictures, cwd=default_run.parent)
    assert "2 steps, valid, optimal; 2 of 2 steps seen in training" in answer.stderr
    quiet = cube("plan", "--run", "run", *pictures, "-q", cwd=default_run.parent)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout == answer.stdout
    assert re.fullmatch(r"run/plans/init-goal-[0-9a-f]{10}/fd-lmcut/strip\.png\n", quiet.stdout)


@pytest.mark.parametrize("word", ["inf", "nan", "1e300", "-1"])
def test_a_limit_that_is_none_is_refused(word) -> None:
    answer = cube("plan", "--run", "run", "a.png", "b.png", f"--time-limit={word}")
    assert answer.returncode == 2
    assert re.fullmatch(r"cube: Invalid value for '--time-limit'.*\n", answer.stderr)
    with pytest.raises(UsageError, match="time_limit"):
        load_config(None, {"plan.time_limit": float(word)})


def test_a_failure_is_one_line_even_if_the_rest_is_json(default_run) -> None:
    pictures = [f"run/problems/000/{name}.png" for name in ("init", "goal")]
    hasty = ("--planner", "pyperplan-bfs", "--time-limit", "0.001", "--json")
    answer = cube("plan", "--run", "run", *pictures, *hasty, cwd=default_run.parent)
    assert (answer.returncode, json.loads(answer.stdout)["ending"]) == (1, "no plan")
    assert answer.stderr.splitlines()[-1].startswith("cube: no plan: out of time")


def test_a_plan_is_not_mixed_with_other_files(default_run, tmp_path) -> None:
    folder = default_run / "problems" / "000"
    pictures = [str(folder / name) for name in ("init.png", "goal.png")]
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").touch()
    words = ["plan", "--run", str(default_run), *pictures, "-o"]
    refused = cube(*words, str(tmp_path / "thesis"), cwd=tmp_path)
    assert refused.returncode == 3
    assert "is not empty and holds no plan" in refused.stderr
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter.tex"]
    for _ in range(2):  # a folder of a plan is written again
        assert cube(*words, str(tmp_path / "plan"), cwd=tmp_path).returncode == 0


RECORD = PicturePlanRecord(
    planner="fd-lmcut",
    outcome="solved",
    detail="",
    plan=(1, 2, 3),
    trace=None,
    valid=None,
    optimal=None,
    reason="",
    wrong_step=None,
    seconds=0.1,
    known_states=4,
    known_transitions=2,
    unseen_steps=(2,),
    ending="validity unknown",
    exit_code=0,
    actions=("a", "b", "c"),
    simulator=None,
    limits=Limits(),
    warnings=(),
)
INVALID = {"valid": False, "ending": "not valid", "wrong_step": 2, "reason": "frame is not readable"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "3 steps, validity unknown; 2 of 3 steps seen in training, never seen: 2; 0.1 s"),
        (
            {**INVALID, "fault": "0 twice, 5 missing"},
            "3 steps, not valid (frame 2: frame is not readable: 0 twice, 5 missing); 2 of 3 steps seen",
        ),
        (
            {"plan": None, "outcome": "unsolvable in the learned model", "detail": ""},
            "no plan: unsolvable in the learned",
        ),
        (
            {"valid": True, "ending": "valid", "optimal": False, "unseen_steps": ()},
            "3 steps, valid, not shortest; 3 of 3",
        ),
        (
            {"valid": True, "ending": "valid", "optimal": True, "unseen_steps": (2, 3)},
            "3 steps, valid, optimal; 1 of 3 steps seen in training, 2 new and valid; 0.1 s",
        ),
        (
            {**INVALID, "fault": "", "unseen_steps": (1, 3)},
            "3 steps, not valid (frame 2: frame is not readable); 1 of 3 steps seen in training, 1 new and valid, "
            "never seen: 3; 0.1 s",
        ),
    ],
)
def test_one_line_says_what_a_plan_is_worth(changes, words) -> None:
    class Made:
        solution = object()

    assert summary(Made(), attrs.evolve(RECORD, **changes)).startswith(words)  # type: ignore[arg-type]


def test_a_goal_out_of_reach_is_called_so() -> None:
    class Made:
        solution = None
        reach = type("Reach", (), {"states": 181440})()

    assert "the goal cannot be reached: the simulator proves it with 181,440 states" in summary(Made(), RECORD)  # type: ignore[arg-type]
