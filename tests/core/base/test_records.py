"""Records: what is written is read back, and anything else is an error in one line that names the file."""

import json

import attrs
import pytest

from cubespace.base.errors import InputError
from cubespace.base.records import read_record, write_record


@attrs.frozen(kw_only=True)
class Part:
    name: str
    pairs: tuple[tuple[str, int], ...] = ()


@attrs.frozen(kw_only=True)
class Whole:
    count: int
    fraction: float | None
    part: Part | None = None
    counts: dict[str, int] = attrs.field(factory=dict)


def test_a_record_survives_its_file(tmp_path) -> None:
    record = Whole(count=3, fraction=None, part=Part(name="x", pairs=(("a", 1), ("b", 2))), counts={"y": 2})
    write_record(tmp_path / "whole.json", record)
    assert read_record(Whole, tmp_path / "whole.json") == record


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([], "not a table"),
        ({}, "count"),
        ({"count": "3", "fraction": 0.5}, "count: 3 is not a whole number"),
        ({"count": 3, "fraction": 0.5, "extra": 1}, "extra"),
        ({"count": 3, "fraction": 0.5, "part": {"name": "x", "pairs": [["a"]]}}, "2 items"),
        ({"count": 3, "fraction": 0.5, "part": []}, "part"),
        ({"count": 3, "fraction": 0.5, "counts": {"y": "z"}}, "z is not a whole number"),
        ({"count": 3, "fraction": 0.5, "counts": 3}, "counts"),
    ],
)
def test_a_damaged_record_is_one_line_that_names_the_file_and_the_key(tmp_path, table, words) -> None:
    path = tmp_path / "whole.json"
    path.write_text(json.dumps(table))
    with pytest.raises(InputError) as caught:
        read_record(Whole, path)
    assert str(caught.value).startswith(f"'{path}' is damaged: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
