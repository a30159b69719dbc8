"""One driver at a time works on the folder of a matrix or a tuning, and only on one that is its own."""

from pathlib import Path

import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.experiments.owned_folder import owned

MARK = "matrix.toml"


def test_a_folder_is_made_and_let_go_again(tmp_path) -> None:
    folder = tmp_path / "some" / "where"
    for _ in range(2):  # also after the block has failed, before anything was written
        with pytest.raises(ZeroDivisionError), owned(folder, "matrix", MARK):
            raise ZeroDivisionError
    assert folder.is_dir()


def test_a_second_driver_is_refused_while_the_first_works(tmp_path) -> None:
    with (
        owned(tmp_path / "m", "matrix", MARK),
        pytest.raises(UsageError, match="another process works on the matrix"),
        owned(tmp_path / "m", "matrix", MARK),
    ):
        raise AssertionError


def test_the_folder_of_somebody_else_is_refused(tmp_path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="not empty and not a matrix"), owned(tmp_path, "matrix", MARK):
        raise AssertionError
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_what_cannot_be_a_folder_is_told_in_one_line(tmp_path, place) -> None:
    Path(tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write to"), owned(tmp_path / place, "matrix", MARK):
        raise AssertionError
