"""Stages that a run takes over from another run with the same settings up to there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import attrs

from cubespace.base.errors import CubeError
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.manifest import MANIFEST, StageRecord, read_manifest
from cubespace.runs.folder.run_folder import CONFIG, RunFolder
from cubespace.settings.run_config import RunConfig
from cubespace.settings.stages import STAGES, way_to


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


def recorded_stages(folder: Path, config: RunConfig) -> frozenset[str]:
    """Return the stages of which a run folder says that they, and those before them, are done with these settings.

    Faster than :meth:`RunFolder.finished`, which also checks files and versions.
    """
    done = records(folder, config)
    current = {name for name, record in done.items() if record.key == config.own_key(name)}
    return frozenset(stage for stage in STAGES if current.issuperset(each.name for each in way_to(stage)))


@attrs.frozen
class Lenders:
    """Runs whose finished stages may be taken over, by the identity of each stage; each run is opened once."""

    _by_identity: dict[tuple[str, str], list[RunFolder]]

    @classmethod
    def of(cls, folders: Iterable[Path], catalogue: Catalogue) -> Lenders:
        """Open run folders, and those directly below other folders; what cannot be read lends nothing."""
        by_identity: defaultdict[tuple[str, str], list[RunFolder]] = defaultdict(list)
        for path in (path for folder in folders for path in _runs_in(folder)):
            with suppress(CubeError):  # of another version, or being written
                run = RunFolder.load(path, catalogue)
                for stage in recorded_stages(path, run.config):
                    by_identity[stage, run.config.key(stage)].append(run)
        return cls(dict(by_identity))

    def holders(self, run: RunFolder, stage: str) -> Iterator[RunFolder]:
        """Yield the other runs whose stage is finished and has the same identity."""
        for other in self._by_identity.get((stage, run.config.key(stage)), ()):
            if other.path.resolve() == run.path.resolve():
                continue
            with suppress(CubeError):
                if other.finished(stage):
                    yield other


def take_over(run: RunFolder, lenders: Lenders, stages: Sequence[str]) -> Iterator[tuple[str, RunFolder]]:
    """Take over every stage that another run has finished; yield it and the run it came from."""
    for stage in stages:
        if run.finished(stage):
            continue
        other = next(lenders.holders(run, stage), None)
        if other is None:
            return
        with run.locked():
            run.adopt(other, stage)
        yield stage, other


def _runs_in(folder: Path) -> list[Path]:
    """Return a run folder itself, or the run folders directly below a folder."""
    if (folder / CONFIG).is_file():
        return [folder]
    return sorted(path for path in folder.iterdir() if (path / MANIFEST).is_file()) if folder.is_dir() else []
