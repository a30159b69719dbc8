"""Preset `paper` against a table of the settings in the authors' released code, entry by entry."""

import re
import tomllib
from pathlib import Path
from typing import Any

import attrs
import pytest

from cubespace.base.options import parse_spec
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import RunConfig, flat, load_config

ROOT = Path(__file__).parents[3]
TABLE = tomllib.loads(Path(__file__).with_name("authors.toml").read_text("utf-8"))
ENTRIES, DOMAINS = TABLE["entry"], TABLE["domains"]
AUDITED = range(1, 17)  # the differences that an audit of version 0.2 counted
USUAL_PAIRS = 5000  # of a domain whose preset leaves the number to it


def setting(config: RunConfig, key: str) -> Any:
    """Return a setting; of a component its name, and of KEY:OPTION the option's value, given or not."""
    name, _, option = key.partition(":")
    value = flat(attrs.asdict(config))[name]
    kind = name.removeprefix("autoencoder.")
    if kind not in ("apply", "action", "encoder", "decoder", "objective"):
        return list(value) if isinstance(value, tuple) else value
    spec = parse_spec(value)
    return getattr(load_plugins().find(kind, spec.name).options(spec.options), option) if option else spec.name


def wrong(config: RunConfig, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that are not as wanted."""
    return {key: setting(config, key) for key, value in wanted.items() if setting(config, key) != value}


@pytest.mark.parametrize("name", ["paper", *(f"paper-{domain}" for domain in DOMAINS)])
@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if "settings" in entry], ids=lambda entry: entry["theirs"]
)
def test_the_preset_does_what_the_authors_code_does(entry, name) -> None:
    config = load_config(None, {}, name)
    wanted = dict(entry["settings"])
    if entry.get("hidden_only") and setting(config, "autoencoder.apply:depth") == 0:
        pytest.skip("a table has no hidden layers")
    for parameter in ("clayer", "batch_size"):  # what a domain has of its own is in its own table
        own = DOMAINS.get(name.removeprefix("paper-"), {})
        wanted |= {key: own[parameter] for key in TABLE["parameters"][parameter] if key in wanted and parameter in own}
    assert not wrong(config, wanted)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_preset_of_a_domain_has_what_their_tuner_chose(domain) -> None:
    config = load_config(None, {}, f"paper-{domain}")
    chosen = {**TABLE["all"], **DOMAINS[domain]}
    if chosen["aae_depth"]:
        chosen |= {"effect_width": chosen["aae_width"], "effect_activation": chosen["aae_activation"]}
    if chosen["num_examples"] == USUAL_PAIRS and config.data.transitions is None:
        del chosen["num_examples"]
    assert not wrong(config, {key: value for name, value in chosen.items() for key in TABLE["parameters"][name]})


def test_every_audited_difference_is_an_entry() -> None:
    assert sorted(entry["audit"] for entry in ENTRIES if "audit" in entry) == list(AUDITED)
    assert all("settings" in entry or "left" in entry for entry in ENTRIES)


def test_every_difference_that_is_left_has_its_reason_on_the_page() -> None:
    page = (ROOT / "docs" / "paper.md").read_text("utf-8")
    section = page.partition("## What differs from the authors' code")[2].partition("\n## ")[0]
    reasons = dict(re.findall(r"^\| \*\*(.+?)\*\* \|.*\| (.+?) \|$", section, re.MULTILINE))
    assert set(reasons) == {entry["left"] for entry in ENTRIES if "left" in entry}
    assert all(len(reason.split()) > 5 for reason in reasons.values())


def test_the_text_differs_from_the_code_in_what_the_page_says() -> None:
    code, text = (flat(attrs.asdict(load_config(None, {}, name))) for name in ("paper", "paper-text"))
    differing = {key for key in code if code[key] != text[key]}
    page = (ROOT / "docs" / "paper.md").read_text("utf-8")
    section = page.partition("## Where the text and the code differ")[2].partition("\n## ")[0]
    assert differing == {
        key.partition("=")[0] for key in re.findall(r"`((?:autoencoder|train|extract)\.[a-z_.]+)", section)
    }
