"""``extraction.json`` and ``lifting.json``: read through their records; a damaged one is one line that names it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import cube
from tiny_run import reseal

import cubespace
from cubespace.base.errors import InputError
from cubespace.base.records import read_record
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.lifting_file import LiftingRecord

Damage = Callable[[dict[str, Any]], object]

EXTRACTION_DAMAGE: dict[str, Damage] = {
    "empty": lambda table: table.clear(),
    "no error": lambda table: table.pop("redrawing_error"),
    "words": lambda table: table.update(actions="many"),
    "unknown": lambda table: table.update(beauty=1),
}
LIFTING_DAMAGE: dict[str, Damage] = {
    "empty": lambda table: table.clear(),
    "no model": lambda table: table.update(model=None),
    "half a model": lambda table: table.update(model={"bits": 3}),
    "half a check": lambda table: table["checks"].pop("held_out"),
    "another source": lambda table: table.update(source="dreams"),
    "words": lambda table: table.update(objects={"place": "four"}),
}


def spoil(run: Path, stage: str, file: str, damage: Damage) -> None:
    """Put other content into a file, and let it count as what the stage has written."""
    table = json.loads((run / file).read_text())
    damage(table)
    (run / file).write_text(json.dumps(table))
    reseal(run, stage, file)


@pytest.mark.parametrize("damage", EXTRACTION_DAMAGE.values(), ids=EXTRACTION_DAMAGE)
def test_a_damaged_extraction_is_one_line(default_run, damage) -> None:
    spoil(default_run, "extract", "extraction.json", damage)
    with pytest.raises(InputError, match=r"extraction\.json' is damaged: ") as caught:
        write_report([default_run], load_plugins())
    assert "\n" not in str(caught.value)


def test_the_command_that_extracts_says_so_in_one_line(default_run) -> None:
    spoil(default_run, "extract", "extraction.json", EXTRACTION_DAMAGE["words"])
    answer = cube("extract", str(default_run), "-q")
    assert answer.returncode == 3
    assert answer.stderr.startswith("cube: ")
    assert answer.stderr.count("\n") == 1
    assert "extraction.json' is damaged: extraction.json: actions: many is not a whole number" in answer.stderr


@pytest.mark.parametrize("damage", LIFTING_DAMAGE.values(), ids=LIFTING_DAMAGE)
def test_a_damaged_lifting_is_one_line(default_run, damage) -> None:
    run = cubespace.Run.load(default_run)
    run.lift()
    spoil(default_run, "lift", "lifting.json", damage)
    for use in (run.lift, lambda: write_report([default_run], run.catalogue)):
        with pytest.raises(InputError, match=r"lifting\.json' is damaged: ") as caught:
            use()
        assert "\n" not in str(caught.value)


def test_records_are_what_the_stages_wrote(default_run) -> None:
    run = cubespace.Run.load(default_run)
    record = run.lift().record
    assert read_record(LiftingRecord, default_run / "lifting.json") == record
    extraction = read_record(ExtractionRecord, default_run / "extraction.json")
    assert extraction.actions == run.strips.actions
    assert extraction.precondition == "values"


def test_a_record_of_an_earlier_version_without_the_counts_of_a_model_is_read(tmp_path) -> None:
    """Version 0.2.0 left out what a world that was not lifted does not have."""
    table = {"lifted": False, "source": "encoder", "kind": "none", "reasons": ["nothing moves"], "notes": []}
    table |= {"variables": 4, "events": 2, "agreement": None, "forms": 0, "checks": None, "score": None, "model": None}
    (tmp_path / "lifting.json").write_text(json.dumps(table))
    record = read_record(LiftingRecord, tmp_path / "lifting.json")
    assert record.summary == "this world was not lifted: nothing moves"
