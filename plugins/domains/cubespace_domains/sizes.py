"""The option ``resize=HEIGHTxWIDTH``, which several domains have."""

from __future__ import annotations

import re

import attrs


def check_size(_: object, attribute: attrs.Attribute[str | None], value: str | None) -> None:
    """Refuse what is not of the form HEIGHTxWIDTH."""
    if value is not None and not re.fullmatch(r"[1-9]\d{0,3}x[1-9]\d{0,3}", value):
        raise ValueError(f"'{value}' is not of the form HEIGHTxWIDTH, as in {attribute.name}=42x42")


def parse_size(text: str) -> tuple[int, int]:
    """Return height and width."""
    height, width = map(int, text.split("x"))
    return height, width
