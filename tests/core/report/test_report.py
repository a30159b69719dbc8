import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from command import cube
from plan_records import plan_record
from tiny_run import copy_run, reseal

import cubespace
from cubespace.base.errors import InputError, UsageError
from cubespace.evaluation.summary import summarise
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.report.compare import compare_page
from cubespace.report.plots import effort, loss_curves
from cubespace.report.run_files import read_facts, verdict
from cubespace.runs.folder.trace_file import TRACE, load_trace, save_trace, trace_digest
from cubespace.symbols.strips import load_strips

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


def spoil(run: Path, **changes: object) -> dict:
    """Change the record of the first instance of the first planner, and return it."""
    results = json.loads((run / "results.json").read_text())
    record = next(iter(results["planners"].values()))["records"][0]
    record.update(changes)
    (run / "results.json").write_text(json.dumps(results))
    reseal(run, "evaluate", "results.json")
    return record


def article(text: str, record: dict) -> str:
    """Return the part of a page that tells of one instance among all plans."""
    start = text.index(f'id="plan-{record["planner"]}-{record["problem"]}"')
    return text[start : text.index("</article>", start)]


def test_the_page_of_a_run_stands_alone(any_run) -> None:
    text = write_report([any_run], load_plugins()).read_text()
    page = Page(text)
    assert all(source.startswith(("data:image/png;base64,", "#")) for source in page.sources)
    assert len(page.sources) > 50
    assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]*"|http-equiv', "", text)
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link[1:] in page.ids if link.startswith("#") else (any_run / link).is_file(), link
    for section in ("plan", "verdicts", "redrawn", "actions", "bits", "curves", "all", "pddl", "reproduce"):
        assert section in page.ids


def test_it_is_the_same_every_time_and_small(any_run) -> None:
    first = write_report([any_run], load_plugins()).read_bytes()
    assert write_report([any_run], load_plugins()).read_bytes() == first
    assert len(first) < 400_000


def test_a_run_that_needed_no_training_shows_its_own_bits_and_no_curves_of_training(default_run) -> None:
    assert (default_run / "metrics.jsonl").read_text() == ""
    text = write_report([default_run], load_plugins()).read_text()
    assert "it learned <b>8</b> bits" in text  # four lamps with two values each; the settings say 100
    assert "8<small>/8</small>" in text
    assert "<h1>lightsout:size=2 · places</h1>" in text
    assert "Model: learner places: a clustering of pixels (no gradient training); effects: differences" in text
    assert "preconditions: values." in text
    assert "<span>learning, CPU</span>" in text  # it takes time, but nothing was trained
    assert "<span>training, CPU</span>" not in text
    assert "of the predicted successor –" in text  # no actions were learned
    assert "On pictures held out" not in text
    assert "Measures on the test split" in text
    assert read_facts(default_run).bits == 8


def test_a_run_that_was_trained_names_its_bits_and_shows_curves(tiny_run) -> None:
    text = write_report([tiny_run], load_plugins()).read_text()
    assert "it learned <b>12</b> bits" in text
    assert "<h1>lightsout:size=2 · autoencoder, btl</h1>" in text
    assert "gradient updates, then rewritten; labels by head, objective paper, decoder mlp); effects: those of" in text
    assert "<span>training, CPU</span>" in text
    assert 'id="encoder"' not in text  # bits that mean nothing each need no card of their own
    assert json.loads((tiny_run / "results.json").read_text())["precision"] == "float32"
    assert "as trained</th>" in text  # both figures of a network that was rewritten
    assert "after rewriting</th>" in text
    assert "On pictures held out" in text


def test_the_step_that_went_wrong_is_marked(tiny_run) -> None:
    assert 'class="wrong"' not in write_report([tiny_run], load_plugins()).read_text()
    spoil(tiny_run, valid=False, optimal=False, wrong_step=1, reason="step is not a legal move")
    text = write_report([tiny_run], load_plugins()).read_text()
    assert 'class="wrong"' in text
    assert "step 1: step is not a legal move" in text
    assert 'id="failures"' in text


