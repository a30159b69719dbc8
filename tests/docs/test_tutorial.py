"""The tutorial is done word for word; by default with fewer pictures, with ``--slow`` exactly as it is written."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from command import cube, python

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
FAIL = {"cube plan --run few/run few/start.png few/goal.png"}  # the tutorial makes it fail on purpose
SHOWN = [  # what the page says is printed, after which command
    ("python examples/kitchen.py kitchen", "1200 pairs of 48 states, start.png and goal.png in kitchen"),
    ("cube run --domain images:path=kitchen/pairs -o kitchen/run", "(no gradient training); 19 bits in 8 variables"),
    ("cube run --domain images:path=kitchen/pairs -o kitchen/run", "The 1,080 training pairs show 13 differences"),
    ("cube run --domain images:path=kitchen/pairs -o kitchen/run", "fd-lmcut                    30     30      ?"),
    ("cube plan --run kitchen/run kitchen/start.png kitchen/goal.png", "8 steps, validity unknown; 8 of 8 steps seen"),
    ("cube run --domain images:path=few/pairs -o few/run", "The 54 training pairs show 12 differences, 2 of them"),
    ("cube plan --run few/run few/start.png few/goal.png", "no plan: unsolvable in the learned model."),
    ("cube lift kitchen/run", "this world was not lifted"),
]


def type_in(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line of the tutorial as its reader would, who is in the folder of the project."""
    first, *words = shlex.split(line)
    if first == "cube":
        return cube(*words, cwd=folder)
    assert first == "python"
    return python(str(ROOT / words[0]), *words[1:], cwd=folder)


def test_the_tutorial_makes_tea_with_fewer_pictures(tmp_path) -> None:
    """As written up to the plan, which is as long; preconditions of rare actions need more pictures."""
    learn, plan = COMMANDS[2:4]
    for line in ("python examples/kitchen.py kitchen --pairs 200", f"{learn} --instances 2", plan):
        answer = type_in(line, tmp_path)
        assert answer.returncode == 0, answer.stderr
    assert "8 steps, validity unknown" in answer.stderr


def test_what_the_page_shows_is_on_the_page() -> None:
    for command, said in SHOWN:
        assert command in COMMANDS
        assert said in PAGE


@pytest.mark.slow
def test_the_tutorial_is_true(tmp_path) -> None:
    printed = {}
    for line in COMMANDS:
        answer = type_in(line, tmp_path)
        assert answer.returncode == (1 if line in FAIL else 0), answer.stderr
        printed[line] = answer.stdout + answer.stderr
    for command, said in SHOWN:
        assert said in printed[command]
    shown = PAGE[PAGE.index("  (:action") : PAGE.index("```", PAGE.index("  (:action"))]
    assert shown in (tmp_path / "kitchen" / "run" / "domain.pddl").read_text()
