"""Start a plugin package from a template that works."""

from __future__ import annotations

import keyword
import re
import shutil
import tempfile
from importlib.resources import files
from pathlib import Path
from string import Template

from cubespace.errors import InputError, UsageError
from cubespace.options import suggestion
from cubespace.plugins import KINDS


def write_plugin(name: str, kind: str, folder: Path) -> Path:
    """Write the package into ``folder``, which must not exist yet; either all of it or nothing."""
    if kind not in KINDS:
        raise UsageError(f"No kind is called '{kind}'. {suggestion(kind, KINDS)}Available: {', '.join(KINDS)}.")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise UsageError(
            f"'{name}' is no good plugin name: use lower-case words joined by hyphens, such as 'two-rooms'"
        )
    if folder.exists():
        raise InputError(f"{folder} already exists: choose another place with -o")
    words = {
        "name": name,
        "kind": kind,
        "title": KINDS[kind].title,
        "hook": KINDS[kind].hook,
        "module": "cube_" + name.replace("-", "_"),
        "cls": "".join(word.capitalize() for word in name.split("-")),
    }
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise InputError(f"cannot write to {folder.parent}: {error.strerror}") from error
    try:
        _fill(draft, words)
        draft.chmod(0o755)  # mkdtemp makes it private
        draft.rename(folder)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise InputError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def _fill(folder: Path, words: dict[str, str]) -> None:
    targets = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        f"{words['kind']}.py": f"{words['module']}.py",
        "test.py": f"tests/test_{words['module']}.py",
    }
    templates = files(__package__) / "templates"
    for source, target in targets.items():
        text = Template((templates / f"{source}.template").read_text("utf-8")).substitute(words)
        (folder / target).parent.mkdir(exist_ok=True)
        (folder / target).write_text(text, "utf-8")
