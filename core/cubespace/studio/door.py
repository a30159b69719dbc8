"""A private way to the page: other users of the machine see the words that a browser is started with."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

from cubespace.base.leftovers import temporary_prefix

PAGE = """<!doctype html>
<meta charset="utf-8"><meta http-equiv="refresh" content="0;url={0}">
<a href="{0}">the studio</a>
"""


@contextmanager
def private_door(address: str) -> Iterator[str]:
    """Yield the address of a file that only its owner can read and that leads to the page; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=temporary_prefix()) as folder:  # nobody else may look into it
        door = Path(folder) / "studio.html"
        with os.fdopen(os.open(door, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(PAGE.format(escape(address)))
        yield door.as_uri()
