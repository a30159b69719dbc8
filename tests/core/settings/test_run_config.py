import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.settings.run_config import RunConfig, differing_keys, dump_toml, load_config, parse_settings


def test_the_defaults_survive_toml(tmp_path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(dump_toml(RunConfig()))
    assert load_config(file, {}) == RunConfig()


def test_settings_go_on_top_of_the_file(tmp_path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('domain = "mnist"\n[train]\nepochs = 7\nbatch = 50\n')
    config = load_config(
        file, parse_settings(["train.epochs=9", "plan.planners=fd-blind+fd-lmcut", "train.losses.direct=.5"])
    )
    assert (config.domain, config.train.epochs, config.train.batch, config.train.losses.direct) == ("mnist", 9, 50, 0.5)
    assert config.plan.planners == ("fd-blind", "fd-lmcut")


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("train.epoch=3", "Did you mean 'epochs'?"),
        ("train.epochs=0", "configuration: train.epochs: must be >= 1, not 0"),
        ("train.losses.direct=-1", "configuration: train.losses.direct: must be >= 0.0, not -1.0"),
        ("train.epochs=many", "train.epochs: many is not a whole number"),
        ("trian.epochs=3", "unknown option 'trian'"),
        ("domain.size=3", "domain"),
        ("epochs", "write KEY=VALUE"),
    ],
)
def test_wrong_settings_are_named(setting: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_config(None, parse_settings([setting]))
    assert complaint in str(caught.value)


def test_a_bad_file_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match="absent"):
        load_config(tmp_path / "absent.toml", {})
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(InputError, match="not a TOML file"):
        load_config(tmp_path / "bad.toml", {})


def test_a_stage_depends_on_its_own_settings_and_the_earlier_ones() -> None:
    base = RunConfig()
    train = load_config(None, {"train.epochs": 3})
    plan = load_config(None, {"plan.length": 3})
    assert base.key("data") == train.key("data")
    assert base.key("train") != train.key("train")
    assert base.key("extract") != train.key("extract")
    assert base.key("extract") == plan.key("extract")
    assert base.key("evaluate") != plan.key("evaluate")
    assert differing_keys(base, train, "train") == ["train.epochs"]
    assert differing_keys(base, plan, "train") == []
