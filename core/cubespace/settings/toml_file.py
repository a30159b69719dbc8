"""TOML files of the user, read with errors that name them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from cubespace.base.errors import InputError

MOST_NESTED = 30  # levels of a file; settings have four, and Python gives up at some hundreds
# A key of more parts than any other has: tomllib takes a time for it that grows with their square, or kills Python.
# It begins where a word begins, so that looking for it takes one pass.
LONG_KEY = re.compile(r"""(?<![\w."' \t-])(?:[\w"' \t-]++\.){300}""")


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file; one that is absent or malformed is an :class:`InputError` that names it."""
    try:
        text = file.read_text("utf-8-sig")  # some editors begin with a mark
        if LONG_KEY.search(text) or _nested(table := tomllib.loads(text), MOST_NESTED):
            raise RecursionError
        return table
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{file} is not a TOML file: {error}") from error
    except RecursionError:
        raise InputError(f"{file} is not a TOML file: it is nested too deeply") from None


def _nested(value: object, levels: int) -> bool:
    """Return whether a table or list has more levels than that."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_nested(part, levels - 1) for part in parts)
