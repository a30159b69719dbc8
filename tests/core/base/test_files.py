import json

import pytest

from cubespace.base.errors import InputError
from cubespace.base.files import read_json, replacing, sha256, write_json, write_text


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
