"""What finds the doubtful steps of plans, put together from the files of a run or of a bundle."""

from __future__ import annotations

from cubespace.evaluation.doubts import Doubts
from cubespace.evaluation.real_moves import KnownMoves
from cubespace.learning.code import Code
from cubespace.runs.folder.bits_file import BitPairs
from cubespace.runs.folder.extraction_file import ExtractionRecord


def doubts_of(code: Code, seen: BitPairs, extraction: ExtractionRecord) -> Doubts | None:
    """Return it for a code, the training pairs in bits and what extraction found; None without a precision."""
    if extraction.precision is None:
        return None
    known = KnownMoves.of(seen.before, seen.after, grouped=code.groups is not None)
    return Doubts(known=known, precision=extraction.precision, draw=code.draw, look=code.encode)
