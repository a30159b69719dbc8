"""What the commands of a page printed when a program typed them, and how long they took."""

from __future__ import annotations

import json

from generator import records

MOST_LINES = 40  # of one command; a table in LaTeX has fewer


def printed(name: str, number: str) -> str:
    """Return what the command of that number, from 1, of ``results/NAME.json`` printed and complained of."""
    done = _done(name)
    if not done:
        return f"Not made yet: `python docs/{name}.py`.\n"
    each = done[int(number) - 1]
    lines = [*each["printed"], *each["said"]]
    shown = lines[:MOST_LINES] + ["…"] * (len(lines) > MOST_LINES)
    ended = [f"(exit code {each['exit_code']})"] if each["exit_code"] else []
    return "\n".join(["```text", *shown, *ended, "```", ""])


def cpu_seconds(name: str) -> str | None:
    """Return what all commands took together; None if they were not typed yet."""
    done = _done(name)
    return f"{sum(each['cpu_seconds'] for each in done):,.0f}" if done else None


def _done(name: str) -> list[records.Record]:
    path = records.RESULTS / f"{name}.json"
    return list(json.loads(path.read_text("utf-8"))["done"]) if path.is_file() else []
