"""Which network a run gets: the one that is named, or the one that held-out pairs choose."""

from __future__ import annotations

import json
from types import ModuleType

import attrs
import numpy as np
import pytest
import torch
from cubespace.autoencoder.model_file import save_model
from cubespace.runs.stages.networks import Candidate, Choice, choose_network, default_learner, read_network, resolve
from tile_rows import smooth_blobs, tile_rows
from torch import Tensor

from cubespace import hookimpl
from cubespace.autoencoder.encoder import Decoder, Encoder, Layout
from cubespace.autoencoder.inference import draw, encode
from cubespace.base.errors import UsageError
from cubespace.base.observer import Observer
from cubespace.data.domain import Pairs
from cubespace.plugins.catalogue import Catalogue, collect, load_plugins
from cubespace.plugins.entry_points import installed
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.settings.recipe import AUTO, Execution, ModelConfig
from cubespace.settings.run_config import load_config

TOWERS, LAMPS = "hanoi:disks=3", "lightsout:size=2"


def drawn(spec: str, count: int, seed: int = 0) -> Pairs:
    pairs: Pairs = load_plugins().create("domain", spec).sample(count, np.random.default_rng(seed))
    return pairs


def chosen(pairs: Pairs, config: ModelConfig | None = None, catalogue: Catalogue | None = None) -> Choice:
    """Let a tenth of the pairs choose."""
    held_out = len(pairs) // 10
    config = ModelConfig() if config is None else config
    return choose_network(catalogue or load_plugins(), config, pairs[held_out:], pairs[:held_out], 0)


def candidates(choice: Choice, *names: str) -> list[Candidate]:
    """Return what was tried, by name."""
    tried = {candidate.encoder: candidate for candidate in choice.candidates}
    return [tried[name] for name in names]


def test_towers_are_seen_as_piles() -> None:
    choice = chosen(drawn(TOWERS, 600))
    assert (choice.config.encoder, choice.config.decoder) == ("piles", "piles")
    assert choice.network.bits == 9
    piles, places = candidates(choice, "piles", "places")
    assert piles.fits
    assert piles.trial is not None
    assert piles.trial.coverage == 1.0
    assert places.trial is None or not places.fits or places.trial.description > piles.trial.description


def test_lamps_are_seen_as_places() -> None:
    choice = chosen(drawn(LAMPS, 500))
    assert (choice.config.encoder, choice.config.decoder) == ("places", "places")
    piles, places = candidates(choice, "piles", "places")
    assert not piles.fits
    assert "no piles" in piles.reason
    assert places.fits
    assert choice.network.actions == 32  # as many labels as there are differences


def test_pictures_that_nothing_fits_are_left_to_the_plain_network() -> None:
    choice = chosen(Pairs(*smooth_blobs(400, 8)))
    assert (choice.config.encoder, choice.config.decoder) == ("mlp", "mlp")
    assert not any(candidate.fits for candidate in choice.candidates)
    assert {candidate.encoder for candidate in choice.candidates} >= {"piles", "places"}
    assert choice.network.bits == ModelConfig().bits


def test_a_network_that_is_named_is_taken_without_trying_others() -> None:
    config = ModelConfig(encoder="mlp:width=8", decoder="conv:width=8,channels=2", bits=7, actions=5)
    choice = chosen(drawn(LAMPS, 100), config)
    assert choice.candidates == ()
    assert (choice.config, choice.network.bits, choice.network.actions) == (config, 7, 5)


def test_an_encoder_brings_its_decoder_and_its_precondition_learner() -> None:
    catalogue = load_plugins()
    assert resolve(catalogue, ModelConfig(), "places").decoder == "places"
    assert resolve(catalogue, ModelConfig(), "conv").decoder == "mlp"
    assert resolve(catalogue, ModelConfig(decoder="conv"), "places").decoder == "conv"
    assert [default_learner(catalogue, spec) for spec in ("places", "piles:columns=3", "mlp:width=9")] == [
        "values",
        "values",
        "counterexamples",
    ]


def test_limits_that_nothing_keeps_leave_the_plain_network() -> None:
    choice = chosen(drawn(LAMPS, 300), ModelConfig(most_residue=0.0))
    assert choice.config.encoder == "mlp"
    assert not any(candidate.fits for candidate in choice.candidates)


def test_the_record_says_what_was_tried_and_why_not() -> None:
    record = json.loads(json.dumps(chosen(drawn(LAMPS, 300)).record()))
    assert (record["encoder"], record["bits"], record["variables"], record["labels"]) == ("places", 8, 4, 32)
    tried = {candidate["encoder"]: candidate for candidate in record["candidates"]}
    piles, places = tried["piles"], tried["places"]
    assert (piles["fits"], piles["trial"]) == (False, None)
    assert "no piles" in piles["reason"]
    assert places["trial"]["coverage"] == 1.0
    assert places["trial"]["residue"] <= 0.02


def test_a_run_keeps_the_record_and_tells_the_user(tmp_path) -> None:
    class Listener(Observer):
        said: list[str] = []  # noqa: RUF012 - one listener, one test

        def say(self, text: str) -> None:
            self.said.append(text)

    config = load_config(None, {"domain": LAMPS, "data.transitions": 300})
    listener = Listener()
    run = RunFolder.start(tmp_path / "run", config)
    Pipeline(run, load_plugins(), Execution(), listener).until("train")
    record = json.loads(run.file("encoder.json").read_text())
    assert record["encoder"] == "places"
    assert {"piles", "places"} <= {candidate["encoder"] for candidate in record["candidates"]}
    text = "\n".join(listener.said)
    assert "encoder piles: not possible, these pictures show no piles" in text
    assert "encoder places: fits, 32 differences, covering 1.0000 of held-out pairs" in text
    assert "encoder places, 8 bits in 4 variables" in text
    assert run.config.model.encoder == AUTO  # the settings stay what they were


