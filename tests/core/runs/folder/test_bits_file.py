import numpy as np
import pytest

from cubespace.base.errors import InputError
from cubespace.runs.folder.bits_file import SPLITS, BitPairs, load_bits, save_bits


@pytest.mark.parametrize("width", [1, 8, 13])
def test_bits_come_back_as_they_were_and_the_file_is_the_same_each_time(tmp_path, width) -> None:
    rng = np.random.default_rng(0)
    splits = {name: BitPairs(*(rng.random((2, 5, width)) < 0.5)) for name in SPLITS}
    save_bits(tmp_path / "bits.npz", splits)
    save_bits(tmp_path / "again.npz", splits)
    assert (tmp_path / "bits.npz").read_bytes() == (tmp_path / "again.npz").read_bytes()
    for name, pairs in load_bits(tmp_path / "bits.npz").items():
        assert np.array_equal(pairs.before, splits[name].before)
        assert np.array_equal(pairs.after, splits[name].after)


def test_a_damaged_file_is_named(tmp_path) -> None:
    (tmp_path / "bits.npz").write_bytes(b"PK no archive")
    with pytest.raises(InputError, match=r"bits\.npz' is damaged"):
        load_bits(tmp_path / "bits.npz")
