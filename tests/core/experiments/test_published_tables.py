"""Tables for a paper: every figure is computed again from the records, and LaTeX has no error of syntax."""

import re
import shutil
import subprocess
import tempfile
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev

import pytest
from invented_runs import INSTANCES, PLANNERS, VARIANTS, invented, of, unfinished
from tiny_matrix import InProcess, tiny_matrix

from cubespace.base.errors import UsageError
from cubespace.base.options import NoOptions
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.tables.efforts import coverages, effort_lists
from cubespace.experiments.tables.formats import latex, markdown
from cubespace.experiments.tables.paired import compare
from cubespace.experiments.tables.rows import read_runs
from cubespace.experiments.tables.table import make_table

VALUES = ["plans", "valid", "valid:interval", "recall", "expansions"]


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="cubespace-")
    MatrixRun.of(tiny_matrix({"planner": ["pyperplan-bfs"]}), Path(folder.name) / "m").run(InProcess(NoOptions()))
    return folder


@pytest.fixture
def runs():
    (real,) = read_runs([Path(_made().name) / "m"])
    return invented(real)


def records(run):
    return next(iter(run.results.planners.values())).records


def wilson_again(share: float, number: int) -> tuple[float, float]:
    """The roots of (p - share)² = z² p (1 - p) / n, another way to the same interval."""
    z = 1.959964
    a, b, c = 1 + z * z / number, -(2 * share + z * z / number), share * share
    root = (b * b - 4 * a * c) ** 0.5
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def lines_of(text: str) -> list[list[str]]:
    """Return the cells of the lines between the rules of a tabular."""
    body = text[text.index(r"\midrule") + 9 : text.index(r"\bottomrule")]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))] for line in body.strip().splitlines()
    ]


def test_every_figure_of_a_latex_table_is_that_of_the_records(runs) -> None:
    text = latex(make_table(runs, rows=["precondition", "planner"], columns=[], values=VALUES))
    refuse_wrong_latex(text)
    lines = lines_of(text)
    assert len(lines) == len(VARIANTS) * len(PLANNERS)
    solved_by_all = set.intersection(
        *(
            {(run.values["seed"], record.problem) for run in group for record in records(run) if record.found}
            for group in (of(runs, precondition=v, planner=p) for v in VARIANTS for p in PLANNERS)
        )
    )
    assert solved_by_all
    for variant, planner, plans, valid, interval, recall, expansions in lines:
        group = of(runs, precondition=variant, planner=planner.replace("\\", ""))
        every = [record for run in group for record in records(run)]
        found, right = (sum(bool(getattr(record, name)) for record in every) for name in ("found", "valid"))
        assert plans == f"{found}/{right}/0 of {5 * INSTANCES}"
        shares = [mean(bool(record.valid) for record in records(run)) for run in group]
        assert valid == rf"{mean(shares):.3f} $\pm$ {stdev(shares):.3f} (n=5)"
        low, high = wilson_again(right / len(every), len(every))
        assert interval == f"{right / len(every):.3f} [{low:.3f}, {high:.3f}] (n=5)"
        recalls = [run.diagnosis.recall for run in group]
        assert recall == rf"{mean(recalls):.4f} $\pm$ {stdev(recalls):.4f} (n=5)"
        by_run = [
            [r.expansions for r in records(run) if (run.values["seed"], r.problem) in solved_by_all] for run in group
        ]
        means = [mean(each) for each in by_run if each]
        number = sum(map(len, by_run))
        assert number == len(solved_by_all)
        assert expansions == rf"{mean(means):.1f} $\pm$ {stdev(means):.1f} (n={len(means)}, {number} problems)"


def test_a_deviation_is_of_seeds_alone(runs) -> None:
    mixed = make_table(runs, rows=["precondition"], columns=[], values=["recall", "valid"])
    for variant, recall, valid in lines_of(latex(mixed)):
        recalls = [run.diagnosis.recall for run in of(runs, precondition=variant, planner=PLANNERS[0])]
        assert recall == rf"{mean(recalls):.4f} $\pm$ {stdev(recalls):.4f} (n=5)", "a planner does not change a model"
        assert re.fullmatch(r"0\.\d{3} \(n=15, 3 settings\)", valid), "planners are no sample"


