"""Single figures in the text of the pages: each is counted from ``results/*.json`` where it is shown."""

from __future__ import annotations

import math
from collections.abc import Callable

from generator import printed, records

NOT_YET = "not measured yet"


def _largest(file: str, measure: str) -> str:
    values = records.measure(measure, records.records(file), "max")
    return f"{math.ceil(max(values)):,}" if values else NOT_YET


FACTS: dict[str, Callable[[], str]] = {
    "ablation-cpu": lambda: printed.cpu_seconds("ablation") or NOT_YET,
    "network-cpu": lambda: _largest("paper-network", "training_cpu_seconds"),
}
