"""Print the oldest version of each dependency that pyproject.toml allows, as pip constraints."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
LOWER_BOUND = re.compile(r"([A-Za-z0-9._-]+)>=([0-9][0-9.]*)")


def minimum_versions(project: Path) -> list[str]:
    """Return ``NAME==VERSION`` for each dependency; one without a lower bound is an error."""
    pins = []
    for dependency in tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"]:
        bound = LOWER_BOUND.match(dependency)
        if bound is None:
            raise SystemExit(f"'{dependency}' in {project.name} has no lower bound")
        pins.append(f"{bound[1]}=={bound[2]}")
    return pins


if __name__ == "__main__":
    print("\n".join(minimum_versions(PROJECT)))
