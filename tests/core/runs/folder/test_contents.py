"""What was read from a run is kept as long as it is what the run holds."""

import attrs
import pytest
from tiny_run import reseal

from cubespace.base.errors import InputError
from cubespace.base.observer import Observer
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.recipe import Execution
from cubespace.symbols.strips import save_strips


@pytest.fixture
def opened(default_run) -> RunContents:
    return RunContents(RunFolder.load(default_run), load_plugins(), Execution(device="cpu"), Observer())


@pytest.mark.parametrize("name", ["transitions", "bits", "code", "strips"])
def test_what_was_read_is_kept(opened, name) -> None:
    assert getattr(opened, name)() is getattr(opened, name)()


def test_the_data_set_is_let_go_when_planners_need_the_memory(opened) -> None:
    first = opened.transitions()
    opened.release_data()
    assert opened.transitions() is not first


@pytest.mark.parametrize(
    ("name", "file"),
    [("transitions", "data.npz"), ("bits", "bits.npz"), ("code", "code.safetensors"), ("strips", "strips.npz")],
)
def test_what_was_read_does_not_hide_a_file_that_was_harmed(opened, name, file) -> None:
    getattr(opened, name)()
    with opened.run.file(file).open("ab") as harmed:
        harmed.write(b"x")
    with pytest.raises(InputError, match="no finished stage"):
        getattr(opened, name)()


def test_a_model_that_was_replaced_is_read_again(opened) -> None:
    model = opened.strips()
    names = tuple(f"other-{name}" for name in model.names)
    save_strips(opened.run.file("strips.npz"), attrs.evolve(model, names=names))
    reseal(opened.run.path, "extract", "strips.npz")
    assert opened.strips().names == names
