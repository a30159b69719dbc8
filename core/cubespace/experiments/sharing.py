"""Stages that a run takes over from another one, whose settings up to there are the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cubespace.base.errors import CubeError
from cubespace.base.files import read_json, write_json
from cubespace.runs.folder import RunFolder


def record(folder: Path, stage: str) -> dict[str, object] | None:
    """Return what a run folder says of a finished stage, or None."""
    try:
        manifest = read_json(folder / "manifest.json")
    except CubeError:
        return None
    found = manifest.get(stage) if isinstance(manifest, dict) else None
    return found if isinstance(found, dict) else None


def holders(pool: Path, stage: str, key: str) -> Iterator[RunFolder]:
    """Yield the runs below a folder whose stage is finished under this identity."""
    for path in sorted(pool.iterdir()) if pool.is_dir() else ():
        found = record(path, stage)
        if found is not None and found.get("key") == key:
            with suppress(CubeError):
                run = RunFolder.load(path)
                if run.finished(stage):
                    yield run


def adopt(run: RunFolder, other: RunFolder, stage: str) -> None:
    """Take over a finished stage."""
    found = record(other.path, stage)
    assert found is not None
    files = found["files"]
    assert isinstance(files, dict)
    for name in files:
        target = run.file(name)
        target.unlink(missing_ok=True)
        try:
            os.link(other.file(name), target)
        except OSError:
            shutil.copy2(other.file(name), target)
    manifest = read_json(run.file("manifest.json")) if run.file("manifest.json").is_file() else {}
    assert isinstance(manifest, dict)
    write_json(run.file("manifest.json"), {**manifest, stage: found})


def take_over(run: RunFolder, pool: Path, stages: tuple[str, ...]) -> Iterator[tuple[str, RunFolder]]:
    """Take over every stage that a run below a folder has finished; yield it and the run it came from."""
    for stage in stages:
        if run.finished(stage):
            continue
        other = next(holders(pool, stage, run.config.key(stage)), None)
        if other is None:
            return
        with run.locked():
            adopt(run, other, stage)
        yield stage, other
