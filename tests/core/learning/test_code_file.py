"""The file of a code: all that builds it again, checked before anything is believed."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors
import safetensors.numpy
import torch
from builders import build_model, code_of, learned_code
from toggles import ON_THE_CPU, tiny_recipe, toggles

from cubespace.autoencoder.network_code import NetworkCode
from cubespace.base.errors import InputError
from cubespace.learning.code import Code
from cubespace.learning.code_file import save_code
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import read_code

RECIPE = tiny_recipe("smooth:sharpness=2")


def read(path: Path) -> Code:
    return read_code(load_plugins(), path, ON_THE_CPU)


@pytest.fixture
def network(tmp_path) -> NetworkCode:
    torch.manual_seed(0)
    code = code_of(build_model(RECIPE.autoencoder, (8, 9, 3), RECIPE.train), RECIPE)
    save_code(tmp_path / "code.safetensors", code, "autoencoder")
    return code


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


def plant_a_bomb(path: Path) -> None:
    path.write_bytes(pickle.dumps(Bomb()))


def test_it_holds_all_that_is_needed(network, tmp_path) -> None:
    loaded = read(tmp_path / "code.safetensors")
    assert isinstance(loaded, NetworkCode)
    assert (loaded.config, loaded.train) == (RECIPE.autoencoder, RECIPE.train)
    assert loaded.image_shape == (8, 9, 3)
    assert not loaded.model.training
    weights = network.model.state_dict()
    assert all(torch.equal(tensor, weights[name]) for name, tensor in loaded.model.state_dict().items())


def test_the_same_code_gives_the_same_bytes(network, tmp_path) -> None:
    save_code(tmp_path / "again.safetensors", network, "autoencoder")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "code.safetensors").read_bytes()


@pytest.mark.parametrize("learner", ["places", "places:seed=3"])
def test_a_code_without_a_network_comes_back_with_its_groups(tmp_path, learner) -> None:
    pairs = toggles(300)
    code = learned_code(learner, tmp_path, pairs)
    save_code(tmp_path / "code.safetensors", code, learner)
    loaded = read(tmp_path / "code.safetensors")
    assert (loaded.groups, loaded.bits, loaded.training) == (code.groups, code.bits, None)
    bits = code.encode(pairs.before)
    assert (loaded.encode(pairs.before) == bits).all()
    assert (loaded.draw(bits) == code.draw(bits)).all()


@pytest.mark.parametrize("damage", [truncate, empty, flip_a_bit, plant_a_bomb])
@pytest.mark.usefixtures("network")
def test_a_damaged_file_is_one_clear_line(damage, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "code.safetensors"
    damage(path)
    with pytest.raises(InputError, match=r"code\.safetensors is damaged") as refusal:
        read(path)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "exploded").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="a file name of any bytes")
@pytest.mark.usefixtures("network")
def test_a_folder_whose_name_is_no_text_holds_a_code_all_the_same(tmp_path) -> None:
    folder = tmp_path / os.fsdecode(b"a\xff")
    folder.mkdir()
    shutil.copy(tmp_path / "code.safetensors", folder)
    assert read(folder / "code.safetensors").bits == read(tmp_path / "code.safetensors").bits


def test_an_absent_file_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.safetensors"):
        read(tmp_path / "nowhere.safetensors")


def test_a_file_of_another_format_is_refused_with_what_to_do(tmp_path) -> None:
    about = json.dumps({"format": 1, "model": {}})
    safetensors.numpy.save_file({"a": np.zeros(1)}, tmp_path / "old.safetensors", metadata={"cubespace": about})
    with pytest.raises(InputError, match=r"old\.safetensors has format 1, this version reads 2 and 3: learn again"):
        read(tmp_path / "old.safetensors")


@pytest.mark.parametrize(
    "forged",
    [
        {"image_shape": []},
        {"image_shape": [10**9, 10**9]},
        {"image_shape": "no shape"},
        {"learner": "nobody"},
        {"details": {"autoencoder": {"encoder": "mlp:depth=1000000"}}},
        {"details": {"autoencoder": {"encoder": "mlp:width=1000000000"}}},
        {"details": {"autoencoder": {"action_width": 10**12}}},
        {"details": {"autoencoder": {"encoder": "nobody"}}},
        {"details": {"autoencoder": {"unknown": 1}}},
        {"details": {"autoencoder": {"bits": 7}}},
        {"details": {"train": {"extensions": ["nobody"]}}},
        {"details": "none"},
        {"bits": 10**13},
        {"bits": -1},
        {"groups": "x"},
        {"groups": [1, 2]},
        {"training": {"updates": "many"}},
    ],
    ids=str,
)
@pytest.mark.usefixtures("network")
def test_forged_metadata_are_one_clear_line(tmp_path, forged) -> None:
    path = tmp_path / "code.safetensors"
    with safetensors.safe_open(path, framework="numpy") as file:
        about = json.loads(file.metadata()["cubespace"])
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    safetensors.numpy.save_file(arrays, path, metadata={"cubespace": json.dumps(over(about, forged))})
    with pytest.raises(InputError, match=r"code\.safetensors") as refusal:
        read(path)
    assert "\n" not in str(refusal.value)


def over(table: dict, changes: dict) -> dict:
    """Return a table with some of its entries changed, however deep they are."""
    deeper = {key: over(table[key], value) for key, value in changes.items() if isinstance(value, dict) and table[key]}
    return {**table, **changes, **deeper}
