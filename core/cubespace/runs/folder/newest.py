"""The run that a user most likely means who names none."""

from __future__ import annotations

from pathlib import Path

from cubespace.base.errors import UsageError
from cubespace.settings.stages import STRIPS

HOME = Path("runs")  # where runs go by default


def newest_run(home: Path = HOME) -> Path:
    """Return the run folder whose model was extracted last; of equals the first by name."""
    models = sorted(home.glob(f"*/{STRIPS}"))
    if not models:
        raise UsageError(
            f"there is no run in {home}/ with a model: name one that is elsewhere, or learn one with cube run"
        )
    return max(models, key=lambda model: model.stat().st_mtime_ns).parent
