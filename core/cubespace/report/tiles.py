"""The figures at the head of a report: how plans were judged, or what is known where nobody judges them."""

from __future__ import annotations

import attrs

from cubespace.base.numbers import duration, number, percent
from cubespace.evaluation.precision_record import Precision
from cubespace.evaluation.summary import PlannerResults
from cubespace.report.run_files import Facts


@attrs.frozen(kw_only=True)
class Tile:
    """A figure, what it is of, and a bar of the colour of a verdict; without a share there is no bar."""

    value: str
    of: str = ""
    title: str
    colour: str = ""
    share: float | None = None  # percent


def tiles(facts: Facts) -> list[Tile]:
    """Return the figures of a run, the most important first; none without results."""
    leader = facts.planners.get(facts.leader or "")
    if leader is None or facts.extraction is None:
        return []
    precision, measures = facts.extraction.precision, facts.measures
    shown = [*_plans(leader), *([] if precision is None or precision.wrong is None else [_moves(precision)])]
    shown.append(Tile(value=number(facts.extraction.actions), title="actions"))
    if measures and measures.test:
        shown.append(Tile(value=str(measures.test.live_bits), of=f"/{facts.bits}", title="bits in use"))
    if facts.learning_seconds is not None:
        shown.append(Tile(value=duration(facts.learning_seconds), title=f"{facts.learning}, CPU"))
    return shown


def _plans(row: PlannerResults) -> list[Tile]:
    """Return what is known of the plans: verdicts, or by how much training pairs vouch for them."""
    counts = [("found", row.found, "unknown")]
    if row.valid is not None and row.optimal is not None:
        counts += [("valid", row.valid, "valid"), ("optimal", row.optimal, "optimal")]
    else:
        counts += [("every step seen in training", row.all_seen, "unknown")]
        counts += [("rely on doubtful steps", row.doubtful, "doubtful")]
    of = f"/{row.instances}"
    return [
        Tile(value=str(count), of=of, title=title, colour=colour, share=100 * count / max(1, row.instances))
        for title, count, colour in counts
    ]


def _moves(precision: Precision) -> Tile:
    """Return the fraction of the model's moves that seem wrong, from pairs alone."""
    none = precision.low == 0.0
    value = f"< {100 * precision.high:.1g}\u00a0%" if none else percent(precision.wrong)
    return Tile(value=value, title="of moves seem wrong")