def test_steps_that_no_training_pair_shows_are_marked(tiny_run) -> None:
    assert "every step was seen in training" in write_report([tiny_run], load_plugins()).read_text()
    record = spoil(tiny_run, valid=None, optimal=None, unseen_steps=[1])
    assert verdict(plan_record((1, 2), valid=None, unseen_steps=(1,))) == "doubted"
    story = article(write_report([tiny_run], load_plugins()).read_text(), record)
    assert story.count(" unseen</span>") == 1
    assert "1 of 2 steps seen in training" in story
    assert "found, not judged, some steps never seen" in story


def test_new_steps_that_a_judge_accepts_are_no_warning(tiny_run) -> None:
    record = spoil(tiny_run, unseen_steps=[1])
    text = write_report([tiny_run], load_plugins()).read_text()
    story = article(text, record)
    assert story.count(" new, valid</span>") == 1
    assert "1 of 2 steps are new" in story
    assert "unseen</span>" not in story


def test_what_is_impossible_in_a_frame_is_shown(tiny_run) -> None:
    spoil(tiny_run, valid=False, wrong_step=1, reason="frame is not readable", fault="0 twice, 5 missing")
    assert "step 1: frame is not readable: 0 twice, 5 missing" in write_report([tiny_run], load_plugins()).read_text()


def test_the_judgement_is_shown_with_its_warnings_and_where_effects_come_from(tiny_run) -> None:
    text = write_report([tiny_run], load_plugins()).read_text()
    assert "judgement" in Page(text).ids
    assert "Effects are those of the apply module" in text
    assert "of the start and goal pictures, 100 %" in text.lower()
    table = json.loads((tiny_run / "judgement.json").read_text())
    table["findings"].append({"about": "labels", "warning": True, "text": "Too few <labels>.", "advice": "Add some."})
    (tiny_run / "judgement.json").write_text(json.dumps(table))
    reseal(tiny_run, "extract", "judgement.json")
    assert "<b>Warning.</b> Too few &lt;labels&gt;. Add some." in write_report([tiny_run], load_plugins()).read_text()


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
    reseal(tiny_run, "evaluate", "results.json")
    text = write_report([tiny_run], load_plugins()).read_text()
    Page(text)
    assert "their validity is unknown" in text
    assert "4 × out of time" in text


def test_what_plans_could_know_by_heart_is_shown_unless_no_plan_is_right(tiny_run) -> None:
    assert 'data-value="1.0">100 %</td>' in write_report([tiny_run], load_plugins()).read_text()
    results = json.loads((tiny_run / "results.json").read_text())
    for row in results["planners"].values():
        row["known_states"] = row["known_transitions"] = None
    (tiny_run / "results.json").write_text(json.dumps(results))
    reseal(tiny_run, "evaluate", "results.json")
    assert 'data-value="">?</td>' in write_report([tiny_run], load_plugins()).read_text()


def test_diagnosis_is_shown_once_it_is_there(tiny_run) -> None:
    assert "Diagnosis" not in write_report([tiny_run], load_plugins()).read_text()
    answer = cube("diagnose", "run", "--states", "50", cwd=tiny_run.parent)
    assert answer.returncode == 0, answer.stderr
    assert "Diagnosis of the learned graph" in write_report([tiny_run], load_plugins()).read_text()


