"""Names and texts that would be code in a web page: the report shows them as text."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from chaos_cases.harness import Case, Ended
from chaos_cases.world import World, forge_manifest

POISONS = (
    "<script>chaos()</script>",
    "</title><script>chaos()</script>",
    '"><img src=x onerror=chaos()>',
    "' onmouseover='chaos()",
    "</script><script>chaos()</script>",
    "<svg/onload=chaos()>",
    "<!--<script>chaos()//-->",
    "&lt;script&gt;chaos()&lt;/script&gt;<b>",
    "{{ ''.__class__ }}{% raw %}",
    "$\\frac$ and $x_{$",
    "<iframe src=javascript:chaos()>",
    "\u202e\u2066<script>chaos()</script>",
)
FOLDERS = (
    "javascript:chaos();x",
    "data:text/html,<script>chaos()<",
    "a$\\frac$b",
    "<b onclick=chaos()>",
    "a'b\"c&d",
    "a b#c?d%41",
    "a\nb",
    "ü€😀",
)


class Page(HTMLParser):
    """Collects what a page would run or open."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.script = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Look at the attributes of an element."""
        self.script = tag == "script"
        if tag in ("iframe", "object", "embed", "base"):
            self.found.append(f"<{tag}>")
        for name, value in attributes:
            text = (value or "").strip().lower()
            if name.startswith("on"):
                self.found.append(f"{tag} {name}={text[:40]}")
            if name in ("href", "src", "action", "xlink:href") and text.startswith(
                ("javascript:", "data:text", "http")
            ):
                self.found.append(f"{tag} {name}={text[:60]}")

    def handle_data(self, data: str) -> None:
        """Look at the text of scripts."""
        if self.script and "chaos()" in data:
            self.found.append("a script with the poison")

    def handle_endtag(self, tag: str) -> None:
        """Leave a script."""
        if tag == "script":
            self.script = False


def injections(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases with poisoned texts and folders."""
    for number in range(count):
        rng = random.Random(f"{seed} page {number}")
        if number % 3 == 0:
            name = FOLDERS[number // 3 % len(FOLDERS)]
            alone = bool(number // 3 // len(FOLDERS) % 2)
            yield Case(
                group="HTML",
                name=f"folder {name!r} {number}",
                prepare=partial(_folder, world, name, alone),
                check=_harmless,
            )
        else:
            yield Case(
                group="HTML",
                name=f"texts {number}",
                prepare=partial(_texts, world, rng.choice(POISONS), rng),
                check=_harmless,
            )


def _folder(world: World, name: str, alone: bool, folder: Path) -> Sequence[str]:
    world.copy(folder, name=name)
    if alone:
        return ["report", name, "-o", "page.html"]
    world.copy(folder, name="other")
    return ["report", name, "other", "-o", "page.html"]


def _texts(world: World, poison: str, rng: random.Random, folder: Path) -> Sequence[str]:
    run = world.copy(folder)
    for path in (*run.glob("*.json"), *run.glob("problems/*/*/result.json")):
        if path.name != "manifest.json":
            table = _poisoned(json.loads(path.read_text("utf-8")), poison, rng)
            path.write_text(json.dumps(table))
    (run / "domain.pddl").write_text(f"(define (domain {poison}))")
    forge_manifest(run)
    return ["report", "run", "-o", "page.html"]


def _poisoned(value: Any, poison: str, rng: random.Random) -> Any:
    """Replace texts, but not those that decide how a file is read: a page that is refused shows nothing."""
    if isinstance(value, dict):
        return {name: _poisoned(each, poison, rng) for name, each in value.items()}
    if isinstance(value, list):
        return [_poisoned(each, poison, rng) for each in value]
    return poison if isinstance(value, str) and rng.random() < 0.5 else value


def _harmless(folder: Path, ended: Ended) -> str:
    path = folder / "page.html"
    if not path.is_file():
        return "" if ended.code != 0 else "no page"
    page = Page()
    page.feed(path.read_text("utf-8"))
    return f"injected: {page.found[0]}" if page.found else ""
