"""The plugins that README and documentation show are installed, as a stranger's would be, and pass their suites."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from command import cube, python

ROOT = Path(__file__).parents[2]
SHOWN = re.findall(
    r"```python\n# ([a-z_]+)\.py\n(.*?)```", (ROOT / "docs" / "plugins.md").read_text("utf-8"), re.DOTALL
)
EXAMPLES = {  # by module: the kind and name of each component
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


def conforms(folder: Path, components: list[tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    """Run the conformance suites of some components in a process that finds the plugins of a folder."""
    tests = [f"test_{number} = conformance({kind!r}, {spec!r})" for number, (kind, spec) in enumerate(components)]
    (folder / "test_it.py").write_text("\n".join(["from cubespace.testing import conformance", *tests, ""]))
    words = ["pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "test_it.py"]
    return python("-m", *words, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)})


def test_the_module_of_the_readme_conforms(tmp_path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "logit_sum.py").write_text(code)
    install(tmp_path, "logit_sum")
    answer = conforms(tmp_path, [("apply", "logit-sum")])
    assert answer.returncode == 0, answer.stdout


def test_every_example_is_tested() -> None:
    shown = {module for module, code in SHOWN if "@hookimpl" in code}
    assert shown == {*EXAMPLES, "cube_small"}


def test_presets_and_commands_of_the_example_are_offered(tmp_path) -> None:
    (tmp_path / "cube_small.py").write_text(dict(SHOWN)["cube_small"])
    install(tmp_path, "cube_small")
    for words, said in ((["hello"], "hello"), (["run", "--preset", "small", "--dry-run"], "bits = 40")):
        answer = cube(*words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
        assert answer.returncode == 0, answer.stderr
        assert said in answer.stdout


@pytest.mark.parametrize("module", EXAMPLES)
def test_an_example_of_the_documentation_conforms(module, tmp_path) -> None:
    for name, code in SHOWN:
        (tmp_path / f"{name}.py").write_text(code)
    install(tmp_path, module)
    answer = conforms(tmp_path, EXAMPLES[module])
    assert answer.returncode == 0, answer.stdout
