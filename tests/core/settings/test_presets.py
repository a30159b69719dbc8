import pytest

import cubespace
from cubespace.api import configure
from cubespace.base.errors import UsageError
from cubespace.settings.presets import find_preset, preset_names
from cubespace.settings.recipe import Recipe
from cubespace.settings.run_config import RunConfig, dump_toml, load_config, parse_settings


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_has_a_reason_and_settings_that_hold_together(name) -> None:
    preset, config = find_preset(name), load_config(None, {}, name)
    assert len(preset.reason.split()) > 5
    assert "#" not in preset.reason
    assert config != RunConfig()
    Recipe(autoencoder=config.autoencoder, train=config.train)


def test_a_file_goes_on_top_of_a_preset_and_settings_on_top_of_both(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('domain = "lightsout"\n[autoencoder]\nbits = 77\n[train.consolidation]\nrounds = 2\n')
    alone = load_config(None, {}, "paper")
    config = load_config(file, parse_settings(["autoencoder.action_width=999"]), "paper")
    assert (config.domain, config.autoencoder.bits, config.autoencoder.action_width) == ("lightsout", 77, 999)
    assert config.train.consolidation.rounds == 2
    assert config.train.consolidation.updates == alone.train.consolidation.updates
    assert config.autoencoder.encoder == alone.autoencoder.encoder != RunConfig().autoencoder.encoder


def test_a_run_does_not_need_its_preset_any_more(tmp_path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(dump_toml(load_config(None, {}, "paper")))
    assert load_config(file, {}) == load_config(None, {}, "paper")


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"Did you mean 'paper'\? Available: .*paper"):
        load_config(None, {}, "papre")
    with pytest.raises(UsageError, match="Available"):
        load_config(None, {}, "../presets/paper")


@pytest.mark.parametrize("config", [{"autoencoder": {"bits": 7}}, {"autoencoder.bits": 7}], ids=["nested", "dots"])
def test_the_python_interface_takes_one_too(config) -> None:
    given = configure(config, {"domain": "hanoi"}, "paper")
    assert (given.domain, given.autoencoder.bits) == ("hanoi", 7)
    assert given.autoencoder.encoder == load_config(None, {}, "paper").autoencoder.encoder


def test_a_preset_below_a_whole_configuration_is_refused(tmp_path) -> None:
    with pytest.raises(UsageError, match="no say"):
        cubespace.train(RunConfig(), preset="paper", folder=tmp_path / "run")
    with pytest.raises(UsageError, match="Available"):
        cubespace.run(preset="huge", folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_preset_has_the_settings_of_its_base_below_its_own() -> None:
    base, tuned = load_config(None, {}, "paper"), load_config(None, {}, "paper-mnist")
    assert tuned.autoencoder.encoder == base.autoencoder.encoder
    assert tuned.train.epochs == base.train.epochs == 200
    assert (tuned.autoencoder.bits, tuned.train.learning_rate, tuned.train.losses.direct) == (200, 0.01, 1.0)
    assert tuned.train.temperature == base.train.temperature
