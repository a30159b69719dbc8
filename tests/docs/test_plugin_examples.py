"""The plugins that README and documentation show are installed, as a stranger's would be, and pass their suites."""

import os
import re
from pathlib import Path

import pytest
from command import cube, python

ROOT = Path(__file__).parents[2]
SHOWN = re.findall(
    r"```python\n# ([a-z_]+)\.py\n(.*?)```", (ROOT / "docs" / "plugins.md").read_text("utf-8"), re.DOTALL
)
README = "logit_sum"  # the module that README shows
EXAMPLES = {  # by module: the kind and name of each component
    README: [("apply", "logit-sum")],
    "cube_clock": [("domain", "clock"), ("domain", "clock:hours=7")],
    "cube_linear": [("encoder", "linear"), ("decoder", "linear")],
    "cube_unusual": [("precondition", "unusual")],
    "cube_layers": [("planner", "layers")],
    "cube_bfs": [("planner", "bfs")],
}


def install(folder: Path, module: str) -> None:
    """Let Python find a plugin in a folder: its entry point is all that an installed package has besides its files."""
    info = folder / f"{module}-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(f"[cubespace]\n{module} = {module}\n")


@pytest.fixture(scope="module")
def endings(tmp_path_factory) -> str:
    """Return what pytest says of each check of the suites, all run by one process that finds the plugins."""
    folder = tmp_path_factory.mktemp("examples")
    (readme,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    for name, code in (*SHOWN, (README, readme)):
        (folder / f"{name}.py").write_text(code)
    for module, components in EXAMPLES.items():
        install(folder, module)
        tests = [f"test_{number} = conformance({kind!r}, {spec!r})" for number, (kind, spec) in enumerate(components)]
        (folder / f"test_{module}.py").write_text("\n".join(["from cubespace.testing import conformance", *tests, ""]))
    words = ("-q", "-rA", "-p", "no:cacheprovider", "--rootdir", str(folder), ".")
    return python("-m", "pytest", *words, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}).stdout


@pytest.mark.parametrize("module", EXAMPLES)
def test_an_example_conforms(endings, module) -> None:
    assert set(re.findall(rf"^([A-Z]+) test_{module}\.py", endings, re.MULTILINE)) == {"PASSED"}, endings


def test_every_example_is_tested() -> None:
    shown = {module for module, code in SHOWN if "@hookimpl" in code}
    assert {*shown, README} == {*EXAMPLES, "cube_small"}


def test_presets_and_commands_of_the_example_are_offered(tmp_path) -> None:
    (tmp_path / "cube_small.py").write_text(dict(SHOWN)["cube_small"])
    install(tmp_path, "cube_small")
    for words, said in ((["hello"], "hello"), (["run", "--preset", "small", "--dry-run"], "bits = 40")):
        answer = cube(*words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
        assert answer.returncode == 0, answer.stderr
        assert said in answer.stdout
