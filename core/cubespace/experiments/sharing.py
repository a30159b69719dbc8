"""Stages that a run takes over from another run with the same settings up to there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from cubespace.base.errors import CubeError
from cubespace.runs.folder.manifest import MANIFEST, StageRecord, read_manifest
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.run_config import RunConfig
from cubespace.settings.stages import way_to


def records(folder: Path, config: RunConfig) -> dict[str, StageRecord]:
    """Return the stage records of a run folder; empty if it cannot be read."""
    try:
        return read_manifest(folder / MANIFEST, config)
    except CubeError:
        return {}


def finished_stages(run: RunFolder) -> frozenset[str]:
    """Return the finished stages of a run; none if its folder is not there or cannot be read.

    Whether a cell of a matrix is done is asked here only: by the matrix before and after it works, and by tables.
    """
    try:
        return run.finished_stages() if run.file(MANIFEST).is_file() else frozenset()
    except CubeError:
        return frozenset()


def recorded(folder: Path, config: RunConfig, stage: str) -> bool:
    """Return whether a run folder says that a stage, and those before it, are done with these settings.

    Faster than :meth:`RunFolder.finished`, which also checks files and versions.
    """
    done = records(folder, config)
    return all(each.name in done and done[each.name].key == config.own_key(each.name) for each in way_to(stage))


def holders(pool: Path, run: RunFolder, stage: str) -> Iterator[RunFolder]:
    """Yield the other runs below a folder whose stage is finished and has the same identity."""
    key = run.config.key(stage)
    for path in sorted(pool.iterdir()) if pool.is_dir() else ():
        if path.resolve() == run.path.resolve() or not (path / MANIFEST).is_file():
            continue
        with suppress(CubeError):  # of another version, or being written
            other = RunFolder.load(path, run.catalogue)
            if other.config.key(stage) == key and recorded(path, other.config, stage) and other.finished(stage):
                yield other


def take_over(run: RunFolder, pool: Path, stages: Sequence[str]) -> Iterator[tuple[str, RunFolder]]:
    """Take over every stage that a run below a folder has finished; yield it and the run it came from."""
    for stage in stages:
        if run.finished(stage):
            continue
        other = next(holders(pool, run, stage), None)
        if other is None:
            return
        with run.locked():
            run.adopt(other, stage)
        yield stage, other
