"""The pictures of the documentation, made from real runs by the tool itself and Debian's Chromium.

python docs/screenshots.py runs/ONE runs/TWO --rooms rooms/plans/00/strip.png
python docs/screenshots.py --places runs/ONE runs/TWO
python docs/screenshots.py --studio runs/ONE
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

import cubespace
from cubespace.base.images import region_picture
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.report.run_files import read_facts
from cubespace.runs.folder.plan_files import STRIP, plan_folder

DOCS = Path(__file__).parent
COLOURS = 128  # of a screenshot: more make it larger, not clearer
WIDTH, PHONE = 1200, 390
GAP = 12  # pixels between pictures on a sheet


def main() -> None:
    """Make the pictures that the arguments allow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="*", help="run folders; the first one is shown alone")
    parser.add_argument("--rooms", type=Path, help="the film strip of a plan in the rooms")
    parser.add_argument("--places", type=Path, nargs="+", help="run folders whose places are shown side by side")
    parser.add_argument("--studio", type=Path, help="a run folder that is shown in the studio")
    parser.add_argument("-o", "--output", type=Path, default=DOCS / "pictures")
    arguments = parser.parse_args()
    arguments.output.mkdir(exist_ok=True)
    if any(read_facts(run).domain.startswith("mandrill") for run in arguments.runs):
        raise SystemExit("the mandrill must not be in a picture that is committed: its copyright is unclear")
    if arguments.runs:
        from_run(arguments.runs[0], arguments.output)
        pages(arguments.runs, arguments.output)
    if arguments.rooms:
        keep(Image.open(arguments.rooms), arguments.output / "rooms.png")
    if arguments.places:
        keep(places(arguments.places), arguments.output / "places.png")
    if arguments.studio:
        studio(arguments.studio, arguments.output)


def places(runs: list[Path]) -> Image.Image:
    """Return a picture of each run beside its places, each place in a colour."""
    shown = []
    for run in map(cubespace.Run.load, runs):
        regions = run.code.regions()
        if regions is None:
            raise SystemExit(f"{run.path} has no places")
        picture = run.data.train.before[0]
        colour = picture if picture.ndim == 3 else np.stack([picture] * 3, axis=-1)
        both = np.concatenate([colour, np.full((len(colour), 2, 3), 96, np.uint8), region_picture(regions)], axis=1)
        scale = max(1, 160 // len(both))
        shown.append(Image.fromarray(both.repeat(scale, axis=0).repeat(scale, axis=1)))
    height = max(image.height for image in shown)
    width = sum(image.width + GAP for image in shown) + GAP
    sheet = Image.new("RGB", (width, height + 2 * GAP), (96, 96, 96))
    left = GAP
    for image in shown:
        sheet.paste(image, (left, GAP))
        left += image.width + GAP
    return sheet


def from_run(run: Path, output: Path) -> None:
    """Make the picture that needs no browser: a plan."""
    facts = read_facts(run)
    if facts.best is None:
        raise SystemExit(f"{run} has no plan to show")
    strip = plan_folder(run, facts.best.problem, facts.best.planner) / STRIP
    keep(Image.open(strip), output / "plan.png")


def pages(runs: list[Path], output: Path) -> None:
    """Make the pictures of the reports."""
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        page.goto(write_report(runs[:1], load_plugins(), Path(folder) / "one.html").as_uri())
        keep(shot(page, height=1500), output / "report.png")
        if len(runs) > 1:
            page.goto(write_report(runs, load_plugins(), Path(folder) / "all.html").as_uri())
            keep(shot(page, height=900), output / "compare.png")


def studio(run: Path, output: Path) -> None:
    """Make the pictures of the studio: on a desktop, on a phone and in the dark."""
    looks: dict[str, tuple[int, Literal["light", "dark"]]] = {
        "studio": (WIDTH, "light"),
        "studio-phone": (PHONE, "light"),
        "studio-dark": (WIDTH, "dark"),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "cubespace.cli", "studio", run], stdout=subprocess.PIPE, text=True
    ) as server:
        address = server.stdout.readline().strip() if server.stdout else ""
        for name, (width, scheme) in looks.items():
            with browser() as page:
                page.emulate_media(color_scheme=scheme)
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(address)
                page.locator("#instances summary").click()
                page.locator("#instances .pick").first.click()
                page.wait_for_selector("#init .well figure:nth-child(2)")
                page.wait_for_selector("#goal .well figure:nth-child(2)")
                page.locator("#instances summary").click()
                page.select_option("[name=second]", "fd-ff")
                page.locator("[type=submit]").click()
                page.wait_for_selector(".player:nth-child(2) .stage img")
                page.keyboard.press("ArrowRight")
                taken = page.screenshot(full_page=width == WIDTH)  # of the phone, what it shows at once: the plan
                keep(Image.open(io.BytesIO(taken)), output / f"{name}.png")
        server.terminate()  # a shell that starts this in the background makes it deaf to Ctrl-C


@contextmanager
def browser() -> Iterator[Page]:
    """Open a page in Chromium."""
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        yield chromium.new_page(viewport={"width": WIDTH, "height": 900}, reduced_motion="reduce")
        chromium.close()


def shot(page: Page, height: int) -> Image.Image:
    """Return the upper part of a page."""
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    return whole.crop((0, 0, WIDTH, min(height, whole.height)))


def keep(picture: Image.Image, path: Path) -> None:
    """Write a picture as a small PNG."""
    picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)
    print(path)


if __name__ == "__main__":
    main()
