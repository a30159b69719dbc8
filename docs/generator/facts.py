"""Single figures in the text of the pages: each is counted from ``results/*.json`` where it is shown.

A fact is written ``<!-- fact: KIND FILE WORDS -->``; words are the name of a measure, ``key=value`` for the records
that are meant, and ``digits=N``. What has not been measured yet says so, and breaks nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from generator import printed, records
from generator.records import Plans, Record

NOT_YET = "not measured yet"
DIGITS = "digits"
Found = Sequence[Record]


def plans(file: str, *words: str) -> str:
    """Return the plans of the records that are meant, added up: found/valid/optimal of how many."""
    counts = _counted(records.records(file), words)
    return NOT_YET if counts is None else f"{counts} of {counts.instances}"


def best_plans(file: str, *words: str) -> str:
    """Return the plans of the best of several seeds."""
    counts = _counted(records.best(file), words)
    return NOT_YET if counts is None else f"{counts} of {counts.instances}"


def share(part: str, file: str, *words: str) -> str:
    """Return how many plans of how many were found, valid or optimal."""
    counts = _counted(records.records(file), words)
    return NOT_YET if counts is None else f"{getattr(counts, part):,} of {counts.instances:,}"


def number(way: str, file: str, name: str, *words: str) -> str:
    """Return a measure: its mean, sd, median, min or max, over all records that are meant.

    Means, deviations and medians are those of one record, which must be the only one; ``least-median`` is the least of
    the medians of several, and so on.
    """
    wanted = _wanted(words)
    digits = int(wanted.pop(DIGITS, "3"))
    found = [each for each in _matching(records.records(file), wanted) if each.get("measure") == name]
    extreme, _, part = way.rpartition("-")
    values = list(dict.fromkeys(each[part] for each in found if each.get(part) is not None))
    if not values:
        return NOT_YET
    if extreme or part in ("min", "max"):
        return f"{(min if way == 'min' or extreme == 'least' else max)(values):,.{digits}f}"
    if len(values) > 1:
        raise ValueError(f"{file}: {name} {' '.join(words)} is meant of one record, and there are {len(values)}")
    return f"{values[0]:,.{digits}f}"


def spread(file: str, name: str, *words: str) -> str:
    """Return the mean of a measure with its deviation over seeds, which one run has not."""
    mean, deviation = (number(way, file, name, *words) for way in ("mean", "sd"))
    return mean if deviation == NOT_YET else f"{mean} ± {deviation}"


def runs(file: str, *words: str) -> str:
    """Return how many runs are behind the records that are meant: the least number, if they differ."""
    found = _matching(records.records(file), _wanted(words))
    counts = [int(each["runs"]) for each in found if each.get("runs") is not None]
    return f"{min(counts)}" if counts and min(counts) else NOT_YET


def rows(file: str, *words: str) -> str:
    """Return how many rows of a table are meant: records that differ in more than planner and measure."""
    axes = ("domain", "variant", "apply", "plan.length")
    found = _matching(records.records(file), _wanted(words))
    return f"{len({tuple(each.get(axis) for axis in axes) for each in found})}" if found else NOT_YET


def in_all(file: str, key: str) -> str:
    """Return what a file says of all its records, such as ``cpu_hours`` or ``runs``."""
    found = records.contents(file)
    if not isinstance(found, dict):
        return NOT_YET
    return f"{found['cpu_seconds'] / 3600:.1f}" if key == "cpu_hours" else f"{found[key]:,}"


def recipe(section: str, planner: str, part: str) -> str:
    """Return how many plans of the default recipe were found, valid or optimal, in a section, of how many."""
    counts = [
        Plans.read(text, 30)
        for row in records.rows("recipe")
        if row["section"] == section
        for name, text in zip(row["planners"], row["plans"], strict=True)
        if name == planner
    ]
    return f"{sum(getattr(each, part) for each in counts):,} of {30 * len(counts):,}" if counts else NOT_YET


def times(target: str, key: str) -> str:
    """Return how long a target of make took; how many processor seconds."""
    found = records.contents("times")
    if not isinstance(found, dict) or target not in found.get("targets", {}):
        return NOT_YET
    return in_words(float(median(each[key] for each in found["targets"][target])))


def in_words(seconds: float) -> str:
    """Return a time as a reader says it: ``40 seconds``, ``2 minutes``, ``14 minutes``."""
    if seconds < 100:
        return f"{math.ceil(seconds)} seconds"
    return f"{math.ceil(seconds / 60)} minutes"


def _counted(found: Found, words: Sequence[str]) -> Plans | None:
    wanted = dict(_wanted(words))
    measure = wanted.pop("measure", "plans")
    several = _matching(records.matched(found, measure=measure), wanted)
    known = [each for each in several if each.get("instances")]
    parts = [sum(each[name] or 0 for each in known) for name in ("found", "valid", "optimal", "instances")]
    return Plans(*parts) if known else None


def _matching(found: Found, wanted: Mapping[str, str]) -> list[Record]:
    return [each for each in found if all(str(each.get(key)) in value.split(",") for key, value in wanted.items())]


def _wanted(words: Sequence[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)  # type: ignore[misc]


def _largest(file: str, measure: str) -> str:
    values = records.measure(measure, records.records(file), "max")
    return f"{math.ceil(max(values)):,}" if values else NOT_YET


FACTS: dict[str, Callable[..., str]] = {
    "ablation-cpu": lambda: printed.cpu_seconds("ablation") or NOT_YET,
    "network-cpu": lambda: _largest("paper-network", "training_cpu_seconds"),
    "plans": plans,
    "best": best_plans,
    "share": share,
    "number": number,
    "spread": spread,
    "runs": runs,
    "rows": rows,
    "in-all": in_all,
    "recipe": recipe,
    "times": times,
}
