"""A stranger's package with one plugin, found by its metadata like any installed one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from chaos_cases.harness import forget_command_line

METADATA = "Metadata-Version: 2.1\nName: cube-stranger\nVersion: 0.1\n"


def write_stranger(folder: Path, code: str) -> None:
    """Write the package ``cube-stranger 0.1`` with the plugin ``stranger`` into the folder of a case."""
    site = folder / "site"
    (site / "cube_stranger-0.1.dist-info").mkdir(parents=True)
    (site / "cube_stranger.py").write_text(code)
    (site / "cube_stranger-0.1.dist-info" / "METADATA").write_text(METADATA)
    (site / "cube_stranger-0.1.dist-info" / "entry_points.txt").write_text("[cubespace]\nstranger = cube_stranger\n")


def install(folder: Path) -> None:
    """Make the package visible to this process, as if it had been installed before it was started."""
    from cubespace.plugins.catalogue import load_plugins

    sys.path.insert(0, str(folder / "site"))
    sys.modules.pop("cube_stranger", None)
    importlib.invalidate_caches()
    load_plugins.cache_clear()
    forget_command_line()


def installing() -> Callable[[], None]:
    """Return what a case does in its child, which works in its folder."""
    return partial(_install_here)


def _install_here() -> None:
    install(Path.cwd())
