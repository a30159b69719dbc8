import tomllib

import pytest

from cubespace.base.toml import MOST_NESTED, parse_toml

DOTS = ". " * 100


@pytest.mark.parametrize(
    "text",
    [
        f"# {DOTS}\nx = 1",
        f'x = "a.b.c{DOTS}\\"{DOTS}"  # {DOTS}',
        f"x = '{DOTS}\\'",
        f'x = """\n"{DOTS}""\\"""{DOTS}"""""\ny = """"""',
        f"x = '''\n'{DOTS}''\\{DOTS}'''''\ny = ''''''",
        f"x = [{', '.join(['0.5'] * 100)}, 1e-3, 1979-05-27T07:32:00.999]",
        "\r\n".join(f"a{number}.b.c = 1.5" for number in range(100)),
        f"{'.'.join(['a'] * MOST_NESTED)} = 1",
    ],
)
def test_dots_elsewhere_than_in_keys_do_not_count(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize("depth", [MOST_NESTED + 1, 400, 100_000])
@pytest.mark.parametrize("part", ["a", '"a.\\"#"', "'#'"])
@pytest.mark.parametrize("text", ["{} = 1", "[{}]", "[[{}]]", "x = {{ y = 1, {} = 2 }}", 'x = """#"\n"""\n{}=1 # "'])
def test_a_key_of_many_parts_is_refused_at_once(text: str, part: str, depth: int) -> None:
    with pytest.raises(ValueError, match=r"^it is nested too deeply$"):
        parse_toml(text.format(" .\t".join([part] * depth)))


@pytest.mark.parametrize("text", ["x = " + "[" * 200_000, "x = " + "[" * 31 + "]" * 31, "x = " + "{a = " * 100_000])
def test_values_within_values_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^it is nested too deeply$"):
        parse_toml(text)


@pytest.mark.parametrize(
    "text", ['x = """' + 'a"\\"\n' * 50_000, "x = '''" + "a''\n" * 50_000, 'x = """\\', '"' * 100_001]
)
def test_a_string_without_an_end_is_malformed(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(text)
