"""Every picture of the documentation, from real runs, by one command: ``make screenshots``.

Runs are made in runs/screenshots and kept there, so that a second call only draws. Pictures that the pages show go to
docs/pictures. Those that are for looking at only go to docs/_build/screens: README.md as code hosts render it, and the
report on a phone, in the dark and on paper, and pages of the documentation as they are built.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import screenshots
from markdown_it import MarkdownIt
from PIL import Image
from screenshots import DOCS, browser, from_run, keep, pages

import cubespace
from cubespace.base.images import write_png
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report

ROOT = DOCS.parent
RUNS = ROOT / "runs" / "screenshots"
PICTURES, SCREENS = DOCS / "pictures", DOCS / "_build" / "screens"
DOORKEY = "gym:id=MiniGrid-DoorKey-5x5-v0,tile=6"
TWELVE = [  # cells that share six trainings
    *("--domain", "lightsout:size=3", "--domain", "photo", "--planner", "fd-lmcut", "--planner", "fd-lama"),
    *("--seeds", "0-2", "--set", "plan.instances=10", "--set", "plan.length=5"),
]
STYLE = """body { max-width: 880px; margin: 32px auto; padding: 0 20px; font: 16px/1.5 sans-serif; color: #1f2328; }
code { background: #eff1f3; padding: .2em .4em; border-radius: 6px; font-size: 85%; }
pre code { padding: 0; background: none; }
pre { background: #f6f8fa; padding: 16px; overflow: auto; border-radius: 6px; line-height: 1.45; }
img { max-width: 100%; } td, th { border: 1px solid #d1d9e0; padding: 6px 13px; }
table { border-collapse: collapse; display: block; overflow: auto; }
h1, h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: .3em; } a { color: #0969da; }"""


def main() -> None:
    """Make the runs that are missing, then all pictures."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where cube is
    for script in ("idea", "gallery", "failures"):  # which keep what they have made
        subprocess.run([sys.executable, DOCS / f"{script}.py"], check=True)
    digits, network, cells = RUNS / "mnist", RUNS / "network", RUNS / "twelve"
    cube("run", "--apply", "btl", "--planner", "fd-lmcut", "-o", network)  # as make run does
    cube("run", "--domain", "mnist", "-o", digits)
    cube("diagnose", digits)
    cube("lift", digits)
    cube("matrix", *TWELVE, "-o", cells, "--jobs", "1")
    from_run(network, PICTURES)
    pages([digits, *sorted((cells / "cells").iterdir())], PICTURES)
    door_key(RUNS / "doorkey")
    video(RUNS / "video")
    kitchen(RUNS / "kitchen")
    reports(digits, sorted((cells / "cells").iterdir()))
    screenshots.studio(digits, PICTURES)
    built = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(DOCS), str(DOCS / "_build" / "html")]
    subprocess.run(built, check=True)
    for name in ("index", "gallery", "when-it-fails", "idea"):
        photograph(f"docs-{name}", (DOCS / "_build" / "html" / f"{name}.html").resolve().as_uri(), 1280, {})
    readme()


def cube(*words: object) -> None:
    """Run a command; what is done already is not done again."""
    subprocess.run([sys.executable, "-m", "cubespace.cli", *map(str, words)], check=True)


def door_key(folder: Path) -> None:
    """Show a level of MiniGrid from its start to its goal as a strip and as a film, and what was done in it."""
    cube("run", "--domain", DOORKEY, "--set", "plan.random_goals=on", "-o", folder)
    domain = cubespace.Run.load(folder).domain
    write_png(RUNS / "start.png", domain.map.frames[0])
    write_png(RUNS / "goal.png", domain.render(domain.goal())[0])
    cube("plan", "--run", folder, RUNS / "start.png", RUNS / "goal.png", "-o", RUNS / "doorkey-plan")
    keep(Image.open(RUNS / "doorkey-plan" / "strip.png"), PICTURES / "doorkey-plan.png")
    shutil.copy(RUNS / "doorkey-plan" / "plan.png", PICTURES / "doorkey-film.png")
    cube("act", "--run", folder, "--instances", "3", "--labels", "100")
    acts = sorted((folder / "acts").rglob("*.png"))
    keep(Image.open(acts[0]), PICTURES / "doorkey.png")


def video(folder: Path) -> None:
    """Learn from a video file and show a plan."""
    film = RUNS / "film.mp4"
    if not film.exists():
        words = ["mnist", "--walks", "60", "--steps", "60", "--hold", "3", "-o", film]
        subprocess.run([sys.executable, ROOT / "examples" / "film.py", *words], check=True)
    cube("run", "--domain", f"images:video={film}", "-o", folder)
    plans = sorted(folder.glob("problems/*/fd-lmcut/strip.png"), key=lambda path: -Image.open(path).width)
    keep(Image.open(plans[0]), PICTURES / "video-plan.png")


def kitchen(folder: Path) -> None:
    """Do what the tutorial does."""
    if not (folder / "pairs").exists():
        subprocess.run([sys.executable, ROOT / "examples" / "kitchen.py", folder], check=True)
    cube("run", "--domain", f"images:path={folder / 'pairs'}", "-o", folder / "run")
    cube("show", f"images:path={folder / 'pairs'}", "-o", folder / "pairs.png")
    cube("plan", "--run", folder / "run", folder / "start.png", folder / "goal.png", "-o", folder / "plan")
    sheet = Image.open(folder / "pairs.png")
    keep(sheet.crop((0, 0, sheet.width, sheet.height * 3 // 8)), PICTURES / "kitchen-pairs.png")
    keep(Image.open(folder / "plan" / "strip.png"), PICTURES / "kitchen-plan.png")
    keep(Image.open(folder / "run" / "places.png"), PICTURES / "kitchen-places.png")


def reports(run: Path, cells: list[Path]) -> None:
    """Show the report as people meet it, and the comparison of twelve runs."""
    one = write_report([run], load_plugins(), SCREENS / "report.html").as_uri()
    many = write_report(cells, load_plugins(), SCREENS / "compare.html").as_uri()
    for name, address, width, media in (
        ("report-1280", one, 1280, {}),
        ("report-390", one, 390, {}),
        ("report-dark", one, 1280, {"color_scheme": "dark"}),
        ("compare-dark", many, 1280, {"color_scheme": "dark"}),
        ("compare-1280", many, 1280, {}),
        ("compare-390", many, 390, {}),
    ):
        photograph(name, address, width, media)
    with browser() as page:
        page.goto(one)
        page.pdf(path=SCREENS / "report.pdf", format="A4")  # as it is printed


def readme() -> None:
    """Show README.md as a code host renders it."""
    text = MarkdownIt("commonmark").enable("table").render((ROOT / "README.md").read_text("utf-8"))
    page = SCREENS / "readme.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><base href='{ROOT.as_uri()}/'><style>{STYLE}</style>{text}")
    photograph("readme-1280", page.as_uri(), 1280, {})
    photograph("readme-390", page.as_uri(), 390, {})


def photograph(name: str, address: str, width: int, media: dict[str, str]) -> None:
    """Take the whole of a page."""
    with browser() as page:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(reduced_motion="reduce", **media)
        page.goto(address)
        page.screenshot(path=SCREENS / f"{name}.png", full_page=True)
        print(SCREENS / f"{name}.png")


if __name__ == "__main__":
    main()
