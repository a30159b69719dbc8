import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tiny_run import cube

from cubespace.base.errors import InputError, UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.report.page import duration, number
from cubespace.report.run_files import read_facts, verdict

VOID = {"meta", "link", "img", "source", "br"}


class Page(HTMLParser):
    """Collects what a page refers to, and checks that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs) -> None:
        table = dict(attrs)
        self.sources += [table[key] for key in ("src", "srcset", "xlink:href") if key in table]
        self.ids += [table["id"]] if "id" in table else []
        self.links += [table["href"]] if tag == "a" and "href" in table else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def spoil(run: Path, **changes: object) -> None:
    """Change the record of the first instance of the first planner."""
    results = json.loads((run / "results.json").read_text())
    next(iter(results["planners"].values()))["records"][0].update(changes)
    (run / "results.json").write_text(json.dumps(results))


def test_the_page_of_a_run_stands_alone(tiny_run) -> None:
    text = write_report([tiny_run], load_plugins()).read_text()
    page = Page(text)
    assert all(source.startswith(("data:image/png;base64,", "#")) for source in page.sources)
    assert len(page.sources) > 50
    assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]*"|http-equiv', "", text)
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link[1:] in page.ids if link.startswith("#") else (tiny_run / link).is_file(), link
    for section in ("plan", "verdicts", "redrawn", "actions", "bits", "curves", "all", "pddl", "reproduce"):
        assert section in page.ids


def test_it_is_the_same_every_time_and_small(tiny_run) -> None:
    first = write_report([tiny_run], load_plugins()).read_bytes()
    assert write_report([tiny_run], load_plugins()).read_bytes() == first
    assert len(first) < 400_000


def test_the_step_that_went_wrong_is_marked(tiny_run) -> None:
    assert 'class="wrong"' not in write_report([tiny_run], load_plugins()).read_text()
    spoil(tiny_run, valid=False, optimal=False, wrong_step=1, reason="step is not a legal move")
    text = write_report([tiny_run], load_plugins()).read_text()
    assert 'class="wrong"' in text
    assert "step 1: step is not a legal move" in text
    assert 'id="failures"' in text


def test_what_a_user_may_type_is_not_taken_for_markup(tiny_run) -> None:
    spoil(tiny_run, plan=None, outcome="crashed", reason="<script>alert(1)</script>")
    text = write_report([tiny_run], load_plugins()).read_text()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_no_plan_at_all_and_no_judge(tiny_run) -> None:
    results = json.loads((tiny_run / "results.json").read_text())
    first, second = results["planners"].values()
    first["records"] = [{**record, "plan": None, "outcome": "out of time"} for record in first["records"]]
    first.update(found=0, valid=0, optimal=0)
    second["records"] = [{**record, "valid": None, "optimal": None} for record in second["records"]]
    second.update(valid=None, optimal=None)
    (tiny_run / "results.json").write_text(json.dumps(results))
    text = write_report([tiny_run], load_plugins()).read_text()
    Page(text)
    assert "their validity is unknown" in text
    assert "4 × out of time" in text


def test_what_plans_could_know_by_heart_is_shown_unless_the_run_is_too_old_to_say(tiny_run) -> None:
    assert 'data-value="1.0">100 %</td>' in write_report([tiny_run], load_plugins()).read_text()
    results = json.loads((tiny_run / "results.json").read_text())
    for row in results["planners"].values():
        del row["known_states"], row["known_transitions"]
    (tiny_run / "results.json").write_text(json.dumps(results))
    assert 'data-value="">?</td>' in write_report([tiny_run], load_plugins()).read_text()


def test_diagnosis_is_shown_once_it_is_there(tiny_run) -> None:
    assert "Diagnosis" not in write_report([tiny_run], load_plugins()).read_text()
    answer = cube("diagnose", "run", "--states", "50", cwd=tiny_run.parent)
    assert answer.returncode == 0, answer.stderr
    assert "Diagnosis of the learned graph" in write_report([tiny_run], load_plugins()).read_text()


@pytest.mark.parametrize("stages", [(), ("data",), ("data", "train"), ("data", "train", "extract")])
def test_a_run_under_way_is_shown_as_far_as_it_is(tiny_run, stages) -> None:
    manifest = json.loads((tiny_run / "manifest.json").read_text())
    (tiny_run / "manifest.json").write_text(json.dumps({stage: manifest[stage] for stage in stages}))
    (tiny_run / "results.json").unlink()
    if "extract" not in stages:
        for name in ("strips.npz", "domain.pddl", "extraction.json"):
            (tiny_run / name).unlink()
    if "train" not in stages:
        (tiny_run / "metrics.jsonl").write_text('{"epoch": 1, "phase": "joint", "total": 1.0}\n{"epo')
    Page(write_report([tiny_run], load_plugins()).read_text())


def test_several_runs_side_by_side(tiny_run, tmp_path) -> None:
    other = shutil.copytree(tiny_run, tmp_path / "other")
    config = (other / "config.toml").read_text()
    (other / "config.toml").write_text(config.replace('apply = "btl"', 'apply = "minmax"'))
    written = write_report([tiny_run, other], load_plugins())
    assert written == tmp_path / "report.html"
    page = Page(written.read_text())
    assert {"run/report.html", "other/report.html"} <= set(page.links)
    assert all((tmp_path / link).is_file() for link in page.links)
    assert ">minmax<" in written.read_text()
    assert "4/4/4</td>" in written.read_text()


def test_the_command_writes_where_it_is_told(tiny_run, tmp_path) -> None:
    answer = cube("report", "run", "-o", "pages/one.html", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "pages/one.html\n"
    assert "../run/domain.pddl" in Page((tmp_path / "pages" / "one.html").read_text()).links


def test_what_is_no_run_is_said_in_one_line(tmp_path) -> None:
    answer = cube("report", "nowhere", cwd=tmp_path)
    assert (answer.returncode, answer.stderr.count("\n")) == (3, 1)
    with pytest.raises(UsageError, match="at least one"):
        write_report([], load_plugins())


def test_damaged_files_are_named(tiny_run) -> None:
    (tiny_run / "results.json").write_text("[]")
    with pytest.raises(InputError, match=r"results\.json"):
        read_facts(tiny_run)


def test_a_plan_of_another_model_is_not_shown_as_one_of_this(tiny_run) -> None:
    actions = json.loads((tiny_run / "extraction.json").read_text())["actions"]
    spoil(tiny_run, plan=list(range(actions)))  # such a plan cannot be executed
    Page(write_report([tiny_run], load_plugins()).read_text())


def test_the_best_plan_comes_first(tiny_run) -> None:
    facts = read_facts(tiny_run)
    assert facts.best is not None
    assert verdict(facts.best) == "optimal"
    assert facts.leader in facts.planners


def test_numbers_are_easy_on_the_eye() -> None:
    assert [number(value) for value in (None, 3, 4500.0, 0.00012, 0.1534, 17.25)] == [
        "?", "3", "4,500", "1e-04", "0.153", "17.2",
    ]  # fmt: skip
    assert [duration(value) for value in (0.12, 31, 600, 9000)] == ["0.12 s", "31 s", "10 min", "2 h 30 min"]


@pytest.mark.parametrize(("count", "wrong"), [(1, None), (9, 3), (16, 15), (17, None), (40, 0), (40, 39), (90, 44)])
def test_of_a_long_plan_the_ends_and_the_wrong_step_are_shown(count, wrong) -> None:
    from cubespace.report.visuals import MAX_FRAMES, _worth_showing

    shown = _worth_showing(count, wrong)
    assert shown == sorted(set(shown))
    assert len(shown) <= MAX_FRAMES
    assert {0, count - 1, *([] if wrong is None else [wrong])} <= set(shown)
