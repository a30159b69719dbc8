"""Fill in the parts of README.md and docs/*.md that come from the program, from its examples and from its results.

    python docs/generate.py            # after a change of options, hooks, presets, contracts, examples or results
    python docs/generate.py --check    # only list the pages that are not up to date

A part is what stands between ``<!-- made: NAME … -->`` and ``<!-- /made -->``; a single figure within a sentence
stands between ``<!-- fact: NAME -->`` and ``<!-- /fact -->``. Pages are committed with their parts, so that they read
as well in the repository as when they are built; a test compares them. Paragraphs get a line for each sentence.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from generator import (  # noqa: E402 - needs the path above
    answers,
    comparison,
    contracts,
    galleries,
    printed,
    program,
    results,
    tables,
    texts,
)
from generator.facts import FACTS  # noqa: E402
from generator.sentences import one_per_line  # noqa: E402

PART = re.compile(r"(?<=<!-- made: )(?P<name>\S+)(?P<words>[^>\n]*) -->\n.*?(?=<!-- /made -->)", re.DOTALL)
FACT = re.compile(r"(?<=<!-- fact: )(?P<name>\S+)(?P<words>[^>\n]*) -->[^<]*(?=<!-- /fact -->)")
PARTS: dict[str, Callable[..., str]] = {
    "answers": answers.answers,
    "cli": program.command_line,
    "code": texts.code,
    "contract": contracts.contract,
    "failures": galleries.failures,
    "far": results.far,
    "gallery": galleries.gallery,
    "hooks": program.hooks,
    "kinds": program.kinds,
    "options": program.component_options,
    "plugins": program.plugins,
    "presets": program.presets,
    "printed": printed.printed,
    "readme": results.readme,
    "rows-that-fail": galleries.rows_that_fail,
    "scaffold": texts.scaffold,
    "settings": program.settings,
    "table": tables.table,
    "tables": tables.index,
    "text": texts.text,
}


def pages() -> list[Path]:
    """Return the pages that may have parts."""
    docs = ROOT / "docs"
    return [ROOT / "README.md", *sorted(docs.glob("*.md")), *sorted(docs.glob("results/*.md"))]


def filled(page: str) -> str:
    """Return a page with its parts as they should be, and a line for each sentence."""
    return one_per_line(FACT.sub(_told, PART.sub(_made, page)))


def written(page: str) -> str:
    """Return a page without its generated parts."""
    return PART.sub(lambda match: f"{match['name']}{match['words']} -->\n", page)


def _told(match: re.Match[str]) -> str:
    name, words = match["name"], match["words"]
    return f"{name}{words} -->{FACTS[name](*words.split())}"


def _made(match: re.Match[str]) -> str:
    name, words = match["name"], match["words"]
    return f"{name}{words} -->\n{PARTS[name](*words.split())}"


def main(check: bool) -> int:
    """Write the pages, or only compare them; return the exit code."""
    wanted = {page: filled(page.read_text("utf-8")) for page in pages()} | {comparison.FIGURE: comparison.drawn()}
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
    for path in stale:
        print(path.relative_to(ROOT), "is not up to date" if check else "")
        if not check:
            path.write_text(wanted[path], "utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
