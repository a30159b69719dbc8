"""Levels of Gymnasium: any with discrete actions and a picture; what cannot be learned from frames is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.data.explored import ExploredWorld
from cubespace.plugins.catalogue import load_plugins

gymnasium = pytest.importorskip("gymnasium", reason="the extra [gym] is not installed")
pytest.importorskip("minigrid", reason="the extra [gym] is not installed")

LAKE = "gym:id=FrozenLake-v1,arguments=is_slippery:false"


def build(spec: str) -> ExploredWorld:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, ExploredWorld)
    return domain


def test_the_frozen_lake_is_explored_and_its_flag_is_the_goal() -> None:
    lake = build(LAKE)
    assert len(lake.map.frames) == 13  # 11 cells of ice, the flag, and a hole, which all look the same from inside
    assert lake.image_shape == (72, 72, 3)
    children, _ = lake.successors(lake.goal())
    assert len(children) == 0  # the episode is over
    assert len(lake.predecessors(lake.goal())[0]) == 1


def test_a_slippery_lake_is_refused_with_pictures() -> None:
    with pytest.raises(InputError, match="is random") as caught:
        _ = build("gym:id=FrozenLake-v1").image_shape
    file = str(caught.value).partition("shown in ")[2].partition(";")[0]
    assert Path(file).is_file()


def test_a_level_of_minigrid_is_drawn_without_highlight_and_names_its_actions() -> None:
    key = build("gym:id=MiniGrid-DoorKey-5x5-v0,tile=4,limit=400")
    assert key.image_shape == (20, 20, 3)
    assert key.actions[:4] == ("left", "right", "forward", "pickup")
    assert len(key.map.frames) == 270
    first = key.put(key.random_states(1, np.random.default_rng(0)))
    assert key.read(first)[1].all()


def test_another_level_is_another_world() -> None:
    one, other = (build(f"gym:id=MiniGrid-DoorKey-5x5-v0,level={level}").level.picture for level in (0, 1))
    assert (one != other).any()


def test_fewer_actions_crop_and_size() -> None:
    lake = build(f"{LAKE},actions=1+2,crop=8+8+240+240,resize=24x48")
    assert lake.actions == ("1", "2")
    assert lake.image_shape == (24, 48, 3)


def test_a_crop_that_hides_the_end_is_refused() -> None:
    with pytest.raises(InputError, match="a frame ends the episode that otherwise does not"):
        _ = build(f"{LAKE},actions=1+2,crop=0+0+128+256").image_shape


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gym", "needs id=NAME"),
        ("gym:id=Nowhere-v0", "cannot be made"),
        ("gym:id=MountainCarContinuous-v0", "no discrete actions"),
        (f"{LAKE},actions=7", "has actions 0 to 3, not 7"),
        (f"{LAKE},crop=0+0+999+9", "does not fit"),
        (f"{LAKE},limit=5", "more than 5 states"),
        ("gym:id=FrozenLake-v1,arguments=slippery", "not of the form KEY:VALUE"),
        (f"{LAKE},crop=1+2", "TOP[+]LEFT"),
        (f"{LAKE},resize=big", "HEIGHTxWIDTH"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        _ = build(spec).image_shape
    assert "\n" not in str(caught.value)


class Moody(gymnasium.Env):  # type: ignore[misc,name-defined]
    """Shows one lamp of two; a switch that cannot be seen says which way the button works."""

    action_space = gymnasium.spaces.Discrete(3)
    observation_space = gymnasium.spaces.Discrete(3)
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as Gymnasium has it

    def __init__(self, render_mode: str) -> None:
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.lamp, self.switch = 0, False
        return self.lamp, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if action == 2:
            raise ValueError("no such button")
        self.lamp, self.switch = (self.lamp + (2 if self.switch else 1)) % 3, self.switch or action == 1
        return self.lamp, 0.0, False, False, {}

    def render(self) -> np.ndarray:
        picture = np.zeros((8, 12, 3), dtype=np.uint8)
        picture[:, 4 * self.lamp : 4 * self.lamp + 4] = 255
        return picture


@pytest.fixture
def moody() -> str:
    gymnasium.register("Moody-v0", entry_point=Moody)
    return "gym:id=Moody-v0"


def test_a_hidden_switch_is_found_out(moody: str) -> None:
    with pytest.raises(InputError, match="hides a part of the state"):
        _ = build(f"{moody},actions=0+1").image_shape
    assert len(build(f"{moody},actions=0").map.frames) == 3  # where nothing is hidden, it is a world


def test_an_action_that_raises_is_named(moody: str) -> None:
    with pytest.raises(InputError, match="action 2 raises ValueError: no such button; leave it out with actions="):
        _ = build(moody).image_shape


def test_walks_are_episodes() -> None:
    walks = load_plugins().create("domain", f"gym-walks:{LAKE.partition(':')[2]},steps=8")
    pairs = walks.sample(60, np.random.default_rng(0))
    assert len(pairs) == 60
    assert len(set(pairs.episodes.tolist())) > 6
