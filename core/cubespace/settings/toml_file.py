"""TOML files of the user, read with errors that name them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cubespace.base.errors import InputError
from cubespace.base.toml import parse_toml


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file; one that is absent or malformed is an :class:`InputError` that names it."""
    try:
        return parse_toml(file.read_text("utf-8-sig"))  # some editors begin with a mark
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{file} is not a TOML file: {error}") from error