def test_the_chosen_network_is_read_back_from_its_file(tmp_path) -> None:
    pairs = drawn(TOWERS, 300)
    network = chosen(pairs).network
    save_model(tmp_path / "model.safetensors", network)
    again = read_network(load_plugins(), tmp_path / "model.safetensors")
    bits = encode(network, pairs.before)
    assert (encode(again, pairs.before) == bits).all()
    assert (draw(again, bits) == draw(network, bits)).all()
    assert again.encoder.layout == network.encoder.layout


class FourTiles(Encoder):
    """A stranger's encoder that knows four cells of a row, and that tiles differ in their mean."""

    ready = True
    decoder = "stranger"

    def __init__(self, shape, layout: Layout, options) -> None:
        super().__init__(shape, layout, options)
        self.means = torch.nn.Parameter(torch.tensor(layout.details["means"]))

    @classmethod
    def plan(cls, before, *_) -> Layout:
        means = np.unique(_means(before).round(4)).tolist()
        groups = tuple(np.repeat(np.arange(4), len(means)).tolist())
        return Layout(bits=len(groups), groups=groups, labels=40, details={"means": means})

    @classmethod
    def proposals(cls, image_shape) -> list[str]:
        return [""] if len(image_shape) == 2 else []

    def forward(self, pixels: Tensor) -> Tensor:
        cells = pixels.unflatten(1, self.shape[:2])[:, 1:-1, 1:-1].unflatten(2, (4, 5)).mean((1, 3))  # (batch, cells)
        near = -(cells[..., None] - self.means).abs()  # (batch, cells, values)
        best, second = near.topk(2, dim=2).values.split(1, dim=2)
        return 1e3 * (near - torch.where(near == best, second, best)).flatten(1)

    def hold_bit(self, bit: int, value: bool) -> None:
        raise NotImplementedError

    def held_bits(self) -> Tensor:
        return torch.zeros(self.layout.bits, dtype=torch.bool)


class FourTilesDecoder(Decoder):
    """Draws the mean of what each bit has shown."""

    ready = True

    def __init__(self, shape, layout: Layout, options) -> None:
        super().__init__(shape, layout, options)
        self.weight = torch.nn.Parameter(torch.zeros(layout.bits, shape[0] * shape[1]))

    def prepare(self, pixels: Tensor, bits: Tensor) -> None:
        levels = torch.logit(pixels, 1 / 512)
        self.weight.data = torch.linalg.lstsq(bits.float(), levels, driver="gelsd").solution

    def forward(self, bits: Tensor) -> Tensor:
        return bits @ self.weight


def _means(images):
    return (images[:, 1:-1, 1:-1] / 255).reshape(len(images), 5, 4, 5).mean((1, 3))


def with_a_stranger(encoder: type) -> Catalogue:
    @hookimpl
    def cube_encoders(registry):
        registry.add("stranger", encoder, "knows four tiles")

    @hookimpl
    def cube_decoders(registry):
        registry.add("stranger", FourTilesDecoder, "draws four tiles")

    plugin = ModuleType("stranger")
    vars(plugin).update(cube_encoders=cube_encoders, cube_decoders=cube_decoders)
    own = [(entry.name, source, entry.load) for entry, source in installed() if source.split()[0] == "cubespace"]
    return collect([*own, ("stranger", "stranger 1.0", lambda: plugin)])


def tiles() -> Pairs:
    world = tile_rows(500)
    return Pairs(world.before, world.after)


def test_an_encoder_of_someone_else_that_proposes_itself_is_tried_like_the_others() -> None:
    choice = chosen(tiles(), catalogue=with_a_stranger(FourTiles))
    names = [candidate.encoder for candidate in choice.candidates]
    assert {"piles", "places", "stranger"} <= set(names)
    (mine,) = candidates(choice, "stranger")
    assert mine.fits
    assert mine.decoder == "stranger"
    assert mine.trial is not None
    assert mine.trial.coverage == 1.0
    best = min((each for each in choice.candidates if each.fits), key=lambda each: each.trial.description)
    assert choice.config.encoder == best.encoder


def test_it_is_chosen_where_it_fits_and_no_other_does() -> None:
    blocked = with_a_stranger(FourTiles)
    others = {name: each for name, each in blocked.components["encoder"].items() if name in ("stranger", "mlp")}
    alone = attrs.evolve(blocked, components={**blocked.components, "encoder": others})
    choice = chosen(tiles(), catalogue=alone)
    assert (choice.config.encoder, choice.config.decoder) == ("stranger", "stranger")
    assert choice.network.actions == 40


def test_one_that_cannot_be_built_is_passed_over_with_its_reason() -> None:
    class Broken(FourTiles):
        @classmethod
        def plan(cls, *_) -> Layout:
            raise UsageError("there are no tiles")

    choice = chosen(tiles(), catalogue=with_a_stranger(Broken))
    assert choice.config.encoder == "places"
    (mine,) = candidates(choice, "stranger")
    assert (mine.fits, mine.reason) == (False, "there are no tiles")
    assert "not possible, there are no tiles" in mine.summary


@pytest.mark.parametrize("colours", [1, 3])
def test_the_shape_of_the_pictures_decides_what_is_proposed(colours: int) -> None:
    world = tile_rows(300, colours=colours)
    choice = chosen(Pairs(world.before, world.after), catalogue=with_a_stranger(FourTiles))
    assert ("stranger" in [candidate.encoder for candidate in choice.candidates]) == (colours == 1)
