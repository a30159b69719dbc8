import time

import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.settings.run_config import (
    RunConfig,
    differing_keys,
    dump_toml,
    load_config,
    parse_settings,
    with_settings,
)
from cubespace.settings.toml_file import read_toml


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
        ("train=1", "train: 1 is a single value, and this is a table with extensions"),
        ("train.learning_rate=1e38", "train.learning_rate: must be <= 100.0"),
        ("train.seed=18446744073709551616", "train.seed: must be <= 9223372036854775807"),
        ("data.seed=18446744073709551616", "data.seed: must be <= 9223372036854775807"),
        ("autoencoder.bits=1000000000", "autoencoder.bits: must be <= 1000000"),
        ("autoencoder.action_depth=1000000", "autoencoder.action_depth: must be <= 100"),
        ("plan.memory_limit=1000000000000000", "plan.memory_limit: must be <= 1073741824"),
        ("domain=images:path=\udcff", "has bytes that are no text"),
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


def test_settings_go_on_top_of_a_configuration() -> None:
    config = load_config(None, {"train.epochs": 3, "plan.length": 3})
    changed = with_settings(config, parse_settings(["plan.length=5", "plan.planners=fd-blind"]))
    assert (changed.train.epochs, changed.plan.length, changed.plan.planners) == (3, 5, ("fd-blind",))
    assert with_settings(config, {}) == config
    assert config.plan.length == 3
    with pytest.raises(UsageError, match=r"plan\.length: must be >= 1, not 0"):
        with_settings(config, {"plan.length": 0})


def test_there_is_at_least_one_planner(tmp_path) -> None:
    (tmp_path / "x.toml").write_text("[plan]\nplanners = []\n")
    with pytest.raises(UsageError, match=r"plan.planners: there must be at least one planner"):
        load_config(tmp_path / "x.toml", {})


def test_one_value_and_a_table_of_the_same_name_are_a_contradiction() -> None:
    with pytest.raises(UsageError, match="'domain' is given as one value and as a table with size"):
        load_config(None, {"domain.size": 3, "domain": "mnist"})


def test_a_file_may_begin_with_the_mark_of_an_editor(tmp_path) -> None:
    (tmp_path / "x.toml").write_text('domain = "lightsout"\n', encoding="utf-8-sig")
    assert load_config(tmp_path / "x.toml", {}).domain == "lightsout"


def test_a_file_that_is_nested_too_deeply_is_named(tmp_path) -> None:
    (tmp_path / "deep.toml").write_text("x = " + "[" * 200_000)
    with pytest.raises(InputError, match=r"deep.toml is not a TOML file"):
        load_config(tmp_path / "deep.toml", {})


def test_long_texts_and_lists_are_no_keys(tmp_path) -> None:
    numbers = ", ".join(["0.5"] * 5000)
    (tmp_path / "long.toml").write_text(f'numbers = [{numbers}]\nword = "{"a" * 1_000_000}"\n')
    begun = time.process_time()
    assert len(read_toml(tmp_path / "long.toml")["numbers"]) == 5000
    assert time.process_time() - begun < 2, "it is read in one pass"


@pytest.mark.parametrize("dot", [".", " . ", '".'], ids=["plain", "spaced", "quoted"])
@pytest.mark.parametrize("depth", [40, 400, 100_000])
def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path, depth, dot) -> None:
    part = '"a' if '"' in dot else "a"
    key = dot.join([part] * depth) + '"' * ('"' in dot)
    (tmp_path / "deep.toml").write_text(f"[x]\n{key} = 1\n")
    with pytest.raises(InputError, match=r"deep\.toml is not a TOML file: it is nested too deeply"):
        load_config(tmp_path / "deep.toml", {})
