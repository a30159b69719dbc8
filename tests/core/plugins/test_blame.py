"""Who failed is named: kind, component, plugin and package."""

import sys
from types import ModuleType

import numpy as np
import pytest

from cubespace import hookimpl
from cubespace.base.errors import ComponentError, ContractError, InputError
from cubespace.data.domain import Domain, Pairs
from cubespace.plugins.blame import blame, culprit, stand_for, title_of
from cubespace.plugins.catalogue import Catalogue, collect

TITLE = "domain 'mine' of plugin 'theirs' (their-package 2.0)"
RNG = np.random.default_rng(0)


class Mine(Domain):
    """Does what it is told to, badly."""

    image_shape = (4, 4)
    deed = "raise"

    def __init__(self, _: object) -> None:
        if self.deed == "refuse":
            raise ValueError("not like this")

    def sample(self, count: int | None, rng: np.random.Generator) -> Pairs:  # noqa: ARG002
        if self.deed == "raise":
            raise ValueError("first\nsecond")
        if self.deed == "exit":
            sys.exit(0)
        if self.deed == "complain":
            raise InputError("your file is bad")
        if self.deed == "eat":
            raise MemoryError
        return None  # type: ignore[return-value]


@pytest.fixture
def deed(request, monkeypatch) -> None:
    monkeypatch.setattr(Mine, "deed", request.param)


def catalogue(target: object = Mine) -> Catalogue:
    @hookimpl
    def cube_domains(registry):  # type: ignore[no-untyped-def]
        registry.add("mine", target, "a domain")

    plugin = ModuleType("a_plugin")
    plugin.cube_domains = cube_domains  # type: ignore[attr-defined]
    return collect([("theirs", "their-package 2.0", lambda: plugin)])


@pytest.mark.parametrize(
    ("deed", "words"),
    [("raise", "ValueError: first"), ("exit", r"it called sys.exit\(0\)"), ("return", "TypeError: ")],
    indirect=["deed"],
)
def test_a_component_that_fails_at_work_is_named(deed, words) -> None:
    mine = catalogue().create("domain", "mine")
    with pytest.raises(ComponentError) as caught, blame(mine):
        len(mine.sample(3, RNG))
    assert str(caught.value).startswith(f"{TITLE} failed: ")
    assert caught.match(words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("deed", ["raise"], indirect=True)
def test_the_component_at_work_is_named_not_the_suspect(deed) -> None:
    loaded = catalogue()
    mine, other = loaded.create("domain", "mine"), object()
    with pytest.raises(ComponentError, match="domain 'mine'"), blame(other):
        mine.sample(3, RNG)


@pytest.mark.parametrize(("deed", "error"), [("complain", InputError), ("eat", MemoryError)], indirect=["deed"])
def test_complaints_about_the_user_s_files_and_lack_of_memory_stay_what_they_are(deed, error) -> None:
    mine = catalogue().create("domain", "mine")
    with pytest.raises(error), blame(mine):
        mine.sample(3, RNG)


@pytest.mark.parametrize("deed", ["refuse"], indirect=True)
def test_a_component_that_cannot_be_made_is_named(deed) -> None:
    with pytest.raises(ComponentError) as caught:
        catalogue().create("domain", "mine")
    assert str(caught.value) == f"{TITLE} failed: ValueError: not like this"


def test_whoever_stands_for_a_component_bears_its_name() -> None:
    class Wrapper:
        def work(self) -> None:
            raise ValueError("no luck")

    mine, wrapper = catalogue().create("domain", "mine"), Wrapper()
    stand_for(wrapper, mine)
    assert title_of(wrapper) == TITLE
    with pytest.raises(ComponentError, match="domain 'mine'"), blame():
        wrapper.work()


def test_a_broken_contract_names_who_broke_it() -> None:
    mine = catalogue().create("domain", "mine")
    with pytest.raises(ComponentError) as caught, blame(object()):
        raise ContractError("it draws floats", mine)
    assert str(caught.value) == f"{TITLE} failed: it draws floats"


def test_our_own_mistakes_are_nobody_s() -> None:
    with pytest.raises(ValueError, match="invalid literal") as caught:
        int("x")
    assert culprit(caught.value) is None


@pytest.mark.parametrize("target", [None, 3, "no_such_module:Class", "sys:exit", dict], ids=str)
def test_what_is_no_component_is_blamed_on_the_plugin(target) -> None:
    loaded = catalogue(target)
    said = [str(failure) for failure in loaded.failures]
    if not said:
        with pytest.raises(Exception, match="domain 'mine' of plugin 'theirs'") as caught:
            loaded.create("domain", "mine")
        said = [str(caught.value)]
    assert "'theirs' (their-package 2.0)" in said[0]


@pytest.mark.parametrize("name", [None, 3, "", "a b", "a:b", "a,b", "a\nb"], ids=repr)
def test_what_is_no_name_is_blamed_on_the_plugin(name) -> None:
    @hookimpl
    def cube_domains(registry):  # type: ignore[no-untyped-def]
        registry.add(name, Mine, "a domain")

    plugin = ModuleType("a_plugin")
    plugin.cube_domains = cube_domains  # type: ignore[attr-defined]
    loaded = collect([("theirs", "their-package 2.0", lambda: plugin)])
    assert loaded.names("domain") == []
    assert str(loaded.failures[0]).startswith("skipped plugin 'theirs' (their-package 2.0): TypeError: ")


def test_lack_of_memory_while_a_component_is_imported_is_not_blamed_on_it(monkeypatch) -> None:
    def fail(_: str) -> None:
        raise MemoryError

    monkeypatch.setattr("cubespace.plugins.component.import_target", fail)
    with pytest.raises(MemoryError):
        catalogue("some:Class").create("domain", "mine")
