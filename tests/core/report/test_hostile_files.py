"""Files of a run with the right hash and the wrong content: one line that names the run, never a traceback."""

import json
from pathlib import Path

import pytest

from cubespace.base.errors import InputError
from cubespace.base.files import sha256
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.runs.folder.run_folder import RunFolder

DEEP = "[" * 100_000
CONTENTS = {"empty table": "{}", "list": "[]", "deep": DEEP, "text": '{"planners": "x", "test": 3}', "no JSON": "\x00"}


def seal(run: Path, name: str, content: bytes) -> None:
    """Put other content into a file of a run, and let the manifest agree with it."""
    (run / name).write_bytes(content)
    manifest = json.loads((run / "manifest.json").read_text())
    for record in manifest["stages"].values():
        for table in (record["files"], record["inputs"]):
            if name in table:
                table[name] = sha256(run / name)
    (run / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("name", ["results.json", "measures.json", "extraction.json", "encoder.json", "metrics.jsonl"])
def test_the_report_names_the_run_or_does_without(tiny_run, name, content) -> None:
    seal(tiny_run, name, content.encode())
    said = str(tiny_run)
    try:
        write_report([tiny_run], load_plugins())
    except InputError as error:
        said = str(error)
    assert str(tiny_run) in said
    assert "\n" not in said


def test_metrics_that_are_no_text_are_named(tiny_run) -> None:
    seal(tiny_run, "metrics.jsonl", b"\xff\xfe")
    with pytest.raises(InputError, match="does not have the form"):
        write_report([tiny_run], load_plugins())


def test_a_forged_place_of_origin_is_not_used(tiny_run) -> None:
    (tiny_run / "environment.json").write_text('{"started_in": 3}')
    assert RunFolder.load(tiny_run).home == Path.cwd()
