from collections.abc import Callable
from types import ModuleType

import attrs
import numpy as np
import pytest

from cubespace import hookimpl
from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import Catalogue, collect, load_plugins, provide
from cubespace.plugins.component import KINDS
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions


@attrs.frozen
class Options:
    limit: int = 1


class Learner(PreconditionLearner):
    Options = Options

    def learn(self, evidence: Evidence) -> Preconditions:
        return Preconditions(action=np.arange(1), positive=evidence.add, negative=evidence.delete)


def module(**hooks: object) -> ModuleType:
    plugin = ModuleType("a_plugin")
    vars(plugin).update(hooks)
    return plugin


def plugin(name: str = "mine", target: object = Learner, **preset: object) -> object:
    @hookimpl
    def cube_precondition_learners(registry):  # type: ignore[no-untyped-def]
        registry.add(name, target, "a learner", **preset)

    return module(cube_precondition_learners=cube_precondition_learners)


def catalogue(**plugins: object) -> Catalogue:
    def loader(value: object) -> Callable[[], object]:
        return lambda: value

    return collect([(name, f"{name} 0.1", loader(value)) for name, value in plugins.items()])


@pytest.mark.parametrize("kind", KINDS)
def test_every_built_in_component_loads_and_keeps_its_contract(kind: str) -> None:
    loaded = load_plugins()
    assert not loaded.failures
    assert loaded.names(kind) or kind == "observer"  # of observers there are none built in
    for name in loaded.names(kind):
        assert loaded.find(kind, name).load()


def test_plugins_can_be_loaded_again_after_their_components_were_used() -> None:
    for kind in KINDS:
        for name in load_plugins().names(kind):
            load_plugins().find(kind, name).load()  # importing a module must not take the place of a plugin object
    assert not load_plugins.__wrapped__().failures


def test_a_component_is_built_with_its_options() -> None:
    loaded = catalogue(one=plugin())
    assert loaded.create("precondition", "mine").options == Options()
    assert loaded.create("precondition", "mine:limit=5").options == Options(5)


def test_a_preset_is_a_default_that_the_user_can_override() -> None:
    loaded = catalogue(one=plugin(limit=3))
    assert loaded.create("precondition", "mine").options == Options(3)
    assert loaded.create("precondition", "mine:limit=5").options == Options(5)


def test_a_plugin_that_raises_is_named_and_skipped() -> None:
    def broken() -> object:
        raise ModuleNotFoundError("No module named 'absent'")

    loaded = collect([("bad", "bad 0.1", broken), ("good", "good 0.1", plugin)])
    assert loaded.names("precondition") == ["mine"]
    assert str(loaded.failures[0]) == "skipped plugin 'bad' (bad 0.1): ModuleNotFoundError: No module named 'absent'"
    with pytest.raises(UsageError, match="No module named 'absent'"):
        loaded.find("precondition", "bad")


def test_a_hook_that_raises_is_named_and_skipped() -> None:
    @hookimpl
    def cube_domains(registry: object) -> None:
        raise RuntimeError("out of order")

    loaded = catalogue(bad=module(cube_domains=cube_domains), good=plugin())
    assert [failure.plugin for failure in loaded.failures] == ["bad"]
    assert "out of order" in loaded.failures[0].reason


def test_a_misspelt_hook_is_an_error_of_its_plugin() -> None:
    @hookimpl
    def cube_domain(registry: object) -> None: ...

    loaded = catalogue(bad=module(cube_domain=cube_domain), good=plugin())
    assert [failure.plugin for failure in loaded.failures] == ["bad"]
    assert "cube_domain" in loaded.failures[0].reason
    assert loaded.names("precondition") == ["mine"]


def test_a_plugin_without_hooks_is_told_so() -> None:
    loaded = catalogue(empty=module())
    assert "@hookimpl" in loaded.failures[0].reason


def test_two_plugins_with_one_component_name_are_both_named_and_refused() -> None:
    loaded = catalogue(one=plugin(), two=plugin(), other=plugin("other"))
    assert loaded.names("precondition") == ["other"]
    with pytest.raises(UsageError) as caught:
        loaded.find("precondition", "mine")
    assert "'one' (one 0.1) and 'two' (two 0.1)" in str(caught.value)
    assert len(loaded.failures) == 1