def _keep_only(run: Path, stages: tuple[str, ...]) -> None:
    """Let the other stages of a run count as not done."""
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["stages"] = {stage: manifest["stages"][stage] for stage in stages}
    (run / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("stages", [(), ("data",), ("data", "train"), ("data", "train", "extract")])
def test_a_run_under_way_is_shown_as_far_as_it_is(tiny_run, stages) -> None:
    _keep_only(tiny_run, stages)
    if "train" not in stages:  # the last line is being written
        (tiny_run / "metrics.jsonl").write_text('{"epoch": 1, "phase": "joint", "total": 1.0}\n{"epo')
    text = write_report([tiny_run], load_plugins()).read_text()
    shown = set(Page(text).ids)
    assert {"plan", "verdicts", "all"}.isdisjoint(shown)  # results.json is still there, but of no finished stage
    assert ({"actions", "bits", "pddl"} <= shown) == ("extract" in stages)
    assert ("redrawn" in shown) == ("train" in stages)
    assert ("curves" in shown) == ("reproduce" in shown) is True
    lead = {
        (): "Training: 1 epochs done.",
        ("data",): "Training: 1 epochs done.",
        ("data", "train"): "Its bits are learned. No model has been extracted yet.",
        ("data", "train", "extract"): "pairs of pictures it learned",
    }
    assert lead[stages] in text


def test_a_training_that_is_over_at_once_is_not_called_nothing(default_run) -> None:
    _keep_only(default_run, ("data", "train"))
    text = write_report([default_run], load_plugins()).read_text()
    assert "Its bits are learned" in text
    assert "Nothing has been learned" not in text
    _keep_only(default_run, ("data",))
    assert "Nothing has been learned" in write_report([default_run], load_plugins()).read_text()


def test_a_trained_run_beside_one_that_needed_no_training(tiny_run, tmp_path) -> None:
    other = copy_run(tmp_path / "default", "default")
    page = write_report([tiny_run, other], load_plugins(), tmp_path / "both.html")
    text = page.read_text()
    assert {"./run/report.html", "./default/run/report.html"} <= set(Page(text).links)
    assert text.count("4/4/4</td>") == 4
    assert "<td>autoencoder, btl</td>" in text
    assert "<td>places</td>" in text  # what was chosen, not the setting auto
    assert '<td class="n" data-value="">–</td>' in text  # no actions were learned, so there is no Succ


def test_several_runs_side_by_side(tiny_run, tmp_path) -> None:
    other = shutil.copytree(tiny_run, tmp_path / "other")
    config = (other / "config.toml").read_text()
    (other / "config.toml").write_text(config.replace('apply = "btl"', 'apply = "minmax"'))
    written = write_report([tiny_run, other], load_plugins())
    assert written == tmp_path / "report.html"
    page = Page(written.read_text())
    assert {"./run/report.html", "./other/report.html"} <= set(page.links)
    assert all((tmp_path / link).is_file() for link in page.links)
    assert ">autoencoder, minmax<" in written.read_text()
    assert "4/4/4</td>" in written.read_text()


@pytest.mark.parametrize("name", ["javascript:alert(1);x", "a#b?c", "100% ä"])
def test_a_link_is_a_path_whatever_the_folder_is_called(tiny_run, tmp_path, name) -> None:
    other = shutil.copytree(tiny_run, tmp_path / name)
    written = write_report([tiny_run, other], load_plugins(), tmp_path / "all.html")
    for page, base in ((written, tmp_path), (other / "report.html", other)):
        links = [link for link in Page(page.read_text()).links if not link.startswith("#")]
        assert links
        for link in links:
            assert link.startswith("./")
            assert (base / unquote(link)).is_file(), link


def test_a_dollar_in_a_name_is_no_formula(tiny_run, tmp_path) -> None:
    other = shutil.copytree(tiny_run, tmp_path / "other")
    for run in (tiny_run, other):
        config = (run / "config.toml").read_text()
        (run / "config.toml").write_text(config.replace('"lightsout:size=2"', "'images:path=a$\\frac$b'"))
    facts = [read_facts(run) for run in (tiny_run, other)]
    assert r"a$\frac$b" in compare_page(facts, tmp_path / "cmp.html")
    epoch = {"epoch": 1, "phase": "joint", "validation_successor": 0.1, "successor": 0.1}
    assert r"$\frac$" in loss_curves([epoch, epoch | {"epoch": 2, "phase": r"$\frac$"}])
    row = summarise([plan_record(expansions=3)], optimal_planner=True)
    assert r"$\frac$" in (effort({r"$\frac$": row}) or "")


def test_the_command_writes_where_it_is_told(tiny_run, tmp_path) -> None:
    answer = cube("report", "run", "-o", "pages/one.html", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "pages/one.html\n"
    assert "./../run/domain.pddl" in Page((tmp_path / "pages" / "one.html").read_text()).links


def test_what_is_no_run_is_said_in_one_line(tmp_path) -> None:
    answer = cube("report", "nowhere", cwd=tmp_path)
    assert (answer.returncode, answer.stderr.count("\n")) == (3, 1)
    with pytest.raises(UsageError, match="at least one"):
        write_report([], load_plugins())


def test_damaged_files_are_named(tiny_run) -> None:
    (tiny_run / "results.json").write_text("[]")
    assert read_facts(tiny_run).results is None  # not what the stage wrote
    reseal(tiny_run, "evaluate", "results.json")
    with pytest.raises(InputError, match=r"results\.json"):
        read_facts(tiny_run)


def test_a_plan_of_another_model_is_not_shown_as_one_of_this(tiny_run) -> None:
    """Plans are kept as numbers of actions, which mean other actions after another extraction."""
    assert cube("diagnose", "run", "--states", "20", cwd=tiny_run.parent).returncode == 0
    assert {"plan", "verdicts", "diagnosis"} <= set(Page(write_report([tiny_run], load_plugins()).read_text()).ids)
    answer = cube("extract", "run", "--precondition", "static", cwd=tiny_run.parent)
    assert answer.returncode == 0, answer.stderr
    assert (tiny_run / "results.json").is_file()
    facts = read_facts(tiny_run)
    assert (facts.results, facts.diagnosis, facts.best, facts.planners) == (None, None, None, {})
    assert facts.extraction is not None
    assert facts.extraction.precondition == "static"
    text = write_report([tiny_run], load_plugins()).read_text()
    assert {"plan", "verdicts", "failures", "all", "diagnosis"}.isdisjoint(Page(text).ids)
    assert "fd-lmcut</b> found" not in text
    assert "data:image" not in cubespace.Run.load(tiny_run)._repr_html_()


def test_a_plan_whose_states_are_those_of_another_is_shown_without_frames(tiny_run) -> None:
    record = spoil(tiny_run, trace="of another plan")
    story = article(write_report([tiny_run], load_plugins()).read_text(), record)
    assert 'alt="the given initial picture"' in story
    assert 'alt="step ' not in story


@pytest.mark.parametrize(("steps", "wrong"), [(2, None), (14, 7), (15, 14), (30, None), (40, 0), (40, 39), (90, 44)])
def test_of_a_long_plan_the_ends_and_the_wrong_step_are_shown(tiny_run, steps, wrong) -> None:
    """A plan that goes there and back again, as often as it takes."""
    model = load_strips(tiny_run / "strips.npz")
    init = spoil(tiny_run)["plan"][0]
    back = next(
        row
        for row in range(model.actions)
        if (model.add[row] == model.delete[init]).all() and (model.delete[row] == model.add[init]).all()
    )
    plan = [init, back] * (steps // 2) + [init] * (steps % 2)
    record = spoil(tiny_run)
    folder = tiny_run / "problems" / record["problem"] / record["planner"]
    there = load_trace(folder / TRACE, record["trace"])[:2]
    trace = np.stack([there[step % 2] for step in range(steps + 1)])
    save_trace(folder / TRACE, trace)
    changes = {"trace": trace_digest(trace), "valid": wrong is None, "optimal": False, "wrong_step": wrong}
    record = spoil(tiny_run, plan=plan, **changes)
    story = article(write_report([tiny_run], load_plugins()).read_text(), record)
    shown = [int(step) for step in re.findall(r'alt="step (\d+)"', story)]
    skipped = sum(map(int, re.findall(r"… (\d+) more …", story)))
    assert shown == sorted(set(shown))
    assert len(shown) <= 16
    assert len(shown) + skipped == steps + 1
    assert {0, steps, *([] if wrong is None else [wrong])} <= set(shown)
    assert story.count('class="wrong"') == (wrong is not None)


def test_the_best_plan_comes_first(tiny_run) -> None:
    facts = read_facts(tiny_run)
    assert facts.best is not None
    assert verdict(facts.best) == "optimal"
    assert facts.leader in facts.planners
