"""One sentence per line: a change of a sentence is then a change of one line, and pages read the same when built."""

from __future__ import annotations

import re
from collections.abc import Iterator

END = re.compile(r"(?<=[.!?])(?P<close>[*_\")\]]*) +(?=[*_\"(\[`“]*[A-Z0-9])")
ABBREVIATIONS = (" e.g.", " i.e.", " cf.", " vs.", " Fig.", " No.", " al.")
APART = re.compile(r"\s{4,}|\s*(?:[|#>:]|```|~~~|<|!\[|:{3,}|\[\^|\$\$|\(\w+\)=|[-*_]{3,}$|[=-]+$)")
ITEM = re.compile(r"(?P<mark>\s{0,3}(?:[-*+]|\d+\.) +)(?P<text>.*)")
FENCE = re.compile(r"\s*(?:```|~~~)")


def one_per_line(page: str) -> str:
    r"""Return a page with a line for each sentence of its paragraphs and items; code, tables and made parts stay.

    "One. Two, which\ngoes on.\n" becomes "One.\nTwo, which goes on.\n".
    """
    lines: list[str] = []
    paragraph: list[str] = []
    for line, plain in _marked(page.split("\n")):
        if not plain or not line.strip():
            lines += [*_sentences(paragraph), line]
            paragraph = []
        elif ITEM.fullmatch(line):
            lines += _sentences(paragraph)
            paragraph = [line]
        else:
            paragraph.append(line)
    return "\n".join([*lines, *_sentences(paragraph)])


def _marked(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield every line, and whether it is part of a paragraph or an item."""
    fenced = made = False
    for line in lines:
        if FENCE.match(line):
            fenced = not fenced
            yield line, False
            continue
        made = (made or "<!-- made: " in line) and "<!-- /made -->" not in line
        apart = APART.match(line) is not None or "<!-- /made -->" in line
        yield line, not (fenced or made or apart or line.startswith("  "))


def _sentences(paragraph: list[str]) -> list[str]:
    """Return a paragraph or an item, a line per sentence, those of an item below its first word."""
    if not paragraph:
        return []
    item = ITEM.fullmatch(paragraph[0])
    mark = item["mark"] if item else ""
    first = item["text"] if item else paragraph[0]
    text = " ".join([first, *paragraph[1:]])
    shown: list[str] = []
    for sentence in END.sub(lambda match: f"{match['close']}\n", text).split("\n"):
        if shown and shown[-1].endswith(ABBREVIATIONS):
            shown[-1] += f" {sentence}"
        else:
            shown.append(sentence)
    return [mark + shown[0], *(" " * len(mark) + each for each in shown[1:])]