def test_what_is_not_done_is_counted_where_it_is_missing(runs) -> None:
    half = [unfinished(run) if run.values["seed"] == "4" else run for run in of(runs, precondition="static")]
    rest = of(runs, precondition="values")
    lines = lines_of(latex(make_table([*half, *rest], ["precondition"], ["planner"], ["plans", "recall"])))
    assert all(cell.endswith("of 48 (n=4 of 5)") for cell in lines[0][1:4])
    assert lines[0][4].endswith("(n=4 of 5)")
    assert all(cell.endswith("of 60") for cell in lines[1][1:4])
    assert lines[1][4].endswith("(n=5)")


def test_means_may_be_over_what_each_planner_solved(runs) -> None:
    table = make_table(runs, ["planner"], [], ["expansions"], "solved")
    for planner, shown in lines_of(latex(table)):
        solved = [r for run in of(runs, planner=planner.replace("\\", "")) for r in records(run) if r.found]
        assert shown.endswith(f", 2 settings, {len(solved)} problems)")


def test_paired_tests_are_over_common_problems_and_common_models(runs) -> None:
    found = compare(runs, "precondition", ["valid", "expansions", "recall"]).tests
    by_measure = {test.measure: test for test in found}
    verdicts = {
        variant: {
            (run.values["seed"], run.values["planner"], r.problem): r
            for run in of(runs, precondition=variant)
            for r in records(run)
        }
        for variant in VARIANTS
    }
    pairs = [(one, verdicts["values"][key]) for key, one in verdicts["static"].items()]
    valid = by_measure["valid"]
    assert valid.pairs == len(pairs) == 180
    assert valid.only_a == sum(bool(a.valid) > bool(b.valid) for a, b in pairs)
    assert valid.only_b == sum(bool(b.valid) > bool(a.valid) for a, b in pairs)
    assert valid.p < 0.05, "the second variant solves more"
    both = [(a.expansions, b.expansions) for a, b in pairs if a.found and b.found]
    assert by_measure["expansions"].pairs == len(both)
    assert by_measure["expansions"].mean_a == pytest.approx(mean(a for a, _ in both))
    assert by_measure["recall"].test == "signs, models"

    three = compare(runs, "planner").tests
    assert [(test.a, test.b) for test in three] == list(combinations(PLANNERS, 2))
    assert all(test.p <= test.corrected <= 1 for test in three)
    with pytest.raises(UsageError, match="only the value"):
        compare(of(runs, precondition="static"), "precondition")
    refuse_wrong_latex(latex(compare(runs, "planner")))
    assert markdown(compare(runs, "planner")).count("| McNemar |") == 3


def test_coverage_and_efforts_have_a_label_for_each_planner_and_variant(runs) -> None:
    known = coverages(runs)
    assert len(known) == len(effort_lists(runs, "expansions")) == 6
    first = known["fd-blind, static"]
    assert first.problems == 60
    assert first.low < first.fraction < first.high


def refuse_wrong_latex(text: str) -> None:
    """Fail if a tabular has an error that TeX would find: characters, braces, environments, numbers of columns."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert code.isascii(), "a character that plain LaTeX does not know"
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", code)
    assert re.findall(r"\\(begin|end)\{(\w+)\}", code) == [("begin", "tabular"), ("end", "tabular")]
    rules = [rf"\{name}rule" for name in ("top", "mid", "bottom")]
    lines = code.splitlines()[1:-1]
    assert [line for line in lines if line.endswith("rule")] == rules
    for line in (line for line in lines if not line.endswith("rule")):
        assert line.endswith(r"\\")
        plain = re.sub(r"\\[&%$#_{}]", "x", line.removesuffix(r"\\"))
        assert plain.count("&") == len(columns) - 1
        assert plain.count("{") == plain.count("}")
        assert plain.count("$") % 2 == 0
        outside = re.sub(r"\$[^$]*\$", "", plain)
        assert not re.search(r"[#%_^~<>|]", outside), outside
        assert set(re.findall(r"\\[a-z]+", plain)) <= {r"\pm", r"\textbackslash", r"\dots"}
        assert not line.startswith(("[", "*")), "it would be an argument of the line break before"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex (Debian: texlive-latex-recommended)")
def test_a_latex_table_compiles(runs, tmp_path) -> None:
    tables = [make_table(runs, ["precondition"], ["planner"], VALUES), compare(runs, "planner")]
    body = "\n\n".join(map(latex, tables))
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "table.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout[-2000:]
