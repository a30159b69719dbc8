from pathlib import Path

import pytest

from cubespace.base.errors import InputError
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.pictures.bundle import open_planning
from cubespace.settings.recipe import Execution

OLD = Path(__file__).parents[3] / "data" / "model-0.2.0.cube"  # made by that version, as it was released


def test_a_bundle_of_the_version_before_is_refused_with_one_line() -> None:
    with pytest.raises(
        InputError, match=r"model-0\.2\.0\.cube is a bundle of format 1, this version reads 2"
    ) as caught:
        open_planning(OLD, load_plugins(), Execution())
    assert "\n" not in str(caught.value)