def test_two_packages_with_one_plugin_name_are_both_named_and_refused() -> None:
    loaded = collect([("btl", "first 1", plugin), ("btl", "second 2", plugin)])
    assert loaded.names("precondition") == []
    assert {failure.distribution for failure in loaded.failures} == {"first 1", "second 2"}
    assert all("first 1 and second 2" in failure.reason for failure in loaded.failures)


def test_an_unknown_name_gets_help() -> None:
    with pytest.raises(
        UsageError, match=r"No precondition learner is called 'mien'. Did you mean 'mine'\? Available: mine."
    ):
        catalogue(one=plugin()).find("precondition", "mien")


def test_a_class_that_does_not_keep_the_contract_is_refused() -> None:
    loaded = catalogue(one=plugin(target=dict), two=plugin("absent", target="nowhere:Thing"))
    with pytest.raises(UsageError, match="is not a PreconditionLearner"):
        loaded.create("precondition", "mine")
    with pytest.raises(UsageError, match="cannot be loaded: ModuleNotFoundError"):
        loaded.create("precondition", "absent")


def test_provide_makes_a_plugin_of_one_component() -> None:
    loaded = catalogue(one=provide("precondition", "mine", f"{__name__}:Learner", "a learner", limit=2))
    assert not loaded.failures
    assert loaded.find("precondition", "mine").summary == "a learner"


def test_a_plugin_can_be_blocked() -> None:
    assert "btl" in load_plugins().names("apply")
    assert "btl" not in load_plugins(("btl",)).names("apply")
    assert load_plugins(("cubespace",)).names("domain") == []
    with pytest.raises(UsageError, match="Did you mean 'btl'"):
        load_plugins(("blt",))


def preset_plugin(name: str, settings: object, reason: str = "") -> object:
    @hookimpl
    def cube_presets(registry):  # type: ignore[no-untyped-def]
        registry.add(name, settings, reason)

    return module(cube_presets=cube_presets)


def test_a_preset_comes_as_tables_or_as_toml_with_its_reason() -> None:
    text = "# Few bits\n# are enough.\n[model]\nbits = 9\n"
    loaded = catalogue(one=preset_plugin("few", text), two=preset_plugin("less", {"model": {"bits": 3}}, "for a test"))
    assert not loaded.failures
    few, less = loaded.find_preset("few"), loaded.find_preset("less")
    assert (few.reason, few.settings, few.plugin) == ("Few bits are enough.", {"model": {"bits": 9}}, "one")
    assert (less.reason, less.distribution) == ("for a test", "two 0.1")


def test_whoever_changes_the_settings_of_a_preset_changes_a_copy() -> None:
    loaded = catalogue(one=preset_plugin("few", {"model": {"bits": 9}}, "for a test"))
    loaded.find_preset("few").settings["model"]["bits"] = 1
    assert loaded.find_preset("few").settings == {"model": {"bits": 9}}


@pytest.mark.parametrize(
    ("settings", "complaint"), [({"model": {}}, "no reason"), ("# why\n[model", "TOMLDecodeError")]
)
def test_a_bad_preset_is_an_error_of_its_plugin(settings, complaint) -> None:
    loaded = catalogue(bad=preset_plugin("few", settings), good=plugin())
    assert [failure.plugin for failure in loaded.failures] == ["bad"]
    assert complaint in loaded.failures[0].reason
    assert loaded.names("precondition") == ["mine"]


def test_two_plugins_with_one_preset_are_both_named_and_refused() -> None:
    few = {"model": {"bits": 9}}
    loaded = catalogue(one=preset_plugin("few", few, "a"), two=preset_plugin("few", few, "b"))
    assert "preset 'few' is provided by plugins 'one' (one 0.1) and 'two' (two 0.1)" in loaded.failures[0].reason
    with pytest.raises(UsageError, match="Block all but one"):
        loaded.find_preset("few")
    with pytest.raises(UsageError, match="No preset is called 'fwe'"):
        loaded.find_preset("fwe")


def test_commands_are_added_when_asked_for_and_by_their_own_plugin_alone() -> None:
    def commands(name: str) -> object:
        @hookimpl
        def cube_commands(app):  # type: ignore[no-untyped-def]
            app.append(name)

        return module(cube_commands=cube_commands)

    loaded = catalogue(one=commands("hello"), two=commands("goodbye"))
    assert not loaded.failures
    for plugin_of_commands, name in zip(loaded.commands, ["hello", "goodbye"], strict=True):
        added: list[str] = []
        plugin_of_commands.add_to(added)  # type: ignore[arg-type]
        assert added == [name]
