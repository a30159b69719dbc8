"""Tables of the runs of a real matrix: any axis down or across, seeds together, shared stages once."""

import csv
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path

import attrs
import pytest
from tiny_matrix import InProcess, tiny_matrix

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import NoOptions
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.tables.best import best_of_seeds
from cubespace.experiments.tables.columns import Column, PlanCounts, Value
from cubespace.experiments.tables.efforts import efforts, known_fractions, loss_rows
from cubespace.experiments.tables.formats import FORMATS, as_csv, as_json, latex, markdown, put_beside
from cubespace.experiments.tables.measures import MEASURES
from cubespace.experiments.tables.rows import read_runs, varying_axes
from cubespace.experiments.tables.table import make_table

AXES = {"precondition": ["static", "values"], "planner": ["fd-lmcut", "fd-blind"], "seed": "0-1"}


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="cubespace-")
    assert MatrixRun.of(tiny_matrix(AXES), Path(folder.name) / "m").run(InProcess(NoOptions())).done == 8
    return folder


@pytest.fixture
def runs():
    return read_runs([Path(_made().name) / "m"])


def test_axes_that_are_neither_rows_nor_columns_are_aggregated(runs) -> None:
    table = make_table(runs)
    assert table.axes == ("precondition",)
    assert [heading.title for heading in table.headings] == [
        "fd-lmcut",
        "fd-blind",
        "recall",
        "wrong per state",
        "learning CPU s",
    ]
    first = table.values[0]
    assert first[0].counts == PlanCounts(found=6, valid=6, optimal=6, instances=6), "three problems of two seeds"
    assert len(first[2].numbers) == 2, "a model is counted once, however many planners use it"

    turned = make_table(
        runs, rows=["planner", "seed"], columns=["precondition"], values=["plans", "recall:min", "valid"]
    )
    assert [heading.title for heading in turned.headings][:2] == ["static", "values"]
    assert len(turned.rows) == 4
    assert turned.values[0][0].counts == PlanCounts(found=3, valid=3, optimal=3, instances=3)


def test_any_setting_can_be_an_axis(runs) -> None:
    table = make_table(runs, rows=["data.transitions"], columns=[], values=["plans", "training_seconds"])
    assert [dict(row) for row in table.rows] == [{"data.transitions": "600"}]
    assert table.values[0][0].counts == PlanCounts(found=24, valid=24, optimal=24, instances=24)
    assert len(table.values[0][1].numbers) == 2, "two trainings"
    with pytest.raises(InputError, match="no axis or setting 'sead'"):
        make_table(runs, rows=["sead"])


def test_plans_are_added_up_or_summarised_by_the_median_run(runs) -> None:
    optimal = iter((0, 3, 1) * 2)
    copies = [
        attrs.evolve(
            facts,
            results=attrs.evolve(
                facts.results,
                planners={
                    name: attrs.evolve(row, optimal=next(optimal)) for name, row in facts.results.planners.items()
                },
            ),
        )
        for facts in runs[:3]
    ]
    table = make_table(copies, rows=[], columns=[], values=["plans", "plans:median"])
    added, median = (value.counts for value in table.values[0])
    assert added == PlanCounts(found=9, valid=9, optimal=4, instances=9)
    assert median == PlanCounts(found=3, valid=3, optimal=1, instances=3)
    assert table.headings[1].title == "found/valid/optimal (median)"
    with pytest.raises(UsageError, match="plans are added up, or summarised by median"):
        make_table(runs, values=["plans:max"])


def test_the_best_of_the_seeds_is_chosen_by_the_validation_split_alone(runs) -> None:
    def trained(facts, validation: float, test: float):
        splits = {
            name: attrs.evolve(getattr(facts.measures, name), successor=loss, direct=loss, reconstruction=0.0)
            for name, loss in (("validation", validation), ("test", test))
        }
        return attrs.evolve(facts, measures=attrs.evolve(facts.measures, **splits))

    losses = {"0": (0.2, 0.01), "1": (0.1, 0.3)}
    copies = [trained(facts, *losses[facts.values["seed"]]) for facts in runs]
    assert [facts.values["seed"] for facts in best_of_seeds(copies)] == ["1"] * 4, (
        "precondition and planner differ, too"
    )
    assert copies[0].measures.validation.authors_loss == pytest.approx(0.3)
    assert best_of_seeds(runs) == runs, "places have no such loss: nothing is left out"


def test_every_measure_has_a_value(runs) -> None:
    table = make_table(runs, rows=["domain"], columns=[], values=list(MEASURES))
    empty = [
        heading.column.name for heading, value in zip(table.headings, table.values[0], strict=True) if not value.numbers
    ]
    searched = {"discriminator_f", "graph_recall", "graph_wrong"}  # of networks that are searched
    learned_actions = {"successor", "direct", "exact", "total", "validation"}
    assert set(empty) == searched | learned_actions  # neither is there with places


