"""A stranger's plugin: one module with its entry point, put on the path of the processes that need it."""

import os
from pathlib import Path

METADATA = "Metadata-Version: 2.1\nName: cube-stranger\nVersion: 0.1\n"


def stranger(folder: Path, code: str) -> dict[str, str]:
    """Write a package ``cube-stranger 0.1`` with the plugin ``stranger``; return an environment that has it."""
    site = folder / "site"
    (site / "cube_stranger-0.1.dist-info").mkdir(parents=True)
    (site / "cube_stranger.py").write_text(code)
    (site / "cube_stranger-0.1.dist-info" / "METADATA").write_text(METADATA)
    (site / "cube_stranger-0.1.dist-info" / "entry_points.txt").write_text("[cubespace]\nstranger = cube_stranger\n")
    return {**os.environ, "PYTHONPATH": str(site)}
