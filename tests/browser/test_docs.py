"""The built documentation from a disk, without a network: it is searched, and wide tables can be scrolled."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

pytest.importorskip("playwright", reason="playwright is not installed: make browser")
pytest.importorskip("furo", reason="install the extra 'docs'")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: make browser installs Debian's"),
]


@pytest.fixture(scope="module")
def html(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(ROOT / "docs"), str(folder)]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


def visit(browser, path: Path, words: str = "", width: int = 1280):
    """Return a page and the addresses beyond this disk that it asked for."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    outside: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else outside.append(request))
    page.goto(path.resolve().as_uri() + words)
    return page, outside


@pytest.mark.parametrize("words", ["precondition", "fd-lmcut", "Evidence", "write_problem"])
def test_the_search_works_from_a_disk(browser, html, words) -> None:
    page, outside = visit(browser, html / "search.html", f"?q={words}")
    page.wait_for_selector("#search-results ul.search li", timeout=10_000)
    page.wait_for_function("!document.querySelector('#search-progress')?.innerText.includes('Preparing')")
    assert page.locator("#search-results ul.search li").count() > 0
    assert outside == []


def test_the_search_box_of_a_page_leads_there(browser, html) -> None:
    page, _ = visit(browser, html / "index.html")
    page.locator("input[name=q]").first.fill("lifted")
    page.locator("input[name=q]").first.press("Enter")
    page.wait_for_selector("#search-results ul.search li", timeout=10_000)
    assert "lifting" in page.locator("#search-results ul.search").inner_html()


def test_every_page_fits_and_wide_tables_scroll_in_themselves(browser, html) -> None:
    for path in sorted(html.glob("*.html")):
        page, outside = visit(browser, path, width=390)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path.name
        assert outside == []
        page.close()
    page, _ = visit(browser, html / "recipe.html")
    wide = "[...document.querySelectorAll('.table-wrapper')].filter(each => each.scrollWidth > each.clientWidth).length"
    assert page.evaluate(wide) > 0


def test_the_name_of_a_planner_is_not_broken(browser, html) -> None:
    page, _ = visit(browser, html / "which-planner.html", width=390)
    heights = page.evaluate(
        "[...document.querySelectorAll('td code')].filter(each => each.innerText.startsWith('fd-'))"
        ".map(each => each.getClientRects().length)"
    )
    assert heights
    assert set(heights) == {1}
