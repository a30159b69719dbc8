"""The image cannot be built in a test, but what the Dockerfile copies and runs must exist."""

import re
import shlex
import tomllib
from pathlib import Path

import typer

from cubespace.cli.commands import app

ROOT = Path(__file__).parents[1]
TEXT = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
STEPS = [line.split(maxsplit=1) for line in TEXT.replace("\\\n", " ").splitlines() if line.strip()]
KNOWN = {"FROM", "ARG", "WORKDIR", "COPY", "RUN", "USER", "ENV", "ENTRYPOINT", "CMD"}


def steps(word: str) -> list[str]:
    return [words for name, words in STEPS if name == word]


def test_every_step_is_one_that_docker_knows() -> None:
    assert {name for name, _ in STEPS} == KNOWN


def test_what_is_copied_is_there_and_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    copied = [source for words in steps("COPY") for source in words.split()[:-1]]
    assert all((ROOT / source).exists() for source in copied)
    assert not set(copied) & set(ignored)


def test_what_the_package_is_built_from_is_copied() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    needed = {project["project"]["readme"], *project["project"]["license-files"], *(p.split("/")[0] for p in packages)}
    assert needed <= {source for words in steps("COPY") for source in words.split()}


def test_the_commands_exist() -> None:
    (entry,) = steps("ENTRYPOINT")
    assert entry == '["cube"]'
    commands = typer.main.get_command(app).commands
    for words in [*steps("RUN"), *re.findall(r"cubespace (run .*)", (ROOT / "Dockerfile").read_text("utf-8"))]:
        first, *others = shlex.split(words)
        if first == "cube":
            assert others[0] in commands
        elif first == "run":
            assert commands["run"].make_context("run", others)


def test_the_python_of_the_image_is_supported() -> None:
    (version,) = re.findall(r"python:(3\.\d+)", TEXT)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
