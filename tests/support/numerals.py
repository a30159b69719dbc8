"""Numerals in the text of the pages: those that a person typed, and why each may be typed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs

ALLOWED = Path(__file__).parents[1] / "docs" / "numerals.toml"
MADE = re.compile(r"<!-- made: .*?<!-- /made -->|<!-- fact: .*?<!-- /fact -->", re.DOTALL)
CODE = re.compile(
    r"^(?P<fence>`{3,})[\s\S]*?^(?P=fence)|`[^`\n]+`|^(?: {4}|\t).*$|\]\([^)\n]*\)|https?://\S+|<[^>\n]+>", re.MULTILINE
)
NUMERAL = re.compile(r"(?<![\w.])[−-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)*|\.\d+)(?![\w]|,\d)")


@attrs.frozen
class Numeral:
    """A numeral with its page and its line, from which code and made parts are taken out."""

    page: str
    line: str
    start: int
    text: str

    def __str__(self) -> str:
        """Return where it stands."""
        around = self.line[max(0, self.start - 40) : self.start + len(self.text) + 40]
        return f"{self.page}: {self.text} in '…{around}…'"


@attrs.frozen
class Allowance:
    """A pattern in the text of a page, or of all pages, in which numerals may be typed, and the reason."""

    pattern: re.Pattern[str]
    why: str
    page: str = ""

    def covers(self, numeral: Numeral) -> bool:
        """Return whether a numeral stands within the pattern."""
        if self.page and self.page != numeral.page:
            return False
        end = numeral.start + len(numeral.text)
        return any(
            match.start() <= numeral.start and end <= match.end() for match in self.pattern.finditer(numeral.line)
        )


def numerals(page: str, text: str) -> Iterator[Numeral]:
    """Yield the numerals of a page outside of made parts, code and addresses."""
    plain = CODE.sub(" ", MADE.sub("", text))
    for line in plain.splitlines():
        for match in NUMERAL.finditer(line):
            yield Numeral(page, line, match.start(), match[0])


@cache
def allowances() -> tuple[Allowance, ...]:
    """Return what may be typed: ``[anywhere]`` by pattern, then by page; the pattern ``*`` is the whole page."""
    table = tomllib.loads(ALLOWED.read_text("utf-8"))
    everywhere = [Allowance(re.compile(pattern), why) for pattern, why in table.pop("anywhere").items()]
    by_page = [
        Allowance(re.compile(".*" if pattern == "*" else pattern), why, page)
        for page, patterns in table.items()
        for pattern, why in patterns.items()
    ]
    return (*everywhere, *by_page)
