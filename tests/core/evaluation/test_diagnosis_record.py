"""The diagnosis of a run is one flat table, of either kind, and is read back as it was."""

import json

import pytest

from cubespace.base.errors import InputError
from cubespace.base.files import write_json
from cubespace.evaluation.diagnosis import Diagnosis, HeldOutDiagnosis
from cubespace.evaluation.diagnosis_record import DiagnosisRecord, Failure, read_diagnosis
from cubespace.evaluation.graph_diagnosis import GraphDiagnosis

FRESH = Diagnosis(
    states=10, moves=30, recall=0.5, no_effect=0.25, blocked=0.25, unstable=0.0, wrong=1.5, branching=3.0, aliases=0
)
HELD_OUT = HeldOutDiagnosis(
    moves=30, known=1.0, recall=0.5, new_recall=None, no_effect=0.25, blocked=0.25, unstable=0.0, ambiguous=2
)
GRAPH = GraphDiagnosis(graph_recall=0.9, graph_wrong=2.0, made_recall=1.0, made_wrong=9.0)
FAILURE = Failure(planner="fd-lmcut", problem="003", what="out of time", why="step 1 of 7: no such effect (2)")


@pytest.mark.parametrize(
    "record",
    [
        DiagnosisRecord(seed=1, moves=FRESH, graph=None, failures=(FAILURE,)),
        DiagnosisRecord(seed=0, moves=FRESH, graph=GRAPH, failures=()),
        DiagnosisRecord(seed=2, moves=HELD_OUT, graph=None, failures=()),
    ],
)
def test_it_is_read_back_as_it_was(tmp_path, record) -> None:
    file = tmp_path / "diagnosis.json"
    write_json(file, record.table())
    assert read_diagnosis(file) == record
    table = json.loads(file.read_text())
    assert table["recall"] == record.recall == 0.5
    assert table.get("wrong") == record.wrong


def test_what_is_missing_or_unknown_is_named(tmp_path) -> None:
    file = tmp_path / "diagnosis.json"
    table = DiagnosisRecord(seed=1, moves=FRESH, graph=None, failures=()).table()
    write_json(file, {**table, "recal": 1.0})
    with pytest.raises(InputError, match=r"diagnosis\.json' is damaged: .*'recal'"):
        read_diagnosis(file)
    write_json(file, {key: value for key, value in table.items() if key != "wrong"})
    with pytest.raises(InputError, match=r"diagnosis\.json' is damaged: .*wrong"):
        read_diagnosis(file)
    write_json(file, [])
    with pytest.raises(InputError, match="not a table"):
        read_diagnosis(file)
