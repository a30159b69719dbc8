"""Piles: which disk lies on which peg is told exactly, and any tower is drawn, seen or not."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from cubespace_bit_learners.piles.networks import PilesDecoder, PilesEncoder, PilesOptions, join, layout_of, split
from tile_rows import noisy, tile_rows
from toggles import toggles

from cubespace.autoencoder.encoder import Layout, picture_shape
from cubespace.autoencoder.inference import as_pixels
from cubespace.base.arrays import Images
from cubespace.base.errors import UsageError
from cubespace.data.domain import Pairs, Simulator
from cubespace.plugins.catalogue import load_plugins
from cubespace_bit_learners.piles.finder import Cut, find_piles, order


def towers(disks: int) -> Simulator:
    domain = load_plugins().create("domain", f"hanoi:disks={disks}")
    assert isinstance(domain, Simulator)
    return domain


class Networks:
    """Encoder and decoder of some pairs."""

    def __init__(self, pairs: Pairs, layout: Layout | None = None) -> None:
        self.layout = layout_of(find_piles(pairs.before, pairs.after, None)) if layout is None else layout
        self.shape = picture_shape(pairs.before.shape[1:])
        self.encoder = PilesEncoder(self.shape, self.layout, PilesOptions())
        self.decoder = PilesDecoder(self.shape, self.layout, PilesOptions())

    @torch.no_grad()
    def bits(self, images: Images) -> torch.Tensor:
        return self.encoder(as_pixels(images).float() / 255) > 0

    @torch.no_grad()
    def draw(self, bits: torch.Tensor) -> Images:
        pixels = self.decoder(bits.float()).sigmoid().reshape(len(bits), *self.shape)
        return (pixels.squeeze(-1) * 255).round().to(torch.uint8).numpy()


@pytest.mark.parametrize(("disks", "count"), [(4, 400), (9, 1500)])
def test_every_disk_on_every_peg_is_a_bit_of_the_variable_of_its_disk(disks: int, count: int) -> None:
    domain = towers(disks)
    networks = Networks(domain.sample(count, np.random.default_rng(0)))
    assert networks.layout.bits == 3 * disks
    assert networks.layout.groups == tuple(np.repeat(np.arange(disks), 3).tolist())
    states = domain.random_states(300, np.random.default_rng(1))  # most of nine disks were never seen
    bits = networks.bits(domain.render(states)).numpy().reshape(300, disks, 3)
    assert (bits.sum(2) == 1).all()
    pegs = bits.argmax(2)  # (states, things)
    things = {tuple(column) for column in pegs.T.tolist()}
    assert things == {tuple(column) for column in states.T.tolist()}


@pytest.mark.parametrize(("disks", "count"), [(4, 400), (9, 1500)])
def test_any_tower_is_drawn_even_one_that_was_never_seen(disks: int, count: int) -> None:
    domain = towers(disks)
    pairs = domain.sample(count, np.random.default_rng(0))
    networks = Networks(pairs)
    high = np.zeros((1, disks), dtype=np.uint8)  # all disks on the first peg
    states = np.concatenate([high, high + 1, high + 2, domain.random_states(200, np.random.default_rng(1))])
    if disks == 9:
        seen = {state.tobytes() for state in np.concatenate([pairs.states_before, pairs.states_after])}
        assert sum(state.tobytes() not in seen for state in states) > 150
    pictures = domain.render(states)
    drawn = networks.draw(networks.bits(pictures))
    assert np.abs(drawn.astype(int) - pictures).max() <= 1
    assert (domain.read(drawn)[0] == states).all()


def test_noise_does_not_hide_the_disks() -> None:
    domain = towers(4)
    pairs = domain.sample(600, np.random.default_rng(0))
    networks = Networks(Pairs(noisy(pairs.before, 0.05, 1), noisy(pairs.after, 0.05, 2)))
    pictures = domain.render(domain.random_states(200, np.random.default_rng(1)))
    assert networks.layout.bits == 12
    assert (domain.read(networks.draw(networks.bits(noisy(pictures, 0.05, 3))))[0] == domain.read(pictures)[0]).all()


def test_piles_may_hang_from_the_ceiling() -> None:
    domain = towers(3)
    pairs = domain.sample(300, np.random.default_rng(0))
    turned = Pairs(pairs.before[:, ::-1].copy(), pairs.after[:, ::-1].copy())
    networks = Networks(turned)
    assert networks.layout.details["cut"]["hanging"]
    drawn = networks.draw(networks.bits(turned.before))
    assert np.abs(drawn.astype(int) - turned.before).max() <= 1


def test_layout_as_json_and_weights_give_the_same_bits_and_pictures_again() -> None:
    domain = towers(4)
    pairs = domain.sample(400, np.random.default_rng(0))
    networks = Networks(pairs)
    table = json.loads(json.dumps(networks.layout.record()))
    layout = Layout(bits=table["bits"], groups=tuple(table["groups"]), details=table["details"])
    again = Networks(pairs, layout)
    again.encoder.load_state_dict(networks.encoder.state_dict())
    again.decoder.load_state_dict(networks.decoder.state_dict())
    bits = networks.bits(pairs.before)
    assert torch.equal(again.bits(pairs.before), bits)
    assert (again.draw(bits) == networks.draw(bits)).all()


def puzzle() -> Pairs:
    domain: Simulator = load_plugins().create("domain", "mnist:size=2")
    return domain.sample(300, np.random.default_rng(0))


def lights() -> Pairs:
    split = toggles(300)
    return Pairs(split.before, split.after)


def tiles() -> Pairs:
    world = tile_rows(300)
    return Pairs(world.before, world.after)


@pytest.mark.parametrize("world", [lights, puzzle, tiles], ids=lambda world: world.__name__)
def test_what_does_not_lie_in_piles_is_refused(world) -> None:
    pairs = world()
    with pytest.raises(UsageError, match="no piles"):
        find_piles(pairs.before, pairs.after, None)


def test_columns_that_do_not_divide_the_picture_are_refused() -> None:
    pairs = towers(3).sample(100, np.random.default_rng(0))
    width = pairs.before.shape[2]
    with pytest.raises(UsageError, match="no piles"):
        find_piles(pairs.before, pairs.after, next(columns for columns in range(2, 99) if width % columns))


def columns_of(*columns: tuple[int, ...]) -> np.ndarray:
    """One picture per column, given from the ground up."""
    return np.array(columns)[:, :, None]


def test_the_order_is_what_lies_below_what() -> None:
    below = order(columns_of((3, 1, 0), (3, 2, 1)), 3)
    assert below is not None
    assert [(a + 1, b + 1) for a, b in np.argwhere(below).tolist()] == [(1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    "columns",
    [[(3, 1, 0), (3, 2, 1), (1, 3, 0)], [(0, 1, 0)], [(1, 1, 0)], [(1, 2, 3), (1, 2, 3)]],
    ids=["either way", "floating", "twice in a column", "never an empty slot"],
)
def test_there_is_no_order_where_things_float_come_twice_or_lie_either_way(columns) -> None:
    assert order(columns_of(*columns), 3) is None


@pytest.mark.parametrize("hanging", [False, True])
@pytest.mark.parametrize("shape", [(6, 9, 1), (4, 6, 3)], ids=["grey", "colour"])
def test_slots_are_those_of_the_finder_and_join_again(shape, hanging: bool) -> None:
    cut = Cut(columns=3, slot=2, hanging=hanging)
    images = np.random.default_rng(0).integers(256, size=(5, *shape), dtype=np.uint8)
    slots = split(as_pixels(images).float(), shape, cut)
    assert (slots.numpy() == cut.slots(images)).all()
    assert torch.equal(join(slots, shape, cut), as_pixels(images).float())


def test_a_bit_can_be_held_constant() -> None:
    pairs = towers(3).sample(200, np.random.default_rng(0))
    networks = Networks(pairs)
    networks.encoder.hold_bit(4, True)
    assert networks.bits(pairs.before)[:, 4].all()
    assert networks.encoder.held_bits().nonzero().tolist() == [[4]]


def test_its_decoder_needs_its_encoder() -> None:
    with pytest.raises(UsageError, match="needs encoder 'piles'"):
        load_plugins().create("decoder", "piles", (4, 4, 1), Layout(bits=3))


@pytest.mark.parametrize(
    ("spec", "words"),
    [("pile", "Did you mean 'piles'"), ("piles:rows=3", "unknown option 'rows'"), ("piles:columns=1", ">= 2")],
)
def test_a_wrong_name_or_option_is_told(spec: str, words: str) -> None:
    for kind in ("encoder", "decoder"):
        with pytest.raises(UsageError, match=words):
            load_plugins().create(kind, spec, (4, 4, 1), Layout(bits=3))
