"""``extraction.json``: what the extraction found, by which learner, and how well training pictures are redrawn."""

from __future__ import annotations

import math

import attrs
from attrs.validators import and_, ge, lt

from cubespace.evaluation.precision_record import Precision
from cubespace.learning.bit_learner import EffectSource
from cubespace.symbols.extraction import ExtractionReport


@attrs.frozen(kw_only=True)
class ExtractionRecord(ExtractionReport):
    """What the stage ``extract`` records."""

    effects: EffectSource  # where the effects come from
    precondition: str  # the learner of preconditions, as NAME or NAME:key=value,…
    # the largest mean squared error with which a training picture is redrawn
    redrawing_error: float = attrs.field(validator=and_(ge(0.0), lt(math.inf)))
    precision: Precision | None = None  # how many moves are wrong, as far as pairs can say; None in older runs

    @classmethod
    def of(
        cls,
        report: ExtractionReport,
        *,
        effects: EffectSource,
        precondition: str,
        redrawing_error: float,
        precision: Precision | None,
    ) -> ExtractionRecord:
        """Return the record of a report."""
        return cls(
            **attrs.asdict(report),
            effects=effects,
            precondition=precondition,
            redrawing_error=redrawing_error,
            precision=precision,
        )
