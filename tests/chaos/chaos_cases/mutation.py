"""Damage: small, random, repeatable changes of bytes, and changes of tables that keep them readable."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

EXTREMES = (b"\x00\x00\x00\x00", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\x00\x00\x00\x01")
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, -(10**30), 0.5, 1e308, float("nan"), float("inf")),
    *("", "x", "\x00", "a" * 5000, "../../../etc/passwd", "\x1b[31m", "$\\frac$", "<script>alert(1)</script>", "ü€😀"),
    *([], {}, [[]], [None], {"": None}, [1, 2, 3], ["x"] * 50, {"a": {"b": {"c": {}}}}),
)


def damaged(content: bytes, rng: random.Random) -> bytes:
    """Return content with one kind of damage."""
    data = bytearray(content)
    place = rng.randrange(len(data)) if data else 0
    kind = rng.randrange(7)
    if kind == 0:
        for _ in range(rng.choice((1, 1, 2, 8, 64))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[place:]
    elif kind == 2:
        length = rng.randrange(1, 64)
        data[place : place + length] = bytes(length)
    elif kind == 3:
        data[place:place] = rng.randbytes(rng.randrange(1, 64))
    elif kind == 4:
        del data[place : place + rng.randrange(1, 64)]
    elif kind == 5:
        data[place : place + 4] = rng.choice(EXTREMES)
    else:
        data[place : place + 64] = data[place : place + 64] * 2
    return bytes(data)


def odd_table(table: Any, rng: random.Random) -> Any:
    """Return a table with one value, somewhere in it, replaced by something else, removed or given another name."""
    table = copy.deepcopy(table)
    places = list(_places(table))
    if not places:
        return rng.choice(ODD_VALUES)
    holder, key = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0:
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[rng.choice(("", "x", "__class__", key + "x"))] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    return table


def _places(value: Any) -> Any:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def odd_json(content: bytes, rng: random.Random) -> bytes:
    """Return JSON that is damaged, deep, or readable and wrong."""
    kind = rng.randrange(6)
    if kind == 0:
        return damaged(content, rng)
    if kind == 1:
        return rng.choice(
            (b"", b"null", b"[]", b"{}", b"7", b'"x"', b"[" * 200_000, b'{"a":' * 100_000, b"\xff\xfe\x00", b"NaN")
        )
    try:
        table = json.loads(content)
    except ValueError:  # lines of JSON
        lines = content.splitlines()
        table = json.loads(lines[rng.randrange(len(lines))]) if lines else {}
        lines = [*lines[:1], json.dumps(odd_table(table, rng)).encode(), *lines[1:]]
        return b"\n".join(lines) + b"\n"
    for _ in range(rng.choice((1, 1, 1, 3))):
        table = odd_table(table, rng)
    return json.dumps(table).encode()
