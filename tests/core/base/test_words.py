"""Lines for a terminal: harmless and short."""

from cubespace.base.words import LONGEST, listed, printable, shortened


def test_nothing_moves_the_cursor_or_makes_a_second_line() -> None:
    assert printable("a\nb\x1b[2Jc\x7f\x85\u202e") == "a\\nb\\x1b[2Jc\\x7f\\x85\\u202e"
    assert printable("\udcff.png") == "\\udcff.png"  # a byte that is no text, as Python holds it
    assert printable("größer, 大, ✓") == "größer, 大, ✓"


def test_what_is_cut_is_counted() -> None:
    assert shortened("short") == "short"
    assert shortened("x" * 2500 + "y" * 2500, 10) == "xxxxx… 4,990 more characters …yyyyy"


def test_a_listing_names_the_first_and_counts_the_rest() -> None:
    assert listed(["a", "b"], ", ") == "a, b"
    assert listed([str(number) for number in range(1200)], ", ", most=2) == "0, 1 … and 1,198 more"
    assert len(listed(["x" * 10**6] * 1000)) < 4 * LONGEST
