"""Verdicts are kept in a file, so that a long run can be done in parts, by calls that follow each other."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from chaos_cases.harness import Verdict

Named = tuple[str, str, Callable[[], Verdict]]  # a class, the name of a case, which is unique in it, and the case


@attrs.frozen
class Part:
    """Every ``of``-th case, beginning with the ``number``-th: parts are alike, whatever the cases cost."""

    number: int = 1
    of: int = 1

    @classmethod
    def read(cls, text: str) -> Part:
        """Return the part that a text such as ``2/8`` names."""
        match = re.fullmatch(r"(\d+)/(\d+)", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise ValueError(f"'{text}' is no part such as 2/8")
        return cls(int(match[1]), int(match[2]))

    def has(self, index: int) -> bool:
        """Return whether a case is in this part."""
        return index % self.of == self.number - 1


@attrs.define
class Kept:
    """The verdicts of one seed, in the order in which they came."""

    file: Path
    verdicts: dict[tuple[str, str], Verdict] = attrs.field(factory=dict)
    repeated: list[Verdict] = attrs.field(factory=list)  # failures that were done again, as after a fix

    @classmethod
    def read(cls, file: Path) -> Kept:
        """Return what earlier calls have kept; half a line, as a kill leaves it, is cut off."""
        kept = cls(file)
        text = file.read_text("utf-8") if file.is_file() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            file.write_text(whole, "utf-8")
        for line in whole.splitlines():
            record = json.loads(line)
            kept._take(
                Verdict(**{key: tuple(value) if isinstance(value, list) else value for key, value in record.items()})
            )
        return kept

    def add(self, verdict: Verdict) -> None:
        """Keep a verdict; a later one of the same case replaces it."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as file:
            file.write(json.dumps(verdict.record()) + "\n")
        self._take(verdict)

    def _take(self, verdict: Verdict) -> None:
        before = self.verdicts.get((verdict.group, verdict.name))
        self.repeated += [] if before is None else [before]
        self.verdicts[verdict.group, verdict.name] = verdict

    def open(self, group: str, name: str, *, again: bool) -> bool:
        """Return whether a case is to be done: it was not, or it failed and failures are done again."""
        known = self.verdicts.get((group, name))
        return known is None or (again and bool(known.complaints))


def do_cases(
    named: Iterable[Named], kept: Kept, part: Part, until: float | None = None, *, again: bool = False
) -> tuple[list[Verdict], int]:
    """Do what is open of a part until a moment; return what is known of all cases, and how many are missing."""
    seen: dict[tuple[str, str], None] = {}  # in order
    for index, (group, name, case) in enumerate(named):
        if (group, name) in seen:
            raise ValueError(f"two cases of '{group}' are called '{name}'")
        seen[group, name] = None
        in_time = until is None or time.monotonic() < until
        if in_time and part.has(index) and kept.open(group, name, again=again):
            kept.add(attrs.evolve(case(), name=name))
    found = [kept.verdicts[key] for key in seen if key in kept.verdicts]
    return found, len(seen) - len(found)