def test_who_learned_has_a_column_unless_it_is_the_same_for_all(runs) -> None:
    assert runs[0].learner is not None
    other = attrs.evolve(runs[0], learner=attrs.evolve(runs[0].learner, learner="piles"))
    table = make_table([other, *runs[1:]], rows=["precondition"], columns=[])
    assert table.caption == ""
    head, _, *lines = markdown(table).splitlines()
    assert head.startswith("| precondition | learner | found/valid/optimal |")
    assert [line.split(" | ")[1] for line in lines] == ["piles (auto); places (auto)", "places (auto)"]
    assert make_table([other, *runs[1:]], rows=["learner"]).headings[0].title == "fd-lmcut"
    assert [dict(row) for row in make_table(runs, rows=["learner"]).rows] == [{"learner": "places (auto)"}]


def test_a_table_says_where_effects_and_preconditions_come_from_and_how_much_was_trained(runs) -> None:
    table = make_table(runs, rows=["precondition"], columns=[], values=["updates:mean", "effects", "preconditions"])
    shown = [
        [heading.column.show(value) for heading, value in zip(table.headings, line, strict=True)]
        for line in table.values
    ]
    assert shown == [["0 (n=2)", "differences", "static"], ["0 (n=2)", "differences", "values"]]
    assert {"measure": "effects", "precondition": "static", "texts": "differences"} in table.records()


def test_searches_are_counted_by_how_they_ended(runs) -> None:
    outcomes = {"solved": 1, "unsolvable in the learned model": 2}
    copies = []
    for facts in runs:
        planners = {name: attrs.evolve(row, outcomes=outcomes) for name, row in facts.results.planners.items()}
        copies.append(attrs.evolve(facts, results=attrs.evolve(facts.results, planners=planners)))
    table = make_table(copies, rows=["planner"], columns=[], values=["exhausted", "out_of_time", "out_of_memory"])
    assert [[value.mean for value in line] for line in table.values] == [[2, 0, 0], [2, 0, 0]]
    assert [value.mean for value in make_table(runs, [], [], ["exhausted"]).values[0]] == [0]


def test_runs_without_a_matrix_have_the_axes_in_which_they_differ(runs) -> None:
    folders = [facts.run.path for facts in runs]
    assert varying_axes(read_runs(folders)) == ["precondition"]
    assert make_table(read_runs(folders)).values == make_table(runs).values


def test_every_format_is_read_back(runs) -> None:
    table = make_table(runs)
    caption, _, *lines = markdown(table).splitlines()
    assert caption == "Learner of all runs: places (auto)."
    assert lines[0].startswith("| precondition | fd-lmcut |")
    assert len(lines) == 4
    text = latex(table)
    assert text.startswith("% learner of all runs: places (auto)\n\\begin{tabular}{lrrrrr}\n\\toprule\n")
    assert text.count("\\\\") == 3
    assert "$\\pm$" in text
    records = json.loads(as_json(table))
    assert len(records) == len(list(csv.DictReader(as_csv(table).splitlines()))) == 2 * 5
    assert {record["measure"] for record in records} == {"plans", "recall", "wrong", "training_cpu_seconds"}
    assert set(FORMATS) == {"markdown", "latex", "csv", "json"}


def test_a_frame_has_a_line_for_each_value(runs) -> None:
    pytest.importorskip("pandas", reason="to_frame() needs pandas")
    frame = make_table(runs).to_frame()
    assert len(frame) == 10
    assert frame[frame.measure == "recall"]["mean"].max() <= 1


