import os

import pytest

from cubespace.base.errors import InputError
from cubespace.base.files import sha256, write_text
from cubespace.runs.folder.read_once import FileIdentity, ReadOnce


class Reader:
    """Reads text, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, path) -> str:
        self.calls += 1
        return path.read_text()


@pytest.fixture
def file(tmp_path):
    write_text(tmp_path / "file", "one")
    return tmp_path / "file"


def test_a_file_is_read_once_while_it_is_the_same(file) -> None:
    reader = Reader()
    once = ReadOnce(reader)
    assert [once(file) for _ in range(3)] == ["one"] * 3
    assert reader.calls == 1


def write_and_set_the_time_back(file) -> None:
    before = file.stat()
    file.write_text("two")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda file: write_text(file, "two"),
        lambda file: file.write_text("another length"),
        write_and_set_the_time_back,
        lambda file: os.utime(file, ns=(0, 0)),
    ],
    ids=["replaced", "written to", "written to, with its time set back", "touched"],
)
def test_a_file_that_has_changed_on_disk_is_read_again(file, change) -> None:
    reader = Reader()
    once = ReadOnce(reader)
    once(file)
    change(file)
    assert once(file) == file.read_text()
    assert reader.calls == 2


def test_what_changes_while_it_is_read_is_not_kept(file) -> None:
    def disturbed(path) -> str:
        text = path.read_text()
        write_text(path, text + ", and more")
        return text

    once = ReadOnce(disturbed)
    assert once(file) == "one"
    assert once(file) == "one, and more"


def test_what_was_read_can_be_let_go(file) -> None:
    reader = Reader()
    once = ReadOnce(reader)
    once(file)
    once.forget()
    once(file)
    assert reader.calls == 2


def test_a_file_that_is_gone_is_not_remembered(file) -> None:
    once = ReadOnce(sha256)
    once(file)
    file.unlink()
    assert FileIdentity.of(file) is None
    with pytest.raises(InputError, match="cannot read"):
        once(file)
