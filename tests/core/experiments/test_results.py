"""Results, data sets, settings and domains say in one line what they are."""

import sys

import numpy as np
import pytest

from cubespace.base.errors import UsageError
from cubespace.data.domain import Domain, Pairs
from cubespace.data.transitions import Transitions
from cubespace.experiments.tables.results import Results, frame
from cubespace.settings.run_config import RunConfig, load_config

RECORDS = [{"problem": "000", "planner": "fd-lmcut", "valid": True}, {"problem": "001", "planner": "fd-lmcut"}]
ROW = {"instances": 2, "found": 2, "valid": None, "optimal": None, "all_seen": 1, "mean_seconds": 0.1}
RESULTS = Results(domain="images", planners={"fd-lmcut": {**ROW, "records": RECORDS}})


def test_results_are_a_short_line_and_a_table() -> None:
    assert repr(RESULTS) == "<Results for images: fd-lmcut 2 found, ? valid, ? optimal>"
    assert "<td>?</td>" in RESULTS._repr_html_()
    assert RESULTS.records() == RECORDS
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
