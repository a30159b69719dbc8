"""The studio in a real browser: pictures are dropped, a plan is found and stepped through, and nothing leaves."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from open_studio import serving, source_of, studio_of
from PIL import Image
from script_planner import Script, alive, eventually_dead
from tiny_run import copy_run
from visit import Visit

from cubespace.cli.plan import summary
from cubespace.studio.page import static_page
from cubespace.studio.server import Server

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make browser").expect

# where the pictures for a person go; by default they are thrown away with the other files of the test
KEPT = os.environ.get("CUBE_SCREENSHOTS")
WIDTHS = {"desktop": 1280, "phone": 390}
SLEEPER = "import os, time; open({marker!r}, 'w').write(str(os.getpid())); print('busy', flush=True); time.sleep(60)"
BROKEN = "[...document.images].filter((image) => !(image.complete && image.naturalWidth > 0 && image.alt)).length"
STILL = {"reduced_motion": "reduce"}  # nothing plays by itself

_connected: list[object] = []  # where this process has connected to, or asked for the address of


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}:
        _connected.append(arguments[1] if event == "socket.connect" else arguments[0])


sys.addaudithook(_hear)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def server(folder) -> Iterator[Server]:
    sleeper = Script(SLEEPER.format(marker=str(folder / "process")))
    studio = studio_of(source_of(copy_run(folder, "default")), "fd-lmcut", "pyperplan-bfs", sleeper=sleeper)
    with serving(studio) as opened:
        yield opened


@pytest.fixture(scope="module")
def pictures(server, folder) -> tuple[Path, Path]:
    """A start and a goal, as files of the user."""
    problem = server.studio.source.solved[0].problem
    files = folder / "start.png", folder / "end.png"
    for file, picture in zip(files, (problem.init[0], problem.goal[0]), strict=True):
        Image.fromarray(picture).save(file)
    return files


@pytest.fixture(scope="module")
def saved(server, folder) -> Path:
    (folder / "talk.html").write_text(static_page(server.studio.source, summary).text)
    return folder / "talk.html"


def drop_both(visit: Visit, pictures: tuple[Path, Path]) -> None:
    for end, file in zip(("init", "goal"), pictures, strict=True):
        visit.drop(f"#{end} .well", file)
    both_chosen(visit.page)


def both_chosen(page) -> None:
    """Wait until both ends are shown, each as given and as redrawn."""
    expect(page.locator(".well figure")).to_have_count(4)


def plan(visit: Visit, first: str = "fd-lmcut", second: str = "") -> None:
    visit.page.select_option("[name=first]", first)
    visit.page.select_option("[name=second]", second)
    visit.page.click("[type=submit]")


def test_two_pictures_are_dropped_a_plan_is_found_and_stepped_through(chromium, server, pictures) -> None:
    visit = Visit(chromium, server.address, **STILL)
    page = visit.page
    assert page.locator("[type=submit]").is_disabled()
    drop_both(visit, pictures)
    plan(visit)
    page.wait_for_selector(".player .stage img")
    assert page.inner_text(".player .badge") == "optimal"
    assert page.inner_text(".player .summary").startswith("2 steps, valid, optimal; 2 of 2 steps seen in training")
    frames = [page.get_attribute(".stage img", "src")]
    assert page.inner_text(".caption") == "Frame 0: the start, drawn from its bits"
    for step in (1, 2):
        page.keyboard.press("ArrowRight")
        assert page.inner_text(".caption").startswith(f"Step {step} of 2: ")
        assert page.inner_text(".controls output") == f"{step} of 2"
        frames.append(page.get_attribute(".stage img", "src"))
        words = page.inner_text(".literals")
        assert all(word in words for word in ("changes", "needs", "effect", "training pairs"))
        assert page.locator(".literals code.add").count() + page.locator(".literals code.delete").count() > 0
    assert len(set(frames)) == 3
    page.keyboard.press("ArrowRight")  # there is no further one
    assert page.inner_text(".controls output") == "2 of 2"
    page.keyboard.press("Home")
    assert page.get_attribute(".stage img", "src") == frames[0]
    page.click(".strip .pick:has-text('1')")
    assert page.get_attribute(".stage img", "src") == frames[1]
    page.locator("body").press("End")
    assert page.get_attribute(".stage img", "src") == frames[2]
    assert visit.complaints == []


def test_it_plays_by_itself_until_the_end(chromium, server, pictures) -> None:
    visit = Visit(chromium, server.address)
    drop_both(visit, pictures)
    plan(visit)
    expect(visit.page.locator(".controls output")).to_have_text("2 of 2")
    visit.page.wait_for_selector("[data-go=play][aria-pressed=false]")
    visit.page.keyboard.press(" ")
    visit.page.wait_for_selector("[data-go=play][aria-pressed=true]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", list(WIDTHS))
def test_two_planners_are_compared_and_the_page_fits(chromium, server, pictures, tmp_path, size, scheme) -> None:
    visit = Visit(chromium, server.address, WIDTHS[size], scheme, **STILL)
    drop_both(visit, pictures)
    plan(visit, "fd-lmcut", "pyperplan-bfs")
    visit.page.wait_for_selector(".player:nth-child(2) .stage img")
    assert visit.page.locator("#comparison thead th").all_inner_texts()[1:] == ["fd-lmcut", "pyperplan-bfs"]
    visit.page.keyboard.press("ArrowRight")
    captions = visit.page.locator(".caption").all_inner_texts()
    assert [caption.partition(":")[0] for caption in captions] == ["Step 1 of 2"] * 2
    assert visit.page.evaluate(BROKEN) == 0
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[size]
    assert visit.complaints == []
    target = Path(KEPT) if KEPT else tmp_path
    visit.page.screenshot(path=target / f"studio-{size}-{scheme}.png", full_page=True)


def test_a_state_is_edited_by_making_moves_with_the_keyboard(chromium, server) -> None:
    visit = Visit(chromium, server.address, **STILL)
    page = visit.page
    for end in ("init", "goal"):
        page.check(f"input[value={end}]")
        page.click("[data-state=goal]")
        page.wait_for_selector(f"#{end} .well figure:nth-child(2)")
    before = page.get_attribute("#goal .well img", "src")
    page.wait_for_selector("#moves .pick")
    assert page.locator("#moves .pick").count() == 4
    page.locator("#moves .pick").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#goal .well img").first).not_to_have_attribute("src", before)
    both_chosen(page)
    plan(visit)
    page.wait_for_selector(".player .stage img")
    assert page.inner_text(".player .summary").startswith("1 steps, valid, optimal")


def test_pictures_held_out_become_start_and_goal_in_turn(chromium, server) -> None:
    page = Visit(chromium, server.address, **STILL).page
    first, second = (page.locator("#pictures .pick img").nth(row).get_attribute("src") for row in (0, 1))
    page.locator("#pictures .pick").nth(0).click()
    page.locator("#pictures .pick").nth(1).click()
    both_chosen(page)
    shown = [page.get_attribute(f"#{end} .well img", "src") for end in ("init", "goal")]
    assert shown == [first, second]
    page.click("#swap")
    expect(page.locator("#goal .well img").first).to_have_attribute("src", first)


def test_files_become_start_and_goal_in_turn(chromium, server, pictures, tmp_path) -> None:
    page = Visit(chromium, server.address, **STILL).page
    (tmp_path / "no.png").write_bytes(b"no picture")
    page.set_input_files("#file", tmp_path / "no.png")
    page.wait_for_selector("#init .say.wrong")
    assert page.inner_text("#active") == "start", "a file that is refused takes nobody's turn"
    for picture, turn in zip(pictures, ("goal", "goal"), strict=True):
        page.set_input_files("#file", picture)
        expect(page.locator("#active")).to_have_text(turn)
    both_chosen(page)


def test_a_search_is_followed_and_cancelled(chromium, server, folder, pictures) -> None:
    visit = Visit(chromium, server.address, **STILL)
    drop_both(visit, pictures)
    plan(visit, "sleeper")
    visit.page.wait_for_selector(".search code:has-text('busy')")
    assert alive(folder / "process")
    visit.page.click(".search button")
    visit.page.wait_for_selector("#status:has-text('sleeper: cancelled')")
    assert eventually_dead(folder / "process")
    assert visit.page.locator("[type=submit]").is_enabled()
    assert visit.page.locator("#result").is_hidden()


def test_a_hostile_upload_is_told_in_a_line_and_changes_nothing(chromium, server, tmp_path) -> None:
    visit = Visit(chromium, server.address, **STILL)
    page = visit.page
    hostile = {
        "notes.txt": b"not a picture",
        "page.svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        "lie.png": b"#!/bin/sh\nrm -rf /",
        "..%2f..%2fetc%2fpasswd": b"\x89PNG\r\n\x1a\n" + b"\x00" * 64,
        "<img src=x onerror=alert(1)>.png": b"<img src=x onerror=alert(1)>",
    }
    for name, content in hostile.items():
        (tmp_path / name.replace("/", "_")).write_bytes(content)
        visit.drop("#init .well", tmp_path / name.replace("/", "_"))
        page.wait_for_selector("#init .say.wrong")
        assert "picture" in page.inner_text("#init .say")
        page.evaluate("document.querySelector('#init .say').classList.remove('wrong')")
    asked = len(visit.requests)
    (tmp_path / "huge.png").write_bytes(b"\x00" * ((16 << 20) + 1))
    page.set_input_files("#file", tmp_path / "huge.png")
    page.wait_for_selector("#init .say:has-text('too large')")
    assert len(visit.requests) == asked  # it is not even sent
    assert page.locator("#init .well img").count() == 0
    assert not [text for text in visit.complaints if "422" not in text]


def test_a_page_elsewhere_and_a_path_outside_get_nothing(chromium, server, tmp_path) -> None:
    page = chromium.new_page()
    answer = page.goto(f"{server.address}..%2f..%2f..%2fetc%2fpasswd")
    assert answer.status == 404
    assert "root:" not in page.content()
    assert page.goto(f"http://127.0.0.1:{server.server_port}/").status == 404
    foreign = tmp_path / "foreign.html"
    foreign.write_text("<!doctype html><title>foreign</title>")
    page.goto(foreign.as_uri())
    steal = """async (address) => {
      const how = {method: "POST", headers: {"Content-Type": "application/json"}, body: '{"kind": "goal"}'};
      const plain = {...how, headers: {}, mode: "no-cors"};
      const tries = [fetch(address), fetch(address + "state", how), fetch(address + "state", plain)];
      const got = await Promise.allSettled(tries.map((each) => each.then((answer) => answer.text())));
      return got.map((each) => each.value ?? "");
    }"""
    assert page.evaluate(steal, server.address) == ["", "", ""]


def test_no_request_leaves_the_machine(chromium, server, pictures) -> None:
    visit = Visit(chromium, server.address, **STILL)
    _connected.clear()
    drop_both(visit, pictures)
    plan(visit, "fd-lmcut", "pyperplan-bfs")
    visit.page.wait_for_selector(".player:nth-child(2) .stage img")
    with visit.page.expect_download() as download:
        visit.page.click("a[download]")
    assert download.value.suggested_filename == "studio.html"
    assert len(visit.requests) > 5
    assert not [url for url in visit.requests if not url.startswith(("data:", server.address))]
    assert not [where for where in _connected if not (isinstance(where, tuple) and where[0] == "127.0.0.1")]


@pytest.mark.parametrize("size", list(WIDTHS))
def test_the_saved_page_works_from_a_file_and_asks_for_nothing(chromium, saved, tmp_path, size) -> None:
    visit = Visit(chromium, saved.resolve().as_uri(), WIDTHS[size], **STILL)
    page = visit.page
    page.wait_for_selector(".player:nth-child(2) .stage img")
    assert page.locator("#instances .pick").count() == 4
    first = page.get_attribute(".stage img", "src")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".caption >> nth=0").startswith("Step 1 of 2")
    assert page.get_attribute(".stage img", "src") != first
    start = page.get_attribute("#init .well img", "src")
    page.locator("#instances .pick").nth(2).click()
    assert page.get_attribute("#init .well img", "src") != start
    page.select_option("[name=second]", "")
    assert page.locator(".player").count() == 1
    assert page.evaluate(BROKEN) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[size]
    assert visit.complaints == []
    assert [url for url in visit.requests if not url.startswith("data:")] == [saved.resolve().as_uri()]
    target = Path(KEPT) if KEPT else tmp_path
    page.screenshot(path=target / f"studio-saved-{size}.png", full_page=True)


def test_a_saved_page_of_one_planner_has_no_empty_card(chromium, server, folder) -> None:
    source = server.studio.source
    one = attrs.evolve(source, solved=tuple(each for each in source.solved if each.planner == "fd-lmcut"))
    file = folder / "one.html"
    file.write_text(static_page(one, summary).text, "utf-8")
    page = Visit(chromium, file.resolve().as_uri(), **STILL).page
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator("#search")).to_be_hidden()


def test_every_control_has_a_name(chromium, server, pictures) -> None:
    visit = Visit(chromium, server.address, **STILL)
    drop_both(visit, pictures)
    plan(visit)
    visit.page.wait_for_selector(".player .stage img")
    nameless = """[...document.querySelectorAll('button, select, input')].filter((control) => !(
      control.textContent.trim() || control.ariaLabel || control.labels?.length || control.querySelector('img[alt]')
    )).length"""
    assert visit.page.evaluate(nameless) == 0
    assert all(visit.page.locator(part).count() for part in ("h1", "main", "[role=status]", "[aria-live]"))
