"""The run folder: every stage reads it and writes to it, so each can be run alone, again, or on another machine."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import attrs
import filelock

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.base.files import in_use, link, read_json, sha256, write_json, write_text
from cubespace.base.leftovers import refuse_links, remove_parts, remove_temporary_folders
from cubespace.base.options import parse_spec
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.identity import component_identities, same_components, same_sources, source_digests
from cubespace.runs.folder.kept_hashes import HASHES, KeptHashes
from cubespace.runs.folder.machine import environment
from cubespace.runs.folder.manifest import (
    MANIFEST,
    StageRecord,
    is_of_older_version,
    read_manifest,
    write_manifest,
)
from cubespace.runs.folder.read_once import ReadOnce
from cubespace.settings.check import refuse_missing_files, resolve_components
from cubespace.settings.run_config import RunConfig, differing_keys, dump_toml, load_stored
from cubespace.settings.stages import STAGES

CONFIG, ENVIRONMENT = "config.toml", "environment.json"


@attrs.frozen
class RunFolder:
    """A folder with the configuration of a run and all that came of it so far.

    ``digests`` is the snapshot of the command at work: the hash of each file that it has verified, which holds while
    the file is the same on disk. :meth:`working` begins a new one.
    """

    path: Path
    config: RunConfig
    catalogue: Catalogue = attrs.field(factory=load_plugins, repr=False, eq=False)
    digests: ReadOnce[str] = attrs.field(factory=lambda: ReadOnce(sha256), repr=False, eq=False)
    _configs: ReadOnce[RunConfig] = attrs.field(factory=lambda: ReadOnce(load_stored), repr=False, eq=False)
    _manifests: ReadOnce[dict[str, StageRecord]] = attrs.field(init=False, repr=False, eq=False)

    hashes: KeptHashes = attrs.field(init=False, repr=False, eq=False)

    @hashes.default
    def _kept_hashes(self) -> KeptHashes:
        return KeptHashes(self.path / HASHES, self.digests)

    @_manifests.default
    def _read_manifests(self) -> ReadOnce[dict[str, StageRecord]]:
        return ReadOnce(partial(read_manifest, config=self.config))

    @classmethod
    def load(cls, path: Path | str, catalogue: Catalogue | None = None) -> RunFolder:
        """Open an existing run folder; without a catalogue, with all installed plugins."""
        path = Path(path)
        if not (path / CONFIG).is_file():
            raise InputError(f"{path} is not a run folder: it has no {CONFIG}")
        refuse_links(path)
        configs = ReadOnce(load_stored)
        run = cls(path, configs(path / CONFIG), catalogue or load_plugins(), configs=configs)
        run.records()  # a folder of a later version is refused at once
        return run

    @classmethod
    def prepare(
        cls, path: Path, config: RunConfig, catalogue: Catalogue | None = None, *, look_for_files: bool = True
    ) -> RunFolder:
        """Return the folder for this configuration; nothing is written before :meth:`working`.

        No folder is made for files that are not there, unless nobody shall look for them.
        """
        run = cls(path, config, catalogue or load_plugins())
        if not (path / CONFIG).is_file():
            if path.exists() and any(path.iterdir()):
                raise InputError(f"{path} is not empty and not a run folder: choose another folder with -o")
            if look_for_files:
                refuse_missing_files(run.catalogue, config)
        return run

    @classmethod
    def start(
        cls, path: Path, config: RunConfig, catalogue: Catalogue | None = None, *, look_for_files: bool = True
    ) -> RunFolder:
        """Write this configuration into its folder, which is made if need be; the work itself is left for later.

        The later stages may change from call to call: plans of another planner are added to what is there.
        """
        run = cls.prepare(path, config, catalogue, look_for_files=look_for_files)
        with run.working():
            return run

    @contextmanager
    def working(self) -> Iterator[None]:
        """Keep every other process from working on this run; its settings are those of the process at work.

        What was learned there must come from the same settings. Each file is verified anew when it is first used.
        """
        with self.locked():
            self.digests.forget()
            if self.file(CONFIG).is_file():
                self._refuse_another_training()
            write_text(self.file(CONFIG), dump_toml(self.config))
            if not self.file(ENVIRONMENT).exists():
                started_in = os.path.relpath(os.path.realpath(Path.cwd()), os.path.realpath(self.path))
                write_json(self.file(ENVIRONMENT), {**environment(), "started_in": started_in})
            try:
                yield
            finally:
                self.hashes.save()

    def _refuse_another_training(self) -> None:
        known = self._configs(self.file(CONFIG))
        self.records()  # a folder of a later version is refused before anything is written to it
        differing = differing_keys(known, self.config, "train")
        if differing:
            with contextlib.suppress(CubeError):  # the spec of a plugin that is gone is compared as it is written
                differing = differing_keys(resolve_components(self.catalogue, known), self.config, "train")
        if differing:
            raise UsageError(
                f"{self.path} was learned with other settings: {', '.join(differing)}. Choose another folder with -o."
            )

    @property
    def home(self) -> Path:
        """Return where relative paths in the settings start: where the run was started, however it was moved since."""
        known = read_json(self.file(ENVIRONMENT)) if self.file(ENVIRONMENT).is_file() else None
        started_in = known.get("started_in") if isinstance(known, dict) else None
        return Path(os.path.realpath(self.path), started_in if isinstance(started_in, str) else Path.cwd())

    def file(self, name: str) -> Path:
        """Return the path of a file of the run."""
        return self.path / name

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other process from working on this run, and remove what killed ones have left in it."""
        lock = filelock.FileLock(self.path / ".lock")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except filelock.Timeout:
            raise UsageError(
                f"{self.path} is in use by another process: wait for it, or choose another folder with -o"
            ) from None
        except OSError as error:
            raise InputError(f"cannot write to '{self.path}': {error.strerror or error}") from error
        try:
            refuse_links(self.path)
            remove_parts(self.path)
            remove_temporary_folders()
            with in_use(self.path):
                yield
        finally:
            lock.release()

    def records(self) -> Mapping[str, StageRecord]:
        """Return the stages that were done, by name, whether or not they still count."""
        return self._manifests(self.file(MANIFEST))

    def stage_files(self, name: str) -> list[Path]:
        """Return the files that a stage wrote, as the manifest has it."""
        record = self.records().get(name)
        return [self.file(file) for file in record.files] if record is not None else []

    def digest(self, name: str) -> str:
        """Return the SHA-256 of a file of the run."""
        return self.digests(self.file(name))

    @property
    def is_of_older_version(self) -> bool:
        """Return whether an older version worked here last: all but the data set is to be done again."""
        return is_of_older_version(self.file(MANIFEST))

    def finished(self, name: str) -> bool:
        """Return whether a stage is done, and done with what is here now.

        That is: with the present settings, revisions and versions of components, from the present files of the stages
        before it; and what it wrote is there unharmed.
        """
        return self._is_finished(name, {})

    def done_from_same_model(self, name: str) -> bool:
        """Return whether a stage would be finished, but for files that it merely looks at."""
        return self._still_counts(name, {}, looking=False)

    def finished_stages(self) -> frozenset[str]:
        """Return all stages that are finished."""
        known: dict[str, bool] = {}
        return frozenset(name for name in STAGES if self._is_finished(name, known))

    def _is_finished(self, name: str, known: dict[str, bool]) -> bool:
        """Return whether a stage is finished; ``known`` holds the answers so far, and gets the new ones."""
        if name not in known:
            known[name] = self._still_counts(name, known)
        return known[name]

    def _still_counts(self, name: str, known: dict[str, bool], *, looking: bool = True) -> bool:
        stage, record = STAGES[name], self.records().get(name)
        if record is None or record.key != self.config.own_key(name):
            return False
        needed = (stage.needs, self.config.also_needs(name))
        if any(each is not None and not self._is_finished(each, known) for each in needed):
            return False
        return (
            self._same_inputs(name, record, known, looking=looking)
            and self._intact(record.files)
            and same_components(self.catalogue, record.components)
            and same_sources(self.catalogue, self.config.domain, record.sources, self.home, self.hashes)
        )

    def _same_inputs(self, name: str, record: StageRecord, known: dict[str, bool], *, looking: bool) -> bool:
        present = self._inputs(name, known)
        if looking:
            return record.inputs == present
        return all(record.inputs.get(file) == present.get(file) for file in STAGES[name].reads)

    @contextmanager
    def stage(self, name: str, components: Iterable[tuple[str, str]] = ()) -> Iterator[dict[str, str]]:
        """Do a stage inside the block; when it ends well, the stage is recorded with all that it belongs to.

        ``components`` are those that do the work, as kind and spec; the ones that only turn out during the work are put
        into the table that the block is given, by :func:`component_identities`.
        """
        begun, used = time.perf_counter(), _cpu_seconds()
        named = list(components)
        identities = component_identities(self.catalogue, named)
        inputs = self._inputs(name, {})
        sources: dict[str, str] = {}  # before the work: what changes meanwhile makes the stage unfinished
        if any(kind == "domain" for kind, _ in named):
            sources = source_digests(self.catalogue, self.config.domain, self.home, self.hashes)
        yield identities
        record = StageRecord(
            key=self.config.own_key(name),
            components=identities,
            inputs=inputs,
            sources=sources,
            files={file: self.digest(file) for file in STAGES[name].files},
            seconds=round(time.perf_counter() - begun, 2),
            cpu_seconds=round(_cpu_seconds() - used, 2),
            date=time.strftime("%Y-%m-%d"),
            settings=self.config.settings_of(name),
        )
        write_manifest(self.file(MANIFEST), {**self.records(), name: record})

    def adopt(self, other: RunFolder, name: str) -> None:
        """Take over a finished stage of another run that was done with the same settings, so that it is done once."""
        if other.config.key(name) != self.config.key(name) or not other.finished(name):
            raise UsageError(f"{other.path} has no finished stage '{name}' of the same settings as {self.path}")
        record = other.records()[name]
        for file in record.files:
            link(other.file(file), self.file(file))
        if other.file(HASHES).is_file() and not self.file(HASHES).is_file():
            link(other.file(HASHES), self.file(HASHES))
        write_manifest(self.file(MANIFEST), {**self.records(), name: record})

    def _inputs(self, name: str, known: dict[str, bool]) -> dict[str, str]:
        """Return the hashes of the files that a stage reads."""
        stage = STAGES[name]
        also = STAGES[stage.looks_at].files if stage.looks_at and self._is_finished(stage.looks_at, known) else ()
        needed = self.config.also_needs(name)
        also += STAGES[needed].files if needed else ()
        return {file: self.digest(file) for file in (*stage.reads, *also) if self.file(file).is_file()}

    def _intact(self, files: dict[str, str]) -> bool:
        return all(self.file(file).is_file() and self.digest(file) == digest for file, digest in files.items())


def _cpu_seconds() -> float:
    """Return the processor time of this process and of the children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def default_folder(config: RunConfig) -> Path:
    """Return where the run of a configuration goes if the user does not say: the same place for the same training."""
    name = parse_spec(config.domain).name
    made_by = [config.learner.name, *([config.autoencoder.apply] if config.autoencoder.apply else [])]
    learner = "-".join(parse_spec(spec).name for spec in made_by)
    return Path("runs") / f"{name}-{learner}-s{config.train.seed}-{config.key('train')[:8]}"
