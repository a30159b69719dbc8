from pathlib import Path
from typing import Literal

import attrs
import pytest

from cubespace.base.errors import UsageError
from cubespace.base.options import NoOptions, Spec, Text, parse_spec, structure


@attrs.frozen
class Inner:
    depth: int = 1


def check_place(_: object, __: object, value: str | None) -> None:
    if value not in (None, "none", "up", "down"):
        raise ValueError(f"'{value}' is not up or down")


@attrs.frozen
class Options:
    size: int = attrs.field(default=3, validator=attrs.validators.ge(2))
    rate: float = 0.1
    noisy: bool = False
    search: str = ""
    image: Path | None = None
    mode: Literal["grey", "rgb"] = "grey"
    widths: tuple[int, ...] = ()
    inner: Inner = Inner()
    place: str | None = attrs.field(default=None, validator=check_place)
    steps: int | None = 3


def from_text(text: str) -> Options:
    return structure(Options, parse_spec(text).options, "domain 'x'")


def test_a_name_alone_has_no_options() -> None:
    assert parse_spec("mnist") == Spec("mnist", {})


def test_text_takes_the_type_of_its_option() -> None:
    options = from_text("x:size=4,rate=1e-3,noisy=on,image=cat.png,mode=rgb,widths=300+20")
    assert options == Options(
        size=4, rate=1e-3, noisy=True, image=Path("cat.png"), mode="rgb", widths=(300, 20), inner=Inner()
    )


def test_none_is_no_value_but_for_text() -> None:
    options = from_text("x:steps=none,place=none,search=none,image=None")
    assert (options.steps, options.place, options.search, options.image) == (None, "none", "none", Path("None"))


def test_commas_inside_brackets_and_quotes_belong_to_the_value() -> None:
    assert from_text("x:search=astar(ipdb(max_time=10),bound=3),size=4").search == "astar(ipdb(max_time=10),bound=3)"
    assert from_text('x:search="a,b",size=4').search == "a,b"


def test_a_toml_value_keeps_its_own_type() -> None:
    assert structure(Options, {"rate": 2, "inner": {"depth": 2}}, "x") == Options(rate=2.0, inner=Inner(2))
    for wrong in ({"size": 1.5}, {"size": "4"}, {"size": True}, {"noisy": 1}, {"search": 3}, {"inner": {"depht": 1}}):
        with pytest.raises(UsageError):
            structure(Options, wrong, "x")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x:size=1.5", "domain 'x': size: 1.5 is not a whole number"),
        ("x:size=1", "domain 'x': size: must be >= 2, not 1"),
        ("x:place=low", "domain 'x': place: 'low' is not up or down"),
        ("x:size=1,place=low", "domain 'x': size: must be >= 2, not 1; place: 'low' is not up or down"),
        ("x:siz=4", "unknown option 'siz'. Did you mean 'size'?"),
        ("x:noisy=maybe", "noisy: maybe is neither on nor off"),
        ("x:mode=cmyk", "mode: cmyk is not one of grey, rgb"),
        ("x:rate=fast", "rate: fast is not a number"),
    ],
)
def test_complaints_name_the_key(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        from_text(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", ":size=3", "x:size", "x:=3", "x:size=3,size=4", "x:search=astar(", 'x:search="a'])
def test_malformed_specs_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_spec(text)


def test_a_component_without_options_says_so() -> None:
    with pytest.raises(UsageError, match="It has no options"):
        structure(NoOptions, {"size": Text("3")}, "x")


def test_a_spec_prints_as_text_that_parses_to_it() -> None:
    quoted = ('"it\'s here"', "'a \"b\" c'", '"a(b"', "']a'", "\"'a'\"", '" a"', '"a,b"')
    for text in ("mnist", "x:size=4,search=let(a,b)", "x:noisy=on", "x:path=", *(f"x:path={each}" for each in quoted)):
        assert parse_spec(str(parse_spec(text))) == parse_spec(text), text
    assert str(parse_spec("x:search=a(b)")) == "x:search=a(b)", "no quotes where none are needed: keys stay"


def test_a_spec_is_parsed_once_and_cannot_be_changed() -> None:
    spec = parse_spec("mnist:size=4")
    assert parse_spec("mnist:size=4") is spec
    with pytest.raises(TypeError):
        spec.options["size"] = 5
    given = {"size": 4}
    made = Spec("mnist", given)
    given["size"] = 5
    assert made.options == {"size": 4}


def test_a_table_cannot_be_a_single_value() -> None:
    with pytest.raises(UsageError, match=r"^x: inner: 1 is a single value, and this is a table with depth$"):
        structure(Options, {"inner": Text("1")}, "x")


def test_of_many_unknown_options_the_first_are_named_and_the_rest_counted() -> None:
    with pytest.raises(UsageError, match=r"'key0'\. .* … and 49,990 more Available: size") as caught:
        structure(Options, {f"key{number}": 1 for number in range(50_000)}, "x")
    assert len(str(caught.value)) < 1000


def test_a_quote_within_a_value_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(UsageError, match="unclosed quote: put a value that contains one into quotes of the other kind"):
        parse_spec("images:path=it's here")
    assert parse_spec('images:path="it\'s here"').options == {"path": "it's here"}
