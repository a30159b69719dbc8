import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Literal

import pytest
from command import least_cpu_seconds

from cubespace.cli.option_types import type_name
from cubespace.plugins.catalogue import load_plugins
from cubespace.plugins.component import KINDS
from cubespace.plugins.entry_points import installed

# what others have installed may be heavy: it is not what is measured here
FOREIGN = sorted({source.split()[0] for _, source in installed()} - {"cubespace"})
OURS_ONLY = [word for package in FOREIGN for word in ("--no-plugin", package)]
DOMAINS = {"mnist", "mandrill", "spider", "photo", "lightsout", "twisted", "hanoi", "images"}


def test_the_json_listing_equals_the_registry(cube) -> None:
    answer = cube("plugins", "--json")
    listed = json.loads(answer.stdout)
    assert answer.returncode == 0
    assert answer.stderr == ""
    assert listed["failures"] == []
    for kind in KINDS:
        assert [row["name"] for row in listed[kind]] == load_plugins().names(kind)
    assert {row["name"] for row in listed["domain"]} >= DOMAINS


def test_listing_imports_neither_torch_nor_matplotlib() -> None:
    code = (
        f"import sys; sys.argv = ['cube', 'plugins', '--json', *{OURS_ONLY}]\n"
        "from cubespace.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'matplotlib', 'skimage', 'mlxtend', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_listing_answers_within_a_second() -> None:
    command = [sys.executable, "-m", "cubespace.cli", "plugins", "--json", *OURS_ONLY]
    assert least_cpu_seconds(*command, enough=1) < 1


def test_one_kind_and_one_component_can_be_shown(cube) -> None:
    assert set(json.loads(cube("plugins", "planner", "--json").stdout)) == {"planner", "failures"}
    assert "size" in cube("plugins", "domain", "mnist").stdout
    assert cube("plugins", "mnist").stdout == cube("plugins", "domain", "mnist").stdout
    shown = json.loads(cube("plugins", "domain", "mnist", "--json").stdout)
    assert any(row["option"] == "size" for row in shown["options"])


def test_all_components_of_a_name_are_shown_with_types_and_help(cube) -> None:
    told = cube("plugins", "mlp").stdout
    assert "encoder mlp" in told
    assert "decoder mlp" in told
    assert "(whole number)  units of a hidden layer" in told
    assert [each["kind"] for each in json.loads(cube("plugins", "mlp", "--json").stdout)] == ["encoder", "decoder"]
    assert "path=unset  (path)  the folder" in cube("plugins", "images").stdout
    assert "(one of auto, grey, rgb)" in cube("plugins", "images").stdout
    assert "optimal=off  (on/off)" in cube("plugins", "fd").stdout


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (int, "whole number"),
        (float | None, "number or none"),
        (Literal["a", "b"], "one of a, b"),
        (tuple[float, ...], "number, several joined by +"),
        (str | None, "text"),
        (Path, "path"),
        (bool, "on/off"),
    ],
)
def test_types_are_told_in_words(kind, words) -> None:
    assert type_name(kind) == words


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("plugins", "domian"), "Did you mean 'domain'?"),
        (("plugins", "domain", "mnits"), "Did you mean 'mnist'?"),
        (("plugins", "mnits"), "Did you mean 'mnist'?"),
        (("plugins", "mnist", "domain"), "No kind is called 'mnist'"),
        (("info", "mandrill"), "cube plugins mandrill"),
        (("plugins", "--no-plugin", "mnits"), "Did you mean 'mnist'?"),
        (("new-plugin", "x", "--kind", "dmain"), "Did you mean 'domain'?"),
        (("new-plugin", "No Good", "--kind", "domain"), "not a good plugin name"),
    ],
)
def test_wrong_words_get_one_line_and_exit_code_2(cube, arguments, complaint) -> None:
    answer = cube(*arguments)
    assert answer.returncode == 2
    assert complaint in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert answer.stdout == ""


def test_a_blocked_plugin_is_not_listed(cube) -> None:
    listed = json.loads(cube("plugins", "--json", "--no-plugin", "mnist").stdout)
    assert "mnist" not in {row["name"] for row in listed["domain"]}


def test_info_tells_versions_device_planners_and_presets(cube) -> None:
    facts = json.loads(cube("info", "--json").stdout)
    assert facts["libraries"]["torch"]
    assert facts["device"].split(":")[0] in {"cpu", "cuda", "mps"}
    assert facts["planners"]["fd-lmcut"] == "found"
    assert facts["failures"] == []
    told = cube("info").stdout
    assert "fd-lmcut" in told
    assert set(facts["presets"]) >= {"paper"}
    assert all(
        f"preset {name}: {each['reason']}  [{each['plugin']}," in told for name, each in facts["presets"].items()
    )


def test_a_dry_run_shows_the_phases_of_training(cube) -> None:
    shown = cube("run", "--dry-run").stdout
    assert "# learner: auto, the quick learner that held-out pairs choose; autoencoder if none fits\n" in shown
    assert re.search(r"^# phase joint: \d+ updates, if no quick learner fits$", shown, re.MULTILINE)
    assert tomllib.loads(shown)["domain"] == "mnist"
    trained = cube("run", "--dry-run", "--learner", "autoencoder").stdout
    assert re.search(r"^# phase joint: \d+ updates$", trained, re.MULTILINE)
    steps = "train.extensions=states+actions+decoder"
    settings = (steps, "train.epochs=5", "learner.name=autoencoder", "train.decoder_updates=1")
    two = cube("run", "--dry-run", *(word for each in settings for word in ("--set", each))).stdout
    assert "# phase states: 5 epochs\n# phase actions: 5 epochs\n# phase decoder: 1 update\n" in two
    assert "phase joint" not in cube("run", "--dry-run", "--learner", "places").stdout


def test_how_to_train_can_be_said_on_the_command_line(cube) -> None:
    for command in ("run", "train"):
        told = " ".join(cube(command, "-h").stdout.split())
        for option in ("--precision", "--compile", "--checkpoint-seconds", "--observer"):
            assert option in told
    shown = cube("run", "--dry-run", "--precision", "bf16", "--compile", "--checkpoint-seconds", "5").stdout
    assert 'precision = "bf16"' in shown, "it changes results, so it is a setting"
    assert cube("run", "--dry-run", "--precision", "half").returncode == 2


def test_an_unknown_observer_is_refused_before_any_work(cube, tmp_path) -> None:
    answer = cube("run", "--observer", "nobody", "-o", "run")
    assert answer.returncode == 2
    assert "No observer is called 'nobody'" in answer.stderr
    assert not (tmp_path / "run").exists()
