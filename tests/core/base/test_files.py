import json
import os
import resource
import shutil
import signal
from pathlib import Path

import pytest

from cubespace.base.errors import InputError
from cubespace.base.files import Appended, in_use, read_json, replacing, sha256, write_json, write_text


def test_a_file_is_replaced_whole(tmp_path) -> None:
    path = tmp_path / "new" / "value.json"
    write_json(path, {"a": 1})
    write_json(path, {"a": 2})
    assert json.loads(path.read_text()) == {"a": 2}
    assert [entry.name for entry in path.parent.iterdir()] == ["value.json"]


def test_a_failure_half_way_leaves_the_old_file_and_nothing_else(tmp_path) -> None:
    path = tmp_path / "text"
    write_text(path, "old")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_an_unwritable_folder_is_one_line(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path / "file" / "text", "x")


def test_damaged_json_is_named(tmp_path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(InputError, match=r"x.json' is damaged"):
        read_json(tmp_path / "x.json")
    with pytest.raises(InputError, match=r"cannot read .*y\.json"):
        read_json(tmp_path / "y.json")


def test_sha256_is_that_of_the_content(tmp_path) -> None:
    write_text(tmp_path / "x", "abc")
    assert sha256(tmp_path / "x").startswith("ba7816bf8f01cfea")


def irregular(tmp_path, kind: str) -> Path:
    """Return something that is not a file, or a link to it."""
    path = tmp_path / "there"
    if kind.endswith("folder"):
        path.mkdir()
    else:
        os.mkfifo(path)
    if kind.startswith("link"):
        (tmp_path / "link").symlink_to(path)
        return tmp_path / "link"
    return path


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a pipe", "link to a folder"])
def test_what_is_not_a_file_is_never_replaced(tmp_path, kind) -> None:
    path = irregular(tmp_path, kind)
    before = path.lstat().st_mode, sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=f"it is a {kind.split()[-1]}"):
        write_text(path, "x")
    assert (path.lstat().st_mode, sorted(tmp_path.iterdir())) == before


def test_a_link_to_a_file_is_replaced_not_followed(tmp_path) -> None:
    write_text(tmp_path / "victim", "kept")
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "victim").read_text() == "kept"
    assert not (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("path", ["/", "", ".", "a/..", "\0", "x" * 5000])
def test_a_path_that_names_no_file_is_one_line(path, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot write"):
        write_text(Path(path), "x")


def test_the_longest_name_that_the_disk_takes_can_be_written(tmp_path) -> None:
    for name in ("x" * 255, "ß" * 127):
        write_text(tmp_path / name, "x")
        assert (tmp_path / name).read_text() == "x"


def test_text_with_bytes_that_are_no_text_is_written_with_escapes(tmp_path) -> None:
    write_text(tmp_path / "x", "a\udcff")
    assert (tmp_path / "x").read_text() == "a\\udcff"


def test_a_folder_in_use_is_not_made_anew(tmp_path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    with in_use(folder):
        write_text(folder / "problems" / "x", "x")
        shutil.rmtree(folder)
        with pytest.raises(InputError, match="was removed while it was in use"):
            write_text(folder / "problems" / "y", "y")
        assert not folder.exists()
    write_text(folder / "x", "x")


def test_lines_are_added_and_can_be_followed(tmp_path) -> None:
    for line in ("one", "two"):
        with Appended(tmp_path / "log") as log:
            log.add(line)
            assert (tmp_path / "log").read_text().endswith(f"{line}\n")
    assert (tmp_path / "log").read_text() == "one\ntwo\n"


def test_lines_are_not_added_to_what_a_link_leads_to_or_to_what_is_no_file(tmp_path) -> None:
    (tmp_path / "victim").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "victim")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", ".", "absent/log"):
        with pytest.raises(InputError, match="cannot write"), Appended(tmp_path / name):
            pass
    assert (tmp_path / "victim").read_text() == "kept"


def test_lines_of_a_removed_file_are_an_error(tmp_path) -> None:
    with Appended(tmp_path / "log") as log:
        (tmp_path / "log").unlink()
        with pytest.raises(InputError, match="was removed"):
            log.add("x")


def test_a_line_that_cannot_be_written_is_one_line(tmp_path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with Appended(tmp_path / "log") as log:
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
            with pytest.raises(InputError, match=r"log': File too large"):
                log.add("x")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def test_deep_json_is_damaged(tmp_path) -> None:
    (tmp_path / "deep.json").write_text("[" * 200_000)
    with pytest.raises(InputError, match=r"deep.json' is damaged: it is nested too deeply"):
        read_json(tmp_path / "deep.json")


def test_a_table_that_is_a_pipe_is_refused_at_once(tmp_path) -> None:
    os.mkfifo(tmp_path / "table.json")
    with pytest.raises(InputError, match="not a regular file"):
        read_json(tmp_path / "table.json")


def test_the_hash_of_a_pipe_is_refused_and_not_waited_for(tmp_path) -> None:
    """A run folder may come from anywhere, and a pipe that nobody writes to would be read for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe': it is not a regular file"):
        sha256(tmp_path / "pipe")
    with pytest.raises(InputError, match="cannot read"):
        sha256(tmp_path)
