"""``manifest.json``: which stages of a run are done, with what, from what. Older forms are read, later ones refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import read_json, write_json
from cubespace.base.options import structure
from cubespace.settings.run_config import RunConfig
from cubespace.settings.stages import STAGES

MANIFEST = "manifest.json"
SCHEMA = 3  # the form of the manifest; 2: before learning returned a code; 1, without a number: version 0.1.0
KEPT = "data"  # the stage of an older manifest that is still good


@attrs.frozen(kw_only=True)
class StageRecord:
    """A stage that was done: what it belongs to, and what it left."""

    key: str  # of its revision and settings
    components: dict[str, str]  # such as "apply btl": what tells their versions apart
    inputs: dict[str, str]  # files of earlier stages, by SHA-256
    sources: dict[str, str]  # files of the user, such as pictures, by SHA-256
    files: dict[str, str]  # what it wrote, by SHA-256
    seconds: float
    cpu_seconds: float  # of this process and its children
    date: str
    settings: dict[str, Any] = attrs.field(factory=dict)  # those that are part of the key, to be read by people


def read_manifest(path: Path, config: RunConfig) -> dict[str, StageRecord]:
    """Return the stages of a run folder by name; those that this version does not know are left out."""
    if not path.exists():
        return {}
    table = read_json(path)
    if not isinstance(table, dict):
        raise InputError(f"'{path}' is damaged: it is no table")
    stages = _stages_of_schema_1(table, config, path) if "schema" not in table else _stages(table, path)
    if _is_older(table):
        stages = {name: record for name, record in stages.items() if name == KEPT}
    try:
        return {name: structure(StageRecord, record, name) for name, record in stages.items() if name in STAGES}
    except UsageError as error:
        raise InputError(f"'{path}' is damaged: {error}") from error


def is_of_older_version(path: Path) -> bool:
    """Return whether a manifest was written by an older version, of whose stages only the data set is kept."""
    table = read_json(path) if path.exists() else None
    return isinstance(table, dict) and _is_older(table)


def write_manifest(path: Path, records: Mapping[str, StageRecord]) -> None:
    """Write the stages of a run folder."""
    write_json(path, {"schema": SCHEMA, "stages": {name: attrs.asdict(record) for name, record in records.items()}})


def _is_older(table: Mapping[str, Any]) -> bool:
    return table.get("schema") != SCHEMA


def _stages(table: Mapping[str, Any], path: Path) -> dict[str, Any]:
    schema, stages = table["schema"], table.get("stages")
    if schema not in (2, SCHEMA):
        raise InputError(
            f"'{path}' has schema {schema!r}, this version reads up to {SCHEMA}: use the version that made it"
        )
    if not isinstance(stages, dict) or not all(isinstance(record, dict) for record in stages.values()):
        raise InputError(f"'{path}' is damaged: it has no table of stages")
    return stages


def _stages_of_schema_1(table: Mapping[str, Any], config: RunConfig, path: Path) -> dict[str, Any]:
    """Return what a manifest of version 0.1.0 is still good for: the data set.

    The stages after it wrote neither the bits of the training split nor what their files came from; they are done
    again, with the same settings.
    """
    record = table.get(KEPT)
    if record is None:
        return {}
    if not isinstance(record, dict) or not isinstance(record.get("files"), dict):
        raise InputError(f"'{path}' is damaged: its stage 'data' is no table with files")
    return {
        KEPT: {
            "key": config.own_key(KEPT),
            "components": {},
            "inputs": {},
            "sources": {},
            "files": record["files"],
            "seconds": record.get("seconds", 0.0),
            "cpu_seconds": 0.0,
            "date": "",
        }
    }
