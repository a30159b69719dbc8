"""What benchmarks/alarms.py writes: its records, a table by kind, and the precision figure beside the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cubespace.base.files import write_json, write_text
from cubespace.base.numbers import estimated, percent
from cubespace.runs.folder.machine import environment

Record = dict[str, Any]
PICTURE = Path("docs/pictures/alarms.svg")
SIZE, MARGIN = 300, 45  # pixels of the plot
FEW = 0.01  # wrong moves, of all, that a right model may have
CLOSE = 0.02  # of all moves: an estimate is called right within this, or within its interval


def write_results(records: Sequence[Record], folder: Path, seeds: str) -> None:
    """Write alarms.json and alarms.md into a folder, and the plot where the documentation has its pictures."""
    kept = {"seeds": seeds, "environment": environment(), "records": list(records)}
    write_json(folder / "alarms.json", kept)
    write_text(folder / "alarms.md", page(records, seeds))
    write_text(PICTURE, plot(records))


def page(records: Sequence[Record], seeds: str) -> str:
    """Return the page in Markdown."""
    invalid, right = [each for each in records if is_invalid(each)], [each for each in records if is_right(each)]
    lucky = [each for each in records if is_lucky(each)]
    spoilt, whole = ([each for each in records if each["spoilt"] is wanted] for wanted in (True, False))
    silent = sum(not each["warnings"] for each in invalid)
    false = sum(bool(each["warnings"]) for each in right)
    judged = [each for each in records if not each["refused"] and each["true"] is not None]
    lines = [
        "# Do warnings mean something?",
        "",
        f"`python benchmarks/alarms.py --seeds {seeds}`: {len(records)} cases of small worlds, "
        f"{len(spoilt)} of them spoilt on purpose. Judged by simulators that learning never sees.",
        "",
        f"- Spoilt on purpose and wrong in effect, that is not right: {sum(not is_right(each) for each in spoilt)} of "
        f"{len(spoilt)}; not spoilt and wrong nevertheless: {sum(not is_right(each) for each in whole)} of "
        f"{len(whole)}.",
        f"- With an invalid plan: {len(invalid)}; of these silent, without any warning: "
        f"{estimated(silent, len(invalid))}.",
        f"- Right, that is all plans valid and hardly a wrong move: {len(right)}; of these with a warning: "
        f"{estimated(false, len(right))}.",
        f"- Lucky, that is all plans valid, but {percent(FEW)} of the moves or more are wrong: {len(lucky)}; of these "
        f"without any warning: {sum(not each['warnings'] for each in lucky)}.",
        "- No quick learner fits, or lifting refuses, which the program says: "
        f"{sum(bool(each['refused']) for each in records)}.",
        f"- The true fraction of wrong moves lies in the interval of the estimate, or within {percent(CLOSE)} of it, "
        f"for {estimated(sum(map(is_close, judged)), len(judged))} of those that were judged.",
        f"- CPU seconds for all: {sum(each['cpu_seconds'] for each in records):.0f}.",
        "",
        "Invalid: a plan of eight, or more, is not valid. Lacking: those found are valid, but some were not found.",
        "",
        *table(records),
        "",
        "The estimate beside the truth is drawn in docs/pictures/alarms.svg; every case is in alarms.json.",
    ]
    return "\n".join(lines) + "\n"


def is_invalid(record: Record) -> bool:
    """Return whether the simulator finds a plan invalid."""
    return not record["refused"] and record["valid"] < record["found"]


def is_valid(record: Record) -> bool:
    """Return whether all plans were found and are valid."""
    return not record["refused"] and record["valid"] == record["found"] == record["problems"]


def is_right(record: Record) -> bool:
    """Return whether all plans were found and are valid, and next to no move of the model is wrong."""
    return is_valid(record) and (record["true"] or 0.0) < FEW


def is_lucky(record: Record) -> bool:
    """Return whether all plans were found and are valid although many moves of the model are wrong."""
    return is_valid(record) and (record["true"] or 0.0) >= FEW


def is_lacking(record: Record) -> bool:
    """Return whether all plans that were found are valid, but some are lacking."""
    return not record["refused"] and record["valid"] == record["found"] < record["problems"]


def is_close(record: Record) -> bool:
    """Return whether the truth is within the interval of the estimate, or close to it."""
    return bool(record["low"] - CLOSE <= record["true"] <= record["high"] + CLOSE)


def table(records: Sequence[Record]) -> list[str]:
    """Return a row for each kind, spoilt and as it should be."""
    columns: dict[str, Callable[[Record], bool]] = {
        "refused": lambda each: bool(each["refused"]),
        "invalid": is_invalid,
        "… warned": lambda each: is_invalid(each) and bool(each["warnings"]),
        "… **silent**": lambda each: is_invalid(each) and not each["warnings"],
        "lacking": is_lacking,
        "lucky": is_lucky,
        "right": is_right,
        "… **false alarm**": lambda each: is_right(each) and bool(each["warnings"]),
    }
    lines = [f"| kind | spoilt | cases | {' | '.join(columns)} |", f"|---|---|{'---:|' * (len(columns) + 1)}"]
    keys = list(dict.fromkeys((each["kind"], each["spoilt"]) for each in records))
    for kind, spoilt in keys:
        rows = [each for each in records if (each["kind"], each["spoilt"]) == (kind, spoilt)]
        counts = " | ".join(str(sum(map(column, rows))) for column in columns.values())
        lines.append(f"| {kind} | {'yes' if spoilt else 'no'} | {len(rows)} | {counts} |")
    counts = " | ".join(f"**{sum(map(column, records))}**" for column in columns.values())
    return [*lines, f"| all | | {len(records)} | {counts} |"]


def plot(records: Sequence[Record]) -> str:
    """Return the estimates with their intervals beside the truth, as SVG."""
    side = SIZE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{side}" height="{side}" fill="white"/>',
        f'<path d="M{MARGIN} {MARGIN + SIZE}L{MARGIN + SIZE} {MARGIN}" stroke="#bbb"/>',
        f'<path d="M{MARGIN} {MARGIN}V{MARGIN + SIZE}H{MARGIN + SIZE}" stroke="#333" fill="none"/>',
    ]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        across, up = MARGIN + SIZE * tick, MARGIN + SIZE * (1 - tick)
        parts.append(f'<text x="{across}" y="{MARGIN + SIZE + 15}" text-anchor="middle">{100 * tick:g} %</text>')
        parts.append(f'<text x="{MARGIN - 5}" y="{up + 4}" text-anchor="end">{100 * tick:g} %</text>')
    parts.append(
        f'<text x="{side / 2}" y="{side - 10}" text-anchor="middle">wrong moves, as the simulator counts</text>'
    )
    upright = f'transform="translate(11 {side / 2}) rotate(-90)" text-anchor="middle"'
    parts.append(f"<text {upright}>wrong moves, as pairs have it</text>")
    for each in records:
        if each["refused"] or each["true"] is None or each["predicted"] is None:
            continue
        across = MARGIN + SIZE * each["true"]
        low, up, high = (MARGIN + SIZE * (1 - each[name]) for name in ("low", "predicted", "high"))
        colour = "#d63031" if is_invalid(each) else "#2f6fde"
        parts.append(f'<path d="M{across:.1f} {low:.1f}V{high:.1f}" stroke="{colour}" opacity=".6"/>')
        parts.append(f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" fill="{colour}" opacity=".7"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"
