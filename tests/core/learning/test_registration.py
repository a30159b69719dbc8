"""Registration: a camera that moves is seen in pairs and undone; a fixed one is left alone."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest
import torch
from builders import learned_code
from toggles import ON_THE_CPU

from cubespace.base.errors import InputError
from cubespace.data.domain import Pairs
from cubespace.data.spoiling import spoil
from cubespace.learning.code import Code
from cubespace.learning.code_file import save_code, write_saved
from cubespace.learning.registration.front import RegisteredCode, find_front, taken_apart
from cubespace.learning.registration.motion import find_motion
from cubespace.learning.registration.record import RegistrationRecord
from cubespace.learning.registration.registration import as_images, as_tensor, learn_registration, read_registration
from cubespace.learning.registration.warp import PARAMETERS, Geometry
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import read_code
from cubespace.settings.registration import RegistrationConfig
from cubespace.settings.run_config import Spoiling

SHAKY = Spoiling(ground="textured", ground_width=9, move=1.5, gain=0.1, noise=0.008)
FEW = RegistrationConfig(pairs=150)


def lamps(spoiling: Spoiling, count: int = 200, size: int = 3, seed: int = 0) -> Pairs:
    domain = spoil(load_plugins().create("domain", f"lightsout:size={size}"), spoiling, seed)
    return domain.sample(count, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def shaky() -> Pairs:
    return lamps(SHAKY)


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Code:
    return learned_code("places", tmp_path_factory.mktemp("code"), lamps(Spoiling(), 300))


def unlike(pictures: np.ndarray, states: np.ndarray) -> float:
    """Return how much pictures of one state differ, as a mean over the states that are seen twice."""
    apart = []
    for row in range(len(states)):
        same = np.flatnonzero((states == states[row]).all(1))
        if len(same) > 1:
            apart.append(pictures[same].astype(float).std(0).mean())
    return float(np.mean(apart))


def test_pictures_of_one_state_are_alike_once_they_are_straight(shaky: Pairs) -> None:
    front = find_front(shaky, FEW)
    assert front.record is not None
    assert front.record.registered
    straight = front.pairs(shaky)
    assert straight.before.shape == shaky.before.shape
    assert straight.before.dtype == np.uint8
    assert unlike(straight.before, shaky.states_before) < 0.3 * unlike(shaky.before, shaky.states_before)


def test_what_varies_is_found_and_what_does_not_is_left_alone(shaky: Pairs) -> None:
    found = learn_registration(shaky.before, shaky.after).deviations
    assert found["right"] == pytest.approx(1.5 / 3**0.5, rel=0.15)
    assert found["down"] == pytest.approx(1.5 / 3**0.5, rel=0.15)
    assert found["gain"] == pytest.approx(0.1 / 3**0.5, rel=0.25)
    assert max(found[name] for name in ("turned", "larger", "tilted", "offset", "slope")) < 0.02


@pytest.mark.parametrize(
    "spoiling",
    [Spoiling(), Spoiling(noise=0.03), Spoiling(light=0.3), Spoiling(ground="textured", gain=0.2, slope=0.1)],
)
def test_a_fixed_camera_is_left_alone(spoiling: Spoiling, code: Code) -> None:
    pairs = lamps(spoiling, 60, size=4)
    front = find_front(pairs, FEW)
    assert front.registration is None
    assert front.pairs(pairs) is pairs
    assert front.record is not None
    assert "nothing moves" in front.record.summary
    assert front.code(code) is code


def test_it_can_be_forced_on_and_off(shaky: Pairs) -> None:
    assert find_front(shaky, attrs.evolve(FEW, when="off")).registration is None
    assert find_front(shaky, attrs.evolve(FEW, when="off")).record is None
    fixed = lamps(Spoiling(), 60)
    assert find_front(fixed, attrs.evolve(FEW, when="on")).registration is not None


def test_motion_is_seen_on_black_ground_too() -> None:
    moving = lamps(Spoiling(ground="black", ground_width=4, move=1), 60)
    motion = find_motion(moving.before, moving.after, FEW.explained)
    assert motion.share > 0.9
    assert 0.5 < motion.pixels < 2


def test_small_pictures_are_not_asked() -> None:
    pictures = np.random.default_rng(0).integers(256, size=(2, 20, 8, 30), dtype=np.uint8)
    assert find_front(Pairs(*pictures), FEW).record is None


def test_light_that_content_imitates_is_not_taken_for_light() -> None:
    """On black ground, slopes could only be told from which lamps are lit."""
    pairs = lamps(Spoiling(ground="black", ground_width=4, move=1), 200)
    found = learn_registration(pairs.before, pairs.after).deviations
    assert max(found["slope"], found["slope sideways"]) < 0.01


def test_a_shift_is_found_where_nothing_but_content_is_seen() -> None:
    """Tiles that cut up a photograph have no edge that is always there: pairs tell how far the camera moves."""
    domain = spoil(load_plugins().create("domain", "photo"), Spoiling(shift=1), 0)
    pairs = domain.sample(300, np.random.default_rng(0))
    front = find_front(pairs, FEW)
    assert front.registration is not None
    found = front.registration.deviations
    assert found["right"] == pytest.approx((2 / 3) ** 0.5, rel=0.25)
    assert found["down"] == pytest.approx((2 / 3) ** 0.5, rel=0.25)


def test_it_is_the_same_after_it_was_saved(shaky: Pairs) -> None:
    made = learn_registration(shaky.before[:60], shaky.after[:60])
    again = read_registration(*made.saved())
    assert (again.straighten(shaky.after) == made.straighten(shaky.after)).all()


def test_a_registered_code_is_kept_in_its_file(tmp_path: Path, code: Code) -> None:
    shape = (8, 2, *code.image_shape)
    pictures = np.random.default_rng(0).integers(256, size=shape, dtype=np.uint8)
    made = RegisteredCode(code, learn_registration(pictures[:, 0], pictures[:, 1]))
    save_code(tmp_path / "code.safetensors", made, "places")
    again = read_code(load_plugins(), tmp_path / "code.safetensors", ON_THE_CPU)
    assert isinstance(again, RegisteredCode)
    assert (again.encode(pictures[:, 0]) == made.encode(pictures[:, 0])).all()
    assert again.registration.deviations == pytest.approx(made.registration.deviations, abs=1e-6)
    assert not code.saved().registered


def test_a_registration_of_other_pictures_is_refused(code: Code) -> None:
    pictures = np.zeros((8, 30, 40), dtype=np.uint8)
    made = RegisteredCode(code, learn_registration(pictures, pictures))
    with pytest.raises(ValueError, match="another size"):
        taken_apart(made.saved())


def test_straightening_undoes_a_known_warp_and_light() -> None:
    rng = np.random.default_rng(0)
    flat = np.repeat(np.repeat(rng.integers(60, 180, size=(1, 10, 12), dtype=np.uint8), 4, 1), 4, 2)
    pictures = as_tensor(flat)
    numbers = torch.zeros(1, PARAMETERS)
    numbers[0, 0], numbers[0, 8], numbers[0, 9] = 2.0, 0.25, 0.1
    lit = 1.25 * pictures + 10
    seen = Geometry.of(40, 48).straighten(torch.roll(lit, 2, 3), numbers)
    assert (as_images(seen[..., 3:-3].round(), (40, 42)) == flat[:, :, 3:-3]).all()


def test_the_record_says_what_was_found() -> None:
    record = RegistrationRecord(registered=True, deviations={"right": 1.154, "tilted": 0.001})
    assert record.summary.endswith("(standard deviations: right 1.15)")


def test_damaged_registrations_are_refused(tmp_path: Path, code: Code) -> None:
    pictures = np.zeros((8, *code.image_shape), dtype=np.uint8)
    saved = RegisteredCode(code, learn_registration(pictures, pictures)).saved()
    broken = attrs.evolve(saved, details={"registration": {}, "code": saved.details["code"]})
    write_saved(tmp_path / "code.safetensors", broken, "places")
    with pytest.raises(InputError, match="cannot be built"):
        read_code(load_plugins(), tmp_path / "code.safetensors", ON_THE_CPU)
