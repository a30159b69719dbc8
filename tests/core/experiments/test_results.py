"""Results, data sets, settings and domains say in one line what they are."""

import sys

import numpy as np
import pytest
from plan_records import plan_record

from cubespace.base.errors import UsageError
from cubespace.base.records import as_table
from cubespace.data.domain import Domain, Pairs
from cubespace.data.transitions import Transitions
from cubespace.evaluation.summary import summarise
from cubespace.experiments.tables.results import Results, frame
from cubespace.runs.folder.results_file import RunResults
from cubespace.search.solver import Limits
from cubespace.settings.run_config import RunConfig, load_config

RECORDS = (
    plan_record((3, 1), valid=None, seconds=0.1),
    plan_record((3,), valid=None, seconds=0.1, problem="001", unseen_steps=(1,)),
)
RESULTS = Results(
    RunResults(
        learner="places",
        updates=0,
        effects="differences",
        preconditions="values",
        domain="images",
        model="learned",
        limits=Limits(),
        length=7,
        known_pictures=0.5,
        known_states=0.5,
        planners={"fd-lmcut": summarise(RECORDS, optimal_planner=True)},
    )
)


def test_results_are_a_short_line_and_a_table() -> None:
    assert repr(RESULTS) == "<Results for images: fd-lmcut 2 found, ? valid, ? optimal>"
    assert "<td>?</td>" in RESULTS._repr_html_()
    assert RESULTS.records() == [as_table(record) for record in RECORDS]
    assert list(RESULTS.records()[0])[:5] == ["problem", "planner", "outcome", "valid", "optimal"]
    assert list(RESULTS.records()[0])[-3:] == ["key", "trace", "pictures"]
    assert RESULTS["planners"]["fd-lmcut"]["found"] == 2


def test_results_as_a_frame() -> None:
    pandas = pytest.importorskip("pandas", reason="to_frame() needs pandas")
    assert isinstance(RESULTS.to_frame(), pandas.DataFrame)
    assert list(RESULTS.to_frame()["problem"]) == ["000", "001"]


def test_without_pandas_the_way_out_is_said(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"pip install pandas; records\(\)"):
        frame([])


class Bare(Domain):
    @property
    def image_shape(self) -> tuple[int, ...]:
        raise AssertionError("nothing is read to say what it is")

    def sample(self, *_: object) -> Pairs:
        raise AssertionError


def test_short_words_for_domains_data_and_settings() -> None:
    pictures = np.zeros((10, 4, 6), dtype=np.uint8)
    data = Transitions(pairs=Pairs(pictures, pictures), spec="mine", seed=0, sizes=(1, 2))
    assert repr(data) == "<Transitions of mine: 7 train, 1 validation, 2 test, pictures 4x6>"
    assert repr(data.train) == "<Pairs: 7 of pictures 4x6>"
    assert repr(Bare()) == "<Bare: pairs of pictures, cannot judge plans>"
    assert repr(RunConfig()) == "<RunConfig of mnist: all defaults>"
    assert repr(load_config(None, {"train.epochs": 5})) == "<RunConfig of mnist: train.epochs=5>"
