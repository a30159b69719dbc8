"""The pictures of docs/idea.md, each half from the run that it describes: a small network, and bits by clustering.

    python docs/idea.py

Runs are made in runs/idea and kept; the network is trained for about ten seconds of one core.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page
from screenshots import browser, keep

from cubespace.base.images import contact_sheet, side_by_side
from cubespace.data import transitions
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.report.run_files import read_facts
from cubespace.runs.folder.plan_files import STRIP, plan_folder

ROOT = Path(__file__).parents[1]
RUNS, PICTURES = ROOT / "runs" / "idea", ROOT / "docs" / "pictures"
SETTINGS = (  # of a network that is as small as its world
    *("data.transitions=2000", "autoencoder.encoder=mlp:width=32,dropout=0", "autoencoder.bits=14"),
    *("autoencoder.actions=200", "train.updates=900", "plan.random_goals=on"),
)
NETWORK = ["--domain", "lightsout:size=3", "--apply", "btl", *(f"--set={each}" for each in SETTINGS)]
NETWORK += ["--length", "5", "--instances", "10"]
HALVES = {"network": NETWORK, "places": ["--domain", "mnist", "--instances", "10"]}
CARDS = 4  # groups of actions that are shown


def main() -> None:
    """Make the runs that are missing, then the pictures."""
    for name, words in HALVES.items():
        run = RUNS / name
        subprocess.run([sys.executable, "-m", "cubespace.cli", "run", *words, "-q", "-o", run], check=True, cwd=ROOT)
        pairs(run, PICTURES / f"idea-{name}-pairs.png")
        plan(run, PICTURES / f"idea-{name}-plan.png")
        with tempfile.TemporaryDirectory() as folder, browser() as page:
            page.goto(write_report([run], load_plugins(), Path(folder) / "report.html").as_uri())
            sections(page, name)


def pairs(run: Path, target: Path) -> None:
    """Draw pairs of pictures as the learner is given them."""
    some = transitions.load(run / "data.npz").train[:8]
    sheet = contact_sheet(side_by_side(some.before, some.after), columns=4, scale=2, gap=10)
    keep(Image.fromarray(sheet), target)


def plan(run: Path, target: Path) -> None:
    """Keep the strip of the best plan."""
    best = read_facts(run).best
    if best is None:
        raise SystemExit(f"{run} has no plan to show")
    keep(Image.open(plan_folder(run, best.problem, best.planner) / STRIP), target)


def sections(page: Page, name: str) -> None:
    """Keep what the report shows of reconstructions, bits and actions."""
    hide = f"#actions .card:nth-child(n+{CARDS + 1}), #bits .gallery li:nth-child(n+15) {{ display: none }}"
    page.add_style_tag(content=hide)
    last = {"regions": "#encoder img"} if name == "places" else {"bits": "#bits .gallery"}
    wanted = {"redrawn": "#redrawn .redrawn", "actions": "#actions .cards", **last}
    for part, selector in wanted.items():
        shown = page.locator(selector).first.screenshot()
        keep(Image.open(io.BytesIO(shown)), PICTURES / f"idea-{name}-{part}.png")


if __name__ == "__main__":
    main()
