"""The section about the lifted model: its PDDL, its legend in pictures and its checks."""

from __future__ import annotations

from pathlib import Path

import attrs

from cubespace.base.images import read_picture
from cubespace.lifting.checks import Checks
from cubespace.report.image_tags import Picture, picture
from cubespace.report.run_files import Facts
from cubespace.runs.stages.lift import DOMAIN, OBJECTS, PLACES, SCHEMAS


@attrs.frozen(kw_only=True)
class LiftedSection:
    """What the page shows of the lifted model; of a world that was not lifted, why."""

    summary: str
    notes: tuple[str, ...]
    checks: Checks | None
    pddl: str | None
    objects: Picture | None
    places: Picture | None
    schemas: Picture | None


def lifted_section(facts: Facts) -> LiftedSection | None:
    """Return the section, None if the stage ``lift`` has not been done."""
    record = facts.lifting
    if record is None:
        return None
    domain = facts.run.file(DOMAIN)
    return LiftedSection(
        summary=record.summary,
        notes=record.notes,
        checks=record.checks,
        pddl=domain.read_text("utf-8") if record.lifted and domain.is_file() else None,
        objects=_sheet(facts.run.file(OBJECTS), "each object with its name"),
        places=_sheet(facts.run.file(PLACES), "each place with its name"),
        schemas=_sheet(facts.run.file(SCHEMAS), "pairs that show each action"),
    )


def _sheet(path: Path, alt: str) -> Picture | None:
    """Return a sheet of the legend in its own size, None if it is not there: it is only to look at."""
    if not path.is_file():
        return None
    pixels = read_picture(path, "rgb")
    return picture(pixels, alt, side=max(pixels.shape[:2]))
