import attrs
import pytest

from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.check import resolve_components
from cubespace.settings.migration import RENAMED
from cubespace.settings.run_config import RunConfig, flat, load_config, load_stored, parse_settings

NETWORK = '[model]\nencoder = "conv"\napply = "minmax"\nbits = 36\ndecoder = "auto"\n'


def stored(tmp_path, text: str) -> RunConfig:
    file = tmp_path / "config.toml"
    file.write_text(text)
    return load_stored(file)


def test_the_encoder_auto_is_the_learner_auto_and_the_default_apply_module_does_not_choose_another(tmp_path) -> None:
    config = stored(tmp_path, '[model]\napply = "btl"\nbits = 50\n[extract]\neffects = "differences"\n')
    assert config.learner.name == "auto"
    assert config.autoencoder.apply is None
    assert config.autoencoder.bits == 50
    assert config.extract.effects == "differences"


@pytest.mark.parametrize("encoder", ["places", "piles:limit=2"])
def test_a_quick_encoder_is_a_learner_without_the_settings_of_training_that_it_never_read(tmp_path, encoder) -> None:
    settings = f'[model]\nencoder = "{encoder}"\napply = "minmax"\nbits = 50\nleast_coverage = 0.25\n'
    config = stored(tmp_path, settings + "[train]\nepochs = 3\nseed = 7\nrewrite = false\n")
    assert config.learner.name == encoder
    assert config.learner.least_coverage == 0.25
    assert config.autoencoder == RunConfig().autoencoder
    assert (config.train.seed, config.train.epochs) == (7, None)


def test_the_encoder_of_a_network_means_the_trained_learner_with_its_parts(tmp_path) -> None:
    config = stored(tmp_path, NETWORK)
    assert config.learner.name == "autoencoder"
    assert (config.autoencoder.encoder, config.autoencoder.decoder) == ("conv", "mlp")
    assert (config.autoencoder.apply, config.autoencoder.bits) == ("minmax", 36)
    assert resolve_components(load_plugins(), config) == config


@pytest.mark.parametrize(
    ("train", "extensions"),
    [
        ("", ("consolidate", "rewrite", "decoder")),
        ("rewrite = false", ("consolidate", "decoder")),
        ("decoder_updates = 0", ("consolidate", "rewrite")),
        ("decoder_epochs = 0\ndecoder_updates = 540", ("consolidate", "rewrite")),
        ("decoder_epochs = 2\ndecoder_updates = 0", ("consolidate", "rewrite", "decoder")),
        ("consolidation.rounds = 0", ("rewrite", "decoder")),
        ('architecture = "two-stage"\ndecoder_updates = 0', ("states", "actions")),
    ],
)
def test_switches_of_training_are_a_list_of_steps(tmp_path, train, extensions) -> None:
    config = stored(tmp_path, f"{NETWORK}[train]\n{train}\n")
    assert config.train.extensions == extensions
    assert config.train.consolidation.rounds == 6


def test_a_discriminator_is_a_step_with_a_width(tmp_path) -> None:
    config = stored(tmp_path, f"{NETWORK}discriminator_width = 200\n")
    assert config.train.extensions == ("consolidate", "rewrite", "discriminate", "decoder")
    assert config.train.discriminator_width == 200


def test_every_old_key_has_a_new_one_that_exists() -> None:
    assert set(RENAMED.values()) <= set(flat(attrs.asdict(RunConfig())))


@pytest.mark.parametrize(
    ("setting", "new"),
    [
        ("model.bits=50", "use autoencoder.bits"),
        ("model.least_coverage=0.1", "use learner.least_coverage"),
        ("model.encoder=places", "use learner.name=places"),
        ("model.encoder=mlp:width=9", "use autoencoder.encoder=mlp:width=9 with learner.name=autoencoder"),
        ("train.rewrite=false", "use train.extensions"),
        ("train.architecture=two-stage", "use train.extensions"),
        ("model.colour=blue", "those of the network are called autoencoder"),
    ],
)
def test_an_old_key_that_a_user_types_is_refused_with_a_line_that_names_the_new_one(setting, new) -> None:
    with pytest.raises(UsageError, match=new) as caught:
        load_config(None, parse_settings([setting]))
    assert "\n" not in str(caught.value)


def test_an_old_settings_file_of_a_user_is_refused_by_its_name(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(NETWORK)
    with pytest.raises(UsageError, match=r"mine\.toml: 'model\.encoder' was replaced in version 0\.3\.0"):
        load_config(file, {})
