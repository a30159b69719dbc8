"""TOML, parsed in a time that grows with the text: ``tomllib`` takes the square of it for a key of many parts."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_NESTED = 30  # levels of a file; settings have four, and Python gives up at some hundreds
TOO_DEEP = "it is nested too deeply"
_STRINGS_AND_COMMENTS = re.compile(  # one that is not closed ends where the line or the text does
    r'"""(?:\\.|[^\\])*?(?:"{3,5}|\\?\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; one that is malformed or nested too deeply is a :class:`ValueError`."""
    if _longest_key(text) > MOST_NESTED:
        raise ValueError(TOO_DEEP)
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    if _nested(table, MOST_NESTED):
        raise ValueError(TOO_DEEP)
    return table


def _longest_key(text: str) -> int:
    """Return how many parts the longest key has, in a text that need not be TOML."""
    bare = _STRINGS_AND_COMMENTS.sub("", text)
    return 1 + max(words.count(".") for words in re.split(r"[^\w\-. \t]+", bare))


def _nested(value: object, levels: int) -> bool:
    """Return whether a table or list has more levels than that."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_nested(part, levels - 1) for part in parts)
