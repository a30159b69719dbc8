"""What the page shows is what `cube plan` says; what the run holds is offered, and nothing from outside of it."""

import io
import json
import re
import time

import attrs
import numpy as np
import pytest
from open_studio import LIMITS, Listener, source_of, studio_of
from PIL import Image
from tiny_run import copy_run, reseal

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.cli.plan import summary
from cubespace.evaluation.judge import UNKNOWN
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.pictures.bundle import write_bundle
from cubespace.runs.pictures.opening import Unjudged
from cubespace.studio.page import live_page, static_page
from cubespace.studio.searches import MAX_KEPT, Busy, Searches
from cubespace.studio.shelf import LEAST_KEPT, Item, Shelf
from cubespace.studio.shown import shown_plan
from cubespace.studio.source import Source, instances
from cubespace.studio.studio import SHUFFLE, Studio


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Source:
    return source_of(copy_run(tmp_path_factory.mktemp("run"), "default"))


@pytest.fixture
def studio(source) -> Studio:
    return studio_of(source, "fd-lmcut", "pyperplan-bfs")


def found(studio: Studio, init: int, goal: int, planner: str = "fd-lmcut") -> dict:
    number = studio.plan(init, goal, planner, anyway=False)["search"]
    deadline = time.monotonic() + 30
    while (now := studio.searches.progress(number))["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert now["state"] == "done", now
    return now["plan"]


def png(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def facts(page: str) -> dict:
    return json.loads(page.partition('id="facts">')[2].partition("</script>")[0])


def test_the_words_and_marks_are_those_of_cube_plan(studio, source) -> None:
    pair = studio.instances[0]
    shown = found(studio, pair["init"]["id"], pair["goal"]["id"])
    problem = instances(source.solved)[0]
    planner = load_plugins().create("planner", "fd-lmcut")
    made = source.planning.plan(problem.init[0], problem.goal[0], "fd-lmcut", planner, LIMITS)
    record = made.record()
    without_time = re.compile(r"; [0-9.]+ s$")
    assert without_time.sub("", shown["summary"]) == without_time.sub("", summary(made, record))
    assert (shown["unseen"], shown["wrong"]) == (len(record.unseen_steps), record.wrong_step)
    assert [frame["action"] for frame in shown["frames"]] == ["", *record.actions]
    assert shown["verdict"] == "optimal"


def test_steps_that_training_does_not_show_are_marked_by_whether_they_were_judged(source) -> None:
    made = source.solved[0]
    memorised = attrs.evolve(made.memorised, unseen_steps=(2,))
    judged = shown_plan(attrs.evolve(made, memorised=memorised), summary)
    assert (judged.marks, judged.unseen) == (["", "", "new"], 1)
    unjudged = attrs.evolve(made, memorised=memorised, solution=attrs.evolve(made.solution, verdict=UNKNOWN))
    assert shown_plan(unjudged, summary).marks == ["", "", "unseen"]
    assert shown_plan(unjudged, summary).verdict == "doubted"


def test_a_step_shows_what_its_action_needs_and_does(studio) -> None:
    pair = studio.instances[0]
    shown = found(studio, pair["init"]["id"], pair["goal"]["id"])
    model = studio.planning.model
    assert shown["frames"][0]["literals"] is None
    for frame in shown["frames"][1:]:
        row = model.names.index(frame["action"])
        literals = frame["literals"]
        assert literals["positive"] == np.flatnonzero(model.positive[row]).tolist()
        assert literals["negative"] == np.flatnonzero(model.negative[row]).tolist()
        assert set(frame["added"]) <= set(literals["add"])
        assert set(frame["deleted"]) <= set(literals["delete"])
        assert frame["added"] or frame["deleted"]
        assert literals["support"] == model.support[row]
        assert frame["bits"]["alt"].endswith(f"{len(frame['added'])} added, {len(frame['deleted'])} deleted")


def test_plans_of_the_run_are_shown_as_they_are_on_record(source) -> None:
    assert len(source.solved) == 8
    for made in source.solved:
        assert made.record().valid
        assert made.record().optimal
        assert made.solution.frames.shape[0] == len(made.actions) + 1
    assert {made.planner for made in source.solved} == {"fd-lmcut", "pyperplan-bfs"}


def test_a_saved_page_holds_all_of_it_and_refers_to_nothing(source) -> None:
    page = static_page(source, summary)
    table = facts(page.text)
    assert [len(story["plans"]) for story in table["stories"]] == [2, 2, 2, 2]
    assert "connect-src 'none'" in page.policy
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:)""", page.text)
    assert not re.findall(r"https?://(?!www\.w3\.org)", page.text)


def test_a_plan_found_here_is_saved_too_and_counts_before_that_of_the_run(studio, source) -> None:
    pictures = [item["id"] for item in studio.pictures[:2]]
    one, pair = found(studio, *pictures), studio.instances[0]
    again = found(studio, pair["init"]["id"], pair["goal"]["id"])
    stories = facts(static_page(source, summary, studio.found).text)["stories"]
    assert len(stories) == 5
    assert stories[0]["plans"]["fd-lmcut"]["summary"] == one["summary"]
    assert stories[1]["plans"]["fd-lmcut"]["summary"] == again["summary"]


def test_the_title_cannot_break_out_of_the_page(source) -> None:
    evil = attrs.evolve(source, title="</script><script>alert(1)</script>")
    page = static_page(evil, summary).text
    assert "<script>alert" not in page
    assert facts(page)["title"] == evil.title


def test_moves_are_those_of_the_simulator_and_can_be_chosen(studio) -> None:
    goal = studio.state("goal")
    seen = studio.look(goal["id"])
    assert len(seen["moves"]) == 4
    assert seen["warnings"] == []
    shown = found(studio, seen["moves"][2]["id"], goal["id"])
    assert (shown["steps"], shown["verdict"]) == (1, "optimal")
    shuffled = studio.shuffle(goal["id"])
    assert found(studio, shuffled["id"], goal["id"])["verdict"] in {"optimal", "none"}
    assert SHUFFLE > 10


def test_the_moves_of_a_dropped_picture_are_known_if_it_can_be_read(studio, source) -> None:
    dropped = studio.take(png(source.pictures[0]))
    assert len(studio.look(dropped["id"])["moves"]) == 4
    noise = studio.take(png(np.random.default_rng(0).integers(256, size=(90, 70, 3), dtype=np.uint8)))
    seen = studio.look(noise["id"])
    assert seen["moves"] is None
    assert "does not look like what was trained on" in seen["warnings"][0]
    with pytest.raises(UsageError, match="cannot read"):
        studio.shuffle(noise["id"])


def test_a_moving_picture_is_taken_with_a_note(studio, source) -> None:
    buffer = io.BytesIO()
    first, second = (Image.fromarray(picture) for picture in source.pictures[:2])
    first.save(buffer, format="GIF", save_all=True, append_images=[second])
    assert studio.take(buffer.getvalue())["notes"] == ["the picture has several frames: only the first is used"]


def test_a_domain_without_a_simulator_offers_pictures_only(source) -> None:
    shape = source.planning.code.image_shape
    blind = attrs.evolve(source, planning=attrs.evolve(source.planning, domain=Unjudged(shape)))
    studio = studio_of(blind)
    assert facts(live_page(studio).text)["simulator"] is False
    assert studio.look(studio.pictures[0]["id"])["moves"] is None
    for attempt in (lambda: studio.state("random"), lambda: studio.shuffle(0)):
        with pytest.raises(UsageError, match="no simulator"):
            attempt()
    pair = studio.instances[0]
    assert found(studio, pair["init"]["id"], pair["goal"]["id"])["verdict"] in {"unknown", "doubted"}


def test_a_bundle_is_opened_too(default_run, tmp_path) -> None:
    bundle = write_bundle(RunFolder.load(default_run), tmp_path / "my.cube", "CC0")
    studio = studio_of(source_of(bundle))
    assert (studio.pictures, studio.instances, studio.source.title) == ([], [], "my")
    goal = studio.state("goal")
    move = studio.look(goal["id"])["moves"][0]
    assert found(studio, move["id"], goal["id"])["verdict"] == "optimal"


def test_a_record_that_points_out_of_the_run_is_not_followed(default_run) -> None:
    results = json.loads((default_run / "results.json").read_text())
    records = results["planners"]["fd-lmcut"]["records"]
    records[0]["problem"] = "../../elsewhere"
    records[1]["problem"] = str(default_run / "problems" / "001")
    records[2]["trace"] = "0" * 64
    (default_run / "results.json").write_text(json.dumps(results))
    reseal(default_run, "evaluate", "results.json")
    assert len(source_of(default_run).solved) == 5


def test_results_of_another_form_are_refused_in_one_line(default_run) -> None:
    results = json.loads((default_run / "results.json").read_text())
    results["planners"]["fd-lmcut"]["records"][0] = {"problem": "000"}
    (default_run / "results.json").write_text(json.dumps(results))
    reseal(default_run, "evaluate", "results.json")
    with pytest.raises(InputError, match=r"results\.json' is damaged: .*outcome: is missing"):
        source_of(default_run)


def test_the_shelf_forgets_the_oldest_but_not_what_is_offered() -> None:
    shelf, large = Shelf(), np.broadcast_to(np.uint8(0), (1, 5000, 5000))
    fixed = shelf.put(Item(large), fixed=True)
    numbers = [shelf.put(Item(large)) for _ in range(LEAST_KEPT + 1)]
    assert shelf.get(fixed).state is None
    with pytest.raises(InputError, match="choose it again"):
        shelf.get(numbers[0])
    assert shelf.get(numbers[1]).picture is large


def wait(searches: Searches, number: int) -> dict:
    while (now := searches.progress(number))["state"] == "running":
        time.sleep(0.01)
    return now


def test_a_search_that_fails_says_why_or_leaves_that_to_the_terminal() -> None:
    told: list[Exception] = []
    searches = Searches(told.append)

    def expected() -> dict:
        raise CubeError("the planner is tired")

    number = searches.start("one", 1.0, expected)
    assert wait(searches, number) == {
        "planner": "one",
        "limit": 1.0,
        "state": "failed",
        "error": "the planner is tired",
    }
    number = searches.start("two", 1.0, lambda: {}["a secret"])
    assert "a secret" not in wait(searches, number)["error"]
    searches.progress(number)
    assert [type(error) for error in told] == [KeyError]


def test_old_searches_are_forgotten_and_none_begins_after_the_end(source) -> None:
    searches, shown = Searches(Listener().say), shown_plan(source.solved[0], summary)
    numbers = []
    for _ in range(MAX_KEPT + 3):
        numbers.append(searches.start("x", 1.0, lambda: shown))
        wait(searches, numbers[-1])
    with pytest.raises(InputError, match="any more"):
        searches.progress(numbers[0])
    searches.close()
    with pytest.raises(Busy):
        searches.start("x", 1.0, lambda: {"frames": []})
