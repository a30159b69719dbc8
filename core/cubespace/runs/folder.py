"""The run folder: every stage reads it and writes to it, so each can be run alone, again, or on another machine."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs
import filelock

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import read_json, sha256, write_json, write_text
from cubespace.base.options import parse_spec
from cubespace.base.version import __version__
from cubespace.settings.run_config import STAGES, RunConfig, differing_keys, dump_toml, load_config


@attrs.frozen
class RunFolder:
    """A folder with the configuration of a run and all that came of it so far."""

    path: Path
    config: RunConfig

    @classmethod
    def load(cls, path: Path | str) -> RunFolder:
        """Open an existing run folder."""
        path = Path(path)
        if not (path / "config.toml").is_file():
            raise InputError(f"{path} is not a run folder: it has no config.toml")
        return cls(path, load_config(path / "config.toml", {}))

    @classmethod
    def start(cls, path: Path, config: RunConfig) -> RunFolder:
        """Open the folder for this configuration, or make it; what was learned there must come from the same settings.

        The later stages may change from call to call: plans of another planner are added to what is there.
        """
        if (path / "config.toml").is_file():
            differing = differing_keys(cls.load(path).config, config, "train")
            if differing:
                raise UsageError(
                    f"{path} was learned with other settings: {', '.join(differing)}. Choose another folder with -o."
                )
        elif path.exists() and any(path.iterdir()):
            raise InputError(f"{path} is not empty and not a run folder: choose another folder with -o")
        run = cls(path, config)
        with run.locked():  # the settings of a process at work must not change under its hands
            write_text(path / "config.toml", dump_toml(config))
            if not (path / "environment.json").exists():
                started_in = os.path.relpath(os.path.realpath(Path.cwd()), os.path.realpath(path))
                write_json(path / "environment.json", {**environment(), "started_in": started_in})
        return run

    @property
    def home(self) -> Path:
        """Return where relative paths in the settings start: where the run was started, however it was moved since."""
        known = read_json(self.file("environment.json")) if self.file("environment.json").is_file() else None
        started_in = known.get("started_in") if isinstance(known, dict) else None
        return Path(os.path.realpath(self.path), started_in or Path.cwd())

    def file(self, name: str) -> Path:
        """Return the path of a file of the run."""
        return self.path / name

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other process from working on this run."""
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
            yield
        finally:
            lock.release()

    def finished(self, stage: str) -> bool:
        """Return whether a stage is done with the present settings and its files are there unharmed."""
        record = self._manifest().get(stage)
        if record is None or record["key"] != self.config.key(stage):
            return False
        return all(
            self.file(name).is_file() and sha256(self.file(name)) == digest for name, digest in record["files"].items()
        )

    @contextmanager
    def stage(self, name: str, *files: str) -> Iterator[None]:
        """Do a stage inside the block; when it ends well, the stage is recorded with the hashes of its ``files``."""
        begun = time.perf_counter()
        manifest = {
            stage: record for stage, record in self._manifest().items() if STAGES.index(stage) < STAGES.index(name)
        }
        yield
        digests = {file: sha256(self.file(file)) for file in files}
        seconds = round(time.perf_counter() - begun, 2)
        manifest[name] = {"key": self.config.key(name), "seconds": seconds, "files": digests}
        write_json(self.file("manifest.json"), manifest)

    def _manifest(self) -> dict[str, Any]:
        if not self.file("manifest.json").exists():
            return {}
        manifest = read_json(self.file("manifest.json"))
        if not isinstance(manifest, dict):
            raise InputError(f"{self.file('manifest.json')} is damaged")
        return manifest


def default_folder(config: RunConfig) -> Path:
    """Return where the run of a configuration goes if the user does not say: the same place for the same training."""
    name = parse_spec(config.domain).name
    return Path("runs") / f"{name}-{parse_spec(config.model.apply).name}-s{config.train.seed}-{config.key('train')[:8]}"


def environment() -> dict[str, Any]:
    """Return what a reader of the results needs to know about the machine."""
    return {
        "cubespace": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "libraries": {name: version(name) for name in ("torch", "numpy", "up-fast-downward", "pyperplan")},
        "date": time.strftime("%Y-%m-%d"),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
