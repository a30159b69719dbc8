"""Parts that are files of the project: code, examples, templates of plugins, and what benchmarks printed."""

from __future__ import annotations

import ast
import re
import tempfile
from pathlib import Path

from cubespace.plugins.scaffold import write_plugin

ROOT = Path(__file__).parents[2]
LANGUAGES = {".py": "python", ".toml": "toml", ".pddl": "lisp"}


def code(path: str, name: str | None = None) -> str:
    """Return a file as a block of code, or one class or function of it."""
    text = (ROOT / path).read_text("utf-8")
    if name is not None:
        (found,) = [node for node in ast.parse(text).body if getattr(node, "name", None) == name]
        first = min([found.lineno, *(mark.lineno for mark in getattr(found, "decorator_list", []))])
        text = "\n".join(text.splitlines()[first - 1 : found.end_lineno]) + "\n"
    return f"```{LANGUAGES[Path(path).suffix]}\n{text}```\n"


def scaffold(kind: str, file: str) -> str:
    """Return a file of the package that ``cube new-plugin mine`` writes."""
    with tempfile.TemporaryDirectory() as folder:
        write_plugin("mine", kind, Path(folder) / kind)
        return f"```{LANGUAGES[Path(file).suffix]}\n{(Path(folder) / kind / file).read_text('utf-8')}```\n"


def text(path: str) -> str:
    """Return a file without its title, its headings one level down; a result that is not there yet says so."""
    if path.startswith("results/") and not (ROOT / path).is_file():
        return "Not measured yet.\n"
    lines = (ROOT / path).read_text("utf-8").splitlines()
    body = lines[1:] if lines[0].startswith("# ") else lines
    return lower("\n".join(body)).strip("\n") + "\n"


def lower(markdown: str) -> str:
    """Return Markdown with its headings one level down."""
    return re.sub(r"^(#+ )", r"#\1", markdown, flags=re.MULTILINE)
