"""The pages in a real browser: nothing complains, nothing is fetched, everything is drawn, tables sort."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tiny_run import copy_run, reseal
from visit import Visit

from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.runs.folder.run_folder import RunFolder

# where the pictures for a person go; by default they are thrown away with the other files of the test
KEPT = os.environ.get("CUBE_SCREENSHOTS")
LONG = "another:image=/somewhere/far/away/a-picture-whose-name-would-not-fit-on-any-phone-at-all.png"
SHOWN = "another:image=a-picture-whose-name-would-not-fit-on-any-phone-at-all.png"
WIDTHS = {"desktop": 1280, "phone": 390}


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """The pages of one run, with a plan that goes wrong, and of two side by side."""
    folder = tmp_path_factory.mktemp("pages")
    run = copy_run(folder)
    results = json.loads((run / "results.json").read_text())
    record = results["planners"]["pyperplan-bfs"]["records"][1]
    record.update(valid=False, optimal=False, wrong_step=1, reason="step is not a legal move")
    results["planners"]["pyperplan-bfs"].update(valid=3, optimal=3)
    (run / "results.json").write_text(json.dumps(results))
    reseal(run, "evaluate", "results.json")
    other = shutil.copytree(run, folder / "other")
    config = (other / "config.toml").read_text()
    (other / "config.toml").write_text(config.replace('domain = "lightsout:size=2"', f'domain = "{LONG}"'))
    manifest = json.loads((other / "manifest.json").read_text())
    manifest["stages"]["data"]["key"] = RunFolder.load(other).config.own_key("data")
    (other / "manifest.json").write_text(json.dumps(manifest))
    return {"report": write_report([run], load_plugins()), "compare": write_report([run, other], load_plugins())}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(WIDTHS))
@pytest.mark.parametrize("name", ["report", "compare"])
def test_the_page_is_quiet_whole_and_fits(chromium, pages, tmp_path, name, size, scheme) -> None:
    visit = Visit(chromium, pages[name].resolve().as_uri(), WIDTHS[size], scheme)
    assert visit.complaints == []
    assert [url for url in visit.requests if not url.startswith(("data:", pages[name].resolve().as_uri()))] == []
    broken = "[...document.images].filter(image => !(image.complete && image.naturalWidth > 0)).length"
    assert visit.page.evaluate("document.images.length") > 1
    assert visit.page.evaluate(broken) == 0
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[size]
    folder = Path(KEPT) if KEPT else tmp_path
    visit.page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)


def column(page, number: int) -> list[str]:
    return page.locator(f"#coverage tbody tr > :nth-child({number})").all_text_contents()


def test_the_table_sorts_both_ways(chromium, pages) -> None:
    page = Visit(chromium, pages["compare"].resolve().as_uri()).page
    domain = page.locator("#coverage thead button").first
    domain.click()
    assert [text.strip() for text in column(page, 1)] == ["lightsout:size=2", SHOWN]
    assert page.locator("#coverage th[aria-sort=descending]").count() == 1
    domain.click()
    assert [text.strip() for text in column(page, 1)] == [SHOWN, "lightsout:size=2"]


def test_numbers_are_sorted_as_numbers(chromium, pages) -> None:
    page = Visit(chromium, pages["report"].resolve().as_uri()).page
    page.locator("#verdicts thead button", has_text="valid").click()
    assert page.locator("#verdicts tbody th").all_text_contents() == ["fd-lmcut", "pyperplan-bfs"]
    page.locator("#verdicts thead button", has_text="valid").press("Enter")
    assert page.locator("#verdicts tbody th").all_text_contents() == ["pyperplan-bfs", "fd-lmcut"]


def test_an_instance_leads_to_its_plan_and_the_wrong_step_is_red(chromium, pages) -> None:
    page = Visit(chromium, pages["report"].resolve().as_uri()).page
    page.locator(".cell.invalid").first.click()
    story = page.locator("#plan-pyperplan-bfs-001")
    assert story.is_visible()
    border = "getComputedStyle(document.querySelector('#plan-pyperplan-bfs-001 .wrong > img')).borderColor"
    assert page.evaluate(border) == "rgb(214, 48, 49)"


def test_runs_are_linked(chromium, pages) -> None:
    visit = Visit(chromium, pages["compare"].resolve().as_uri())
    visit.page.locator("#coverage tbody a").first.click()
    assert visit.page.title().startswith("lightsout:size=2 · autoencoder, btl")


def test_it_prints(chromium, pages) -> None:
    page = Visit(chromium, pages["report"].resolve().as_uri()).page
    assert page.pdf(format="A4")[:5] == b"%PDF-"
    page.emulate_media(media="print")
    assert not page.locator(".movie").is_visible()
