"""Hostile pictures, archives and tables of the user: refused in one line, or read; no code of theirs is run."""

from __future__ import annotations

import io
import os
import pickle
import random
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from chaos_cases.harness import CANARY, Case, Ended
from chaos_cases.mutation import damaged

FORMATS = {"png": {}, "jpg": {"quality": 80}, "gif": {}, "bmp": {}, "tif": {}, "webp": {"lossless": True}}
NAMES = {"jpg": "JPEG", "tif": "TIFF"}
PATTERN = np.random.default_rng(0).integers(0, 2, (12, 12), dtype=np.uint8) * 200


class Bomb:
    """Makes the canary if it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the code that a reader must never run."""
        return os.system, (f'touch "${CANARY}"',)


def picture(kind: str = "png", mode: str = "L", size: tuple[int, int] = (12, 12)) -> bytes:
    """Return a small picture in a format."""
    pixels = np.tile(PATTERN, (size[1] // 12 + 1, size[0] // 12 + 1))[: size[1], : size[0]]
    buffer = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(buffer, NAMES.get(kind, kind.upper()), **FORMATS[kind])
    return buffer.getvalue()


def pictures(seed: int, count: int) -> Iterator[Case]:
    """Yield cases with crafted and damaged pictures, read as pairs of the user's own."""
    crafted = crafted_pictures()
    for name, content in list(crafted.items())[:count]:
        yield _pair_case("pictures", name, content)
    for number in range(max(0, count - len(crafted))):
        rng = random.Random(f"{seed} picture {number}")
        kind = rng.choice(list(FORMATS))
        mode = rng.choice(("L", "RGB", "P", "1")) if kind in ("png", "tif", "bmp") else "L"
        content = picture(kind, mode)
        for _ in range(rng.choice((1, 1, 2, 5))):
            content = damaged(content, rng)
        suffix = rng.choice(list(FORMATS)) if rng.random() < 0.2 else kind
        yield _pair_case("pictures", f"damaged {kind} {number}", content, suffix)


def crafted_pictures() -> dict[str, bytes]:
    """Return pictures that are made to do harm."""
    postscript = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 12 12\n(canary) (w) file\n"
    plain = picture()
    deep: dict[str, bytes] = {}
    for name, array in {
        "16 bits": PATTERN.astype(np.uint16) * 4,
        "32 bits": PATTERN.astype(np.int32),
        "floats": (PATTERN / 255).astype(np.float32),
        "not a number": np.full((12, 12), np.nan, dtype=np.float32),
    }.items():
        buffer = io.BytesIO()
        Image.fromarray(array).save(buffer, "TIFF")
        deep[name] = buffer.getvalue()
    return {
        "empty": b"",
        "one byte": b"\x89",
        "text": b"not a picture\n",
        "PostScript": postscript,
        "PostScript after spaces": b"\n  " + postscript,
        "HTML": b"<html><script>alert(1)</script></html>",
        "pickle": pickle.dumps(Bomb()),
        "two pictures": plain * 2,
        "huge on paper": _png_header(2**31 - 1, 2**31 - 1),
        "400 megapixels": _png_header(20_000, 20_000),
        "no rows": _png_header(0, 0),
        "a bomb of text": _with_chunk(plain, b"zTXt", b"k\0\0" + zlib.compress(bytes(50_000_000))),
        "a bomb of colours": _with_chunk(plain, b"iCCP", b"k\0\0" + zlib.compress(bytes(50_000_000))),
        **deep,
    }


def _png_header(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, (b"IHDR", b"IDAT", b"IEND"), (head, body, b"")))


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _with_chunk(png: bytes, name: bytes, body: bytes) -> bytes:
    return png[:33] + _chunk(name, body) + png[33:]


def _pair_case(group: str, name: str, content: bytes, suffix: str = "png") -> Case:
    def prepare(folder: Path) -> Sequence[str]:
        (folder / "pairs").mkdir()
        for pair in range(4):
            (folder / "pairs" / f"{pair}_a.png").write_bytes(picture())
            (folder / "pairs" / f"{pair}_b.png").write_bytes(picture(mode="1"))
        (folder / "pairs" / f"9_a.{suffix}").write_bytes(content)
        (folder / "pairs" / "9_b.png").write_bytes(picture())
        _fake_ghostscript(folder)
        return ["data", "images:path=pairs", "-o", "out.npz"]

    return Case(group=group, name=name, prepare=prepare, inside=_ghostscript_first)


def _fake_ghostscript(folder: Path) -> None:
    """Put programs that only make the canary under the names of helpers that a picture library may start."""
    (folder / "bin").mkdir()
    for name in ("gs", "gswin64c", "convert", "magick"):
        (folder / "bin" / name).write_text(f'#!/bin/sh\ntouch "${CANARY}"\n')
        (folder / "bin" / name).chmod(0o755)


def _ghostscript_first() -> None:
    os.environ["PATH"] = f"{Path.cwd() / 'bin'}:{os.environ['PATH']}"


def archives(seed: int, count: int) -> Iterator[Case]:
    """Yield cases with crafted and damaged ``.npz`` files."""
    crafted = crafted_archives()
    for name, content in list(crafted.items())[:count]:
        yield _archive_case(name, content)
    good = crafted["good"]
    for number in range(max(0, count - len(crafted))):
        rng = random.Random(f"{seed} archive {number}")
        yield _archive_case(f"damaged {number}", damaged(good, rng))


def _archive_case(name: str, content: bytes) -> Case:
    def prepare(folder: Path) -> Sequence[str]:
        (folder / "pairs.npz").write_bytes(content)
        return ["data", "images:path=pairs.npz", "-o", "out.npz"]

    return Case(group="npz of the user", name=name, prepare=prepare)


def crafted_archives() -> dict[str, bytes]:
    """Return archives that are made to do harm, and a good one."""
    good = np.tile(PATTERN, (5, 1, 1))
    odd: dict[str, Any] = {
        "floats": good / 255.0,
        "floats beyond": good * 1e300,
        "not a number": np.full((5, 12, 12), np.nan),
        "objects": np.array([Bomb()] * 5, dtype=object),
        "complex": good.astype(complex),
        "text": np.array(["a", "b"]),
        "dates": np.zeros(5, dtype="M8[s]"),
        "bools": good > 0,
        "signed": good.astype(np.int8),
        "64 bits": good.astype(np.int64),
        "nothing": np.zeros((0, 12, 12), np.uint8),
        "no height": np.zeros((5, 0, 12), np.uint8),
        "one number": np.array(7),
        "one row": np.zeros(12, np.uint8),
        "five axes": np.zeros((1, 2, 3, 4, 5), np.uint8),
        "two colours": np.zeros((5, 12, 12, 2), np.uint8),
        "a record": np.zeros(5, dtype=[("a", np.uint8), ("b", np.float32)]),
    }
    made = {"good": _archive(before=good, after=good)}
    made |= {name: _archive(before=array, after=array) for name, array in odd.items()}
    made["only before"] = _archive(before=good)
    made["shapes differ"] = _archive(before=good, after=good[:3])
    made["empty"], made["text file"], made["pickle"] = b"", b"before,after\n", pickle.dumps(Bomb())
    made["no npy in it"] = _zip({"before.npy": b"", "after.npy": b""})
    made["text in it"] = _zip({"before.npy": b"hello", "after.npy": b"hello"})
    made["paths out of it"] = _zip({"../../before.npy": b"x", "/tmp/after.npy": b"x"})
    for name, shape in (
        ("terabytes", "(1000000, 1000, 1000)"),
        ("negative", "(-1, 2, 3)"),
        ("code", "__import__('os').system('touch $CHAOS_CANARY')"),
    ):
        header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
        array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(100)
        made[f"header: {name}"] = _zip({"before.npy": array, "after.npy": array})
    return made


def _archive(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=True, **arrays)
    return buffer.getvalue()


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tables(seed: int, count: int) -> Iterator[Case]:
    """Yield cases with crafted and damaged tables of pairs."""
    good = b"before,after\n" + b"a.png,b.png\n" * 5
    crafted = {
        "good": good,
        "byte order mark": b"\xef\xbb\xbf" + good,
        "empty": b"",
        "heading only": b"before,after\n",
        "one cell": b"a.png\n",
        "three cells": b"a.png,b.png,c.png\n" * 100_000,
        "missing files": b"".join(b"x%d.png,y%d.png\n" % (n, n) for n in range(20_000)),
        "a name of 5,000 letters": b"a" * 5000 + b".png,b.png\n",
        "zero bytes": b"a\0.png,b.png\n",
        "not UTF-8": b"\xff\xfe.png,b.png\n",
        "UTF-16": good.decode().encode("utf-16"),
        "an open quote": b'"a.png,b.png\n' * 1000,
        "a quoted newline": b'"a\nb.png",b.png\n',
        "escape codes": b"\x1b[31mred.png,b.png\n",
        "out of the folder": b"../../../../etc/passwd,b.png\n",
        "a device": b"/dev/null,b.png\n",
        "a folder": b".,b.png\n",
        "its own": b"pairs.csv,pairs.csv\n",
        "a very long field": b"a" * 300_000 + b",b.png\n",
        "formulas": b"=cmd|' /C touch canary'!A0,b.png\n",
    }
    for name, content in list(crafted.items())[:count]:
        yield _table_case(name, content)
    for number in range(max(0, count - len(crafted))):
        yield _table_case(f"damaged {number}", damaged(good, random.Random(f"{seed} table {number}")))


def _table_case(name: str, content: bytes) -> Case:
    def prepare(folder: Path) -> Sequence[str]:
        (folder / "pairs.csv").write_bytes(content)
        (folder / "a.png").write_bytes(picture())
        (folder / "b.png").write_bytes(picture(mode="1"))
        return ["data", "images:path=pairs.csv", "-o", "out.npz"]

    return Case(group="CSV of the user", name=name, prepare=prepare)


def planned_pictures(world: Any, seed: int, count: int) -> Iterator[Case]:
    """Yield cases that plan from a damaged picture."""
    start, goal = world.pictures()
    good = Path(start).read_bytes()
    crafted = crafted_pictures()

    def prepare(content: bytes, folder: Path) -> Sequence[str]:
        world.copy(folder)
        (folder / "start.png").write_bytes(content)
        _fake_ghostscript(folder)
        return ["plan", "--run", "run", "start.png", goal, "--time-limit", "20"]

    def check(_: Path, ended: Ended) -> str:
        return "" if ended.code in (0, 1, 3, 4, 5) else f"exit code {ended.code}"

    contents = list(crafted.items())
    for number in range(count):
        rng = random.Random(f"{seed} planned {number}")
        name, content = contents[number] if number < len(contents) else (f"damaged {number}", damaged(good, rng))
        yield Case(
            group="pictures",
            name=f"plan from: {name}",
            prepare=partial(prepare, content),
            inside=_ghostscript_first,
            check=check,
        )
