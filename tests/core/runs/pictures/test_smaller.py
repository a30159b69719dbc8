"""A code in half precision: smaller, and the same for every training picture, or refused."""

import numpy as np
import pytest
from tiny_run import copy_run

from cubespace.base.errors import InputError
from cubespace.base.observer import Observer
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.learners import read_code
from cubespace.runs.pictures import smaller
from cubespace.settings.recipe import Execution
from cubespace.settings.stages import CODE


@pytest.fixture
def contents(tmp_path) -> RunContents:
    run = RunFolder.load(copy_run(tmp_path, "default"))
    return RunContents(run, load_plugins(), Execution(device="cpu"), Observer())


def test_half_the_bytes_see_the_same(contents, tmp_path) -> None:
    target = tmp_path / "half.safetensors"
    smaller.write_half(contents, target)
    assert target.stat().st_size < 0.7 * contents.run.file(CODE).stat().st_size
    half, pictures = read_code(load_plugins(), target, contents.execution), contents.transitions().train.before
    assert np.array_equal(half.encode(pictures), contents.bits()["train"].before)


def test_what_would_see_other_states_is_refused(contents, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(smaller, "NOTHING", 100.0)
    with pytest.raises(InputError, match=r"in half precision, .* export it without --half"):
        smaller.write_half(contents, tmp_path / "half.safetensors")