def test_columns_of_others_stand_beside(runs, tmp_path) -> None:
    (tmp_path / "paper.csv").write_text("precondition,paper\nstatic,30/29/13\n")
    _, _, *lines = markdown(put_beside(make_table(runs), tmp_path / "paper.csv")).splitlines()
    assert lines[0].startswith("| precondition | paper | fd-lmcut |")
    assert lines[2].startswith("| static | 30/29/13 | ")
    assert lines[3].startswith("| values | – | ")
    (tmp_path / "wrong.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="no column called precondition"):
        put_beside(make_table(runs), tmp_path / "wrong.csv")


@pytest.mark.parametrize(
    ("summary", "shown"),
    [
        ("", "0.5000 ± 0.7071"),
        (":min", "0.0000"),
        (":max", "1.0000"),
        (":range", "0.0000–1.0000"),
        (":mean", "0.5000"),
        (":median", "0.5000"),
    ],
)
def test_numbers_of_several_runs_are_summed_up(summary, shown) -> None:
    assert Column.parse(f"recall{summary}").show(Value(numbers=(0.0, 1.0))) == f"{shown} (n=2)"


def test_unknown_measures_and_summaries_are_named() -> None:
    with pytest.raises(UsageError, match="Did you mean 'recall'"):
        Column.parse("recal")
    with pytest.raises(UsageError, match="summarised by"):
        Column.parse("recall:mode")


def test_a_run_whose_stage_is_not_finished_shows_nothing_of_it(runs, tmp_path) -> None:
    copy = shutil.copytree(runs[0].run.path, tmp_path / "run")
    (copy / "results.json").write_text("{}")
    (facts,) = read_runs([copy])
    assert facts.results is None
    assert set(facts.stages) == {"data", "train", "extract"}
    assert make_table([facts]).values
    (copy / "manifest.json").unlink()
    with pytest.raises(InputError, match="none of these runs"):
        read_runs([copy])


def test_efforts_of_two_planners_are_paired_by_problem(runs) -> None:
    pairs = efforts(runs, "fd-blind", "expansions")
    assert list(pairs) == ["fd-lmcut"]
    assert len(pairs["fd-lmcut"]) == 3 * 2 * 2
    with pytest.raises(UsageError, match="no run was solved by fd-ms"):
        efforts(runs, "fd-ms", "expansions")


def test_what_plans_have_from_training_is_a_histogram(runs, tmp_path) -> None:
    from cubespace.report.many_plots import histogram, write_figure

    states, steps = (known_fractions(runs, key) for key in ("states", "transitions"))
    assert set(states) == set(steps) == {"fd-blind", "fd-lmcut"}
    assert all(0.0 <= fraction <= 1.0 for fractions in (*states.values(), *steps.values()) for fraction in fractions)
    figure = histogram({"one": [0.0, 0.05, 1.0], "two": [0.95]}, "known")
    first, second = figure.axes[0].containers
    assert [bar.get_height() for bar in first] == [2, *[0] * 8, 1]
    assert [bar.get_height() for bar in second][-1] == 1
    assert write_figure(figure, tmp_path / "known")


def test_plots_are_written_in_three_formats_the_same_every_time(runs, tmp_path) -> None:
    from cubespace.report.many_plots import bands, scatter, write_figure

    pairs = {**efforts(runs, "fd-blind", "expansions"), "other": [(1.0, None), (None, 5.0)]}
    written = write_figure(scatter(pairs, "one", "other"), tmp_path / "effort")
    again = write_figure(scatter(pairs, "one", "other"), tmp_path / "again" / "effort")
    assert [path.suffix for path in written] == [".svg", ".pdf", ".png"]
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in again]
    curves = {"one": [[{"x": 1.0}, {"x": 0.5}], [{"x": 2.0}, {"x": 0.1}]], "two": [[{"x": None}]]}
    assert len(write_figure(bands(curves, "x", "loss"), tmp_path / "loss")) == 3
    assert list(loss_rows(runs)) in ([], ["lightsout:size=2"]), "all share their training but for the seed"


@pytest.mark.parametrize("values", [(0.2, 0.15, 0.12), (1.0, 0.3, 0.2), (3.0, 0.01, 0.0002)])
def test_losses_have_numbers_on_their_axis_and_no_blank_third(values) -> None:
    from cubespace.report.many_plots import COLUMN, bands, cactus

    figure = bands({"one": [[{"x": value} for value in values]]}, "x", "loss")
    (axes,) = figure.axes
    figure.draw_without_rendering()
    low, high = axes.get_ylim()
    assert len([tick for tick in axes.get_yticks() if low <= tick <= high]) >= 2
    assert axes.get_position().width > 0.7
    assert figure.get_figwidth() == COLUMN
    assert len(cactus({"fd": [1.0, None, 30.0], "other": []}, "expansions").axes[0].lines) == 2


def test_plots_of_a_matrix_are_written_by_the_command(tmp_path) -> None:
    from cubespace.cli.commands import app

    words = ["--plots", str(tmp_path), "--against", "fd-blind", "--plot-width", "page", "-o", str(tmp_path / "t.md")]
    app(["tables", str(Path(_made().name) / "m"), *words], standalone_mode=False)
    names = {path.stem for path in tmp_path.glob("*.pdf")}
    efforts_and_counts = {"expansions", "search-time", "solved-by-expansions", "solved-by-time", "coverage"}
    assert names == {*efforts_and_counts, "known-states", "known-steps"}
    app(
        ["tables", str(Path(_made().name) / "m"), "--compare", "planner", "-o", str(tmp_path / "c.md")],
        standalone_mode=False,
    )
    assert "| valid | fd-lmcut | fd-blind | McNemar | 12 |" in (tmp_path / "c.md").read_text()
    with pytest.raises(UsageError, match="leave --rows"):
        app(["tables", str(Path(_made().name) / "m"), "--compare", "planner", "--rows", "seed"], standalone_mode=False)
