"""Text for a line on a terminal: nothing in it moves the cursor, and it is never longer than a person reads."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 2000  # characters of an error line; the rest is counted, not shown
MOST_NAMED = 10  # things of one kind that one line names


def printable(text: str) -> str:
    """Return text in which control characters, line ends and bytes that are not text are replaced by escapes.

    The name of a file may contain line ends or colour codes, which must not reach the terminal.
    """
    shown = (character if character.isprintable() else _escape(character) for character in text)
    return "".join(shown)


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return text of at most about ``longest`` characters: its two ends, and how many are left out between them."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}… {len(text) - 2 * half:,} more characters …{text[-half:]}"


def listed(parts: Sequence[str], separator: str = "; ", most: int = MOST_NAMED) -> str:
    """Return the parts in one line: the first few, and how many more there are."""
    shown = [shortened(part, LONGEST // 4) for part in parts[:most]]
    return separator.join(shown) + (f" … and {len(parts) - most:,} more" if len(parts) > most else "")


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
