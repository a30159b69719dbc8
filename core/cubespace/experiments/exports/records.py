"""Every search of many runs as a line of a CSV file, for any tool that reads tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import attrs

from cubespace.experiments.matrix import DOMAIN, SEED
from cubespace.experiments.tables.rows import RunFacts, planner_rows, varying_axes

LEFT_OUT = ("key", "plan")


def search_records(runs: Sequence[RunFacts]) -> list[dict[str, object]]:
    """Return a record for each search: the axes of its run, the measures of its model, and what the search reported."""
    axes = [axis for axis in varying_axes(runs) if axis != DOMAIN]
    records = []
    for row in planner_rows(runs):
        facts, diagnosis = row.facts, row.facts.diagnosis
        about = {
            "run": facts.run.path.name,
            DOMAIN: facts.value(DOMAIN),
            SEED: facts.value(SEED),
            **{axis: facts.value(axis) for axis in axes},
            "recall": diagnosis.recall if diagnosis else None,
            "wrong_per_state": diagnosis.wrong if diagnosis else None,
            "training_seconds": facts.stages["train"].seconds if "train" in facts.stages else None,
        }
        for record in row.records:
            reported = attrs.asdict(record, filter=attrs.filters.exclude(*LEFT_OUT))
            records.append(
                {**about, "problem": record.problem, "steps": record.steps if record.found else None, **reported}
            )
    return records


def search_csv(runs: Sequence[RunFacts]) -> str:
    """Return the records as CSV."""
    records = search_records(runs)
    names = list(dict.fromkeys(name for record in records for name in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()
