"""An archive is written a part at a time, and is what numpy would have written."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from cubespace.data import archive
from cubespace.data.archive import InOrder, sha256_of, write_archive

PICTURES = np.random.default_rng(0).integers(256, size=(7, 3, 4, 3), dtype=np.uint8)
ROWS = np.array([3, 0, 6, 6, 1])


@pytest.mark.parametrize("part_bytes", [1, 72, 1 << 24])
def test_arrays_are_read_back_in_the_order_given(tmp_path: Path, monkeypatch, part_bytes: int) -> None:
    monkeypatch.setattr(archive, "PART_BYTES", part_bytes)
    empty = np.zeros((0, 3), dtype=np.int64)
    arrays = {"ordered": InOrder(PICTURES, ROWS), "plain": InOrder(PICTURES[:, ::2]), "empty": InOrder(empty)}
    write_archive(tmp_path / "a.npz", {**arrays, "number": InOrder(np.array(3.5))}, {"seed": 4})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as read:
        np.testing.assert_array_equal(read["ordered"], PICTURES[ROWS])
        np.testing.assert_array_equal(read["plain"], PICTURES[:, ::2])
        assert read["empty"].shape == (0, 3)
        assert read["number"] == 3.5
        about = json.loads(read["metadata"].tobytes())
        assert about["seed"] == 4
        assert all(about["sha256"][name] == sha256_of(read[name]) for name in ("ordered", "plain", "empty", "number"))


def test_a_hash_is_of_type_shape_and_values() -> None:
    expected = hashlib.sha256(b"uint8 (7, 3, 4, 3) " + PICTURES.tobytes()).hexdigest()
    assert sha256_of(PICTURES) == expected
    assert sha256_of(PICTURES.reshape(7, 36)) != expected
