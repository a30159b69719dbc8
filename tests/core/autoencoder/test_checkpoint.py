import hashlib
import io
import os
import pickle
import re

import pytest
import torch

from cubespace.autoencoder.checkpoint import (
    CURRENT,
    MARK,
    PREVIOUS,
    load_checkpoint,
    save_checkpoint,
)
from cubespace.base.errors import InputError, UsageError

IDENTITY = {"train": {"epochs": 3, "seed": 0}, "data": "abc"}


def state(number: int) -> dict[str, object]:
    return {"weights": torch.full((1000,), float(number)), "epoch": number}


@pytest.fixture
def folder(tmp_path):
    save_checkpoint(tmp_path, state(1), IDENTITY)
    save_checkpoint(tmp_path, state(2), IDENTITY)
    return tmp_path


def test_a_setting_that_is_newer_than_the_checkpoint_had_its_default(folder) -> None:
    newer = {**IDENTITY, "autoencoder": {"initialisation": "torch"}}
    restored = load_checkpoint(folder, newer)
    assert restored is not None
    assert restored.state["epoch"] == 2
    with pytest.raises(UsageError, match=r"autoencoder.initialisation \(torch there, glorot now\)"):
        load_checkpoint(folder, {**IDENTITY, "autoencoder": {"initialisation": "glorot"}})


def truncate(path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def empty(path) -> None:
    path.write_bytes(b"")


def flip_a_bit(path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


def plant_a_bomb(path) -> None:
    path.write_bytes(pickle.dumps(Bomb()))


def plant_a_bomb_with_a_right_hash(path) -> None:
    buffer = io.BytesIO()
    torch.save({"format": 1, "identity": "{}", "state": Bomb()}, buffer)
    body = buffer.getvalue()
    path.write_bytes(body + MARK + hashlib.sha256(body).hexdigest().encode())


DAMAGES = [truncate, empty, flip_a_bit, plant_a_bomb, plant_a_bomb_with_a_right_hash]


def test_the_newest_comes_back_and_the_one_before_is_kept(folder) -> None:
    restored = load_checkpoint(folder, IDENTITY)
    assert restored is not None
    assert restored.state["epoch"] == 2
    assert restored.notes == ()
    (folder / CURRENT).unlink()  # as if killed between the two renames
    restored = load_checkpoint(folder, IDENTITY)
    assert restored is not None
    assert restored.state["epoch"] == 1


def test_no_checkpoint_is_no_error(tmp_path) -> None:
    assert load_checkpoint(tmp_path, IDENTITY) is None


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_is_named_set_aside_and_the_one_before_is_used(folder, damage, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    damage(folder / CURRENT)
    restored = load_checkpoint(folder, IDENTITY)
    assert restored is not None
    assert restored.state["epoch"] == 1
    (note,) = restored.notes
    assert "checkpoint.pt " in note
    assert "checkpoint.previous.pt is used instead" in note
    assert "\n" not in note
    assert not (folder / "exploded").exists()
    save_checkpoint(folder, state(3), IDENTITY)
    restored = load_checkpoint(folder, IDENTITY)
    assert restored is not None
    assert restored.state["epoch"] == 3
    assert (folder / PREVIOUS).exists()


def test_if_none_is_good_the_way_out_is_said_and_works(folder) -> None:
    for name in (CURRENT, PREVIOUS):
        flip_a_bit(folder / name)
    with pytest.raises(InputError, match=r"checkpoint\.pt.*checkpoint\.previous\.pt.*train from the beginning"):
        load_checkpoint(folder, IDENTITY)
    assert load_checkpoint(folder, IDENTITY) is None


def test_every_flipped_byte_is_noticed(folder) -> None:
    path = folder / CURRENT
    whole = path.read_bytes()
    for position in range(0, len(whole), 97):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 4]) + whole[position + 1 :])
        restored = load_checkpoint(folder, IDENTITY)
        assert restored is not None
        assert restored.state["epoch"] == 1, position


def test_another_training_is_refused_with_the_differing_keys(folder) -> None:
    other = {"train": {"epochs": 5, "seed": 0}, "data": "abd", "new": 1}
    with pytest.raises(UsageError, match=re.escape("train.epochs (3 there, 5 now)")) as refusal:
        load_checkpoint(folder, other)
    assert "data (abc there, abd now)" in str(refusal.value)
    assert "new (absent there, 1 now)" in str(refusal.value)
    assert "seed" not in str(refusal.value)
    assert (folder / CURRENT).exists()


def test_leftovers_of_killed_writers_are_swept(folder) -> None:
    leftover = folder / f".{CURRENT}.123-abcd.part"
    leftover.write_bytes(b"half")
    load_checkpoint(folder, IDENTITY)
    assert not leftover.exists()


def test_a_checkpoint_is_still_a_file_of_torch(folder) -> None:
    assert torch.load(folder / CURRENT, weights_only=True)["state"]["epoch"] == 2
