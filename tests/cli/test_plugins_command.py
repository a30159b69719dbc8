import json
import resource
import subprocess
import sys

import pytest

from cubespace.plugins import KINDS, load_plugins

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
        "import sys; sys.argv = ['cube', 'plugins', '--json']\n"
        "from cubespace.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'matplotlib', 'skimage', 'mlxtend', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_listing_answers_within_a_second(cube) -> None:
    cube("plugins", "--json")  # the first call may write bytecode
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cube("plugins", "--json")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # the time of the processor: what else the machine does is not ours
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1


def test_one_kind_and_one_component_can_be_shown(cube) -> None:
    assert set(json.loads(cube("plugins", "planner", "--json").stdout)) == {"planner", "failures"}
    assert "size" in cube("plugins", "domain", "mnist").stdout
    assert cube("plugins", "mnist").stdout == cube("plugins", "domain", "mnist").stdout
    shown = json.loads(cube("plugins", "domain", "mnist", "--json").stdout)
    assert any(row["option"] == "size" for row in shown["options"])


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
        (("new-plugin", "No Good", "--kind", "domain"), "no good plugin name"),
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
    assert set(facts["presets"]) >= {"large-board"}
    assert all(f"preset {name}: {reason}" in told for name, reason in facts["presets"].items())
