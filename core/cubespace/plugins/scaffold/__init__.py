"""Start a plugin package from a working template."""

from __future__ import annotations

import keyword
import re
import shutil
import tempfile
from importlib.resources import files
from pathlib import Path
from string import Template

import attrs

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import suggestion
from cubespace.plugins.component import KINDS


@attrs.frozen
class Start:
    """What a package can start as: a kind of component, its description, and how the user chooses it."""

    kind: str
    about: str  # what such a component is
    summary: str  # of the component in the template
    usage: str


SECTION = "autoencoder"  # of the settings that name the parts of a network; its learner has the same name
NETWORK = f"--learner {SECTION} --set {SECTION}"  # a part of the network, as the user names it

# the kinds of components; two of them have a simpler alternative
STARTS = {
    "domain": Start(
        "domain",
        "a world that knows its states and judges plans",
        "a robot that walks through a garden, around its pond",
        "--domain $name",
    ),
    "source": Start(
        "domain",
        "a domain that only has pairs of pictures",
        "a row of lamps, as pairs of pictures only",
        "--domain $name",
    ),
    "learner": Start(
        "learner",
        "from pairs of pictures to bits and back",
        "bright and dark cells of a grid",
        "--learner $name",
    ),
    "apply": Start("apply", "how an action changes the bits", "add the effect in logit space", "--apply $name"),
    "encoder": Start("encoder", "from pictures to bits", "one linear layer on all pixels", f"{NETWORK}.encoder=$name"),
    "decoder": Start("decoder", "from bits to pictures", "one linear layer to all pixels", f"{NETWORK}.decoder=$name"),
    "action": Start(
        "action",
        "which action leads from one state to another",
        "one linear layer on both states",
        f"{NETWORK}.action=$name",
    ),
    "objective": Start(
        "objective", "what the joint training minimises", "pictures alone", f"{NETWORK}.objective=$name"
    ),
    "extension": Start(
        "extension",
        "a phase besides the joint training",
        "actions trained once more on frozen bits",
        "--set train.extensions=$name",
    ),
    "precondition": Start(
        "precondition", "when an action applies", "only what the effect itself requires", "--precondition $name"
    ),
    "planner": Start(
        "planner", "a planner that runs as a process", "breadth-first search in Python", "--planner $name"
    ),
    "solver": Start("planner", "a search inside this process", "breadth-first search in bits", "--planner $name"),
    "observer": Start(
        "observer",
        "a tracker that follows runs",
        "every epoch and every plan in a CSV file",
        "--observer $name",
    ),
    "executor": Start(
        "executor",
        "what runs the jobs of an experiment",
        "one job after another, with low priority",
        "--executor $name",
    ),
}


def write_plugin(name: str, start: str, folder: Path) -> Path:
    """Write the package into ``folder``, which must not exist yet; either all of it or nothing."""
    if start not in STARTS:
        raise UsageError(f"No kind is called '{start}'. {suggestion(start, STARTS)}Available: {', '.join(STARTS)}.")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise UsageError(
            f"'{name}' is not a good plugin name: use lower-case words joined by hyphens, such as 'two-rooms'"
        )
    if folder.exists():
        raise InputError(f"{folder} already exists: choose another folder with -o")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise InputError(f"cannot write to {folder.parent}: {error.strerror}") from error
    try:
        _fill(draft, start, _words(name, STARTS[start]))
        draft.chmod(0o755)  # mkdtemp makes it private
        draft.rename(folder)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise InputError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def _words(name: str, start: Start) -> dict[str, str]:
    """Return the values of the templates' variables."""
    kind = KINDS[start.kind]
    return {
        "name": name,
        "kind": kind.name,
        "title": kind.title,
        "hook": kind.hook,
        "usage": Template(start.usage).substitute(name=name),
        "summary": start.summary,
        "module": "cube_" + name.replace("-", "_"),
        "cls": "".join(word.capitalize() for word in name.split("-")),
    }


def _fill(folder: Path, start: str, words: dict[str, str]) -> None:
    targets = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        "plugin.py": f"{words['module']}_plugin.py",
        f"{start}.py": f"{words['module']}.py",
        "test.py": f"tests/test_{words['module']}.py",
    }
    templates = files(__package__) / "templates"
    for source, target in targets.items():
        text = Template((templates / f"{source}.template").read_text("utf-8")).substitute(words)
        (folder / target).parent.mkdir(exist_ok=True)
        (folder / target).write_text(text, "utf-8")
