"""Print the tables of examples/paper from the folder of a matrix, the paper's own figures beside them, into results/.

python benchmarks/paper_tables.py NAME FOLDER... [--output results]

NAME is that of a file in examples/paper; a folder is that of a matrix, or of a part of one that was run by itself.
Nothing is trained or solved: missing results stay empty. The JSON file says what was run, besides the records: how
long, how much was left out, with which seeds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import attrs
from paper_pages import Account, account, page

from cubespace.base.files import write_json, write_text
from cubespace.evaluation.summary import PlannerResults
from cubespace.experiments.matrix import read_matrix
from cubespace.experiments.tables.best import CAPTION, best_of_seeds
from cubespace.experiments.tables.formats import put_beside
from cubespace.experiments.tables.rows import RunFacts, read_runs
from cubespace.experiments.tables.table import Table, make_table

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "paper"
LOSSES = ("total", "reconstruction", "successor", "direct", "exact", "differences")
TRAINED = ("exact", "exact:min", "total", "total:max", "plans:median", "plans")
BOTH_JUDGES = ("plans", "authors_plans", "out_of_time:sum")


@attrs.frozen(kw_only=True)
class Layout:
    """What a table shows: axes that go down, measures; and whether the best of the seeds has a table of its own."""

    down: tuple[str, ...] = ("domain", "variant")
    values: tuple[str, ...]
    best: bool = False

    @property
    def across(self) -> list[str]:
        """Return the planner, if a measure depends on it."""
        return ["planner"] if any("plans" in value for value in self.values) else []


AMA2 = ("plans", "expansions", "search_seconds", "out_of_time:sum")
GRAPH = ("direct", "discriminator_f", "graph_recall", "graph_wrong")
LAYOUTS = {
    "paper-whole": Layout(down=("domain",), values=(*LOSSES, "validation", *BOTH_JUDGES, "recall", "wrong"), best=True),
    "hypotheses": Layout(down=("variant",), values=(*LOSSES, *BOTH_JUDGES, "training_cpu_seconds")),
    "parts": Layout(
        values=("plans", "out_of_time:sum", "effects", "differences", "actions", "recall", "wrong", "exact", "total")
    ),
    "table1": Layout(values=LOSSES),
    "table1-plain": Layout(values=LOSSES),
    "table2": Layout(values=(*BOTH_JUDGES, "recall", "wrong", "exact", "total")),
    "ama2": Layout(values=(*AMA2, *GRAPH)),
    "ama2-plain": Layout(values=(*AMA2, "exact", *GRAPH)),
    "network": Layout(values=(*TRAINED, "out_of_time:sum", "recall", "wrong", "training_cpu_seconds:max")),
    "network-apply": Layout(
        down=("domain", "apply"),
        values=(*TRAINED, "out_of_time:sum", "differences", "recall", "wrong", "training_cpu_seconds:max"),
    ),
    "network-preconditions": Layout(
        values=("plans", "plans:median", "out_of_time:sum", "recall", "recall:min", "wrong", "wrong:max")
    ),
    "network-parts": Layout(values=(*TRAINED, "out_of_time:sum", "differences", "training_cpu_seconds:max")),
    "network-others": Layout(
        down=("domain",),
        values=("exact", "total", "differences", "plans", "out_of_time:sum", "recall", "wrong", "training_cpu_seconds"),
    ),
    "hanoi": Layout(down=("variant",), values=(*BOTH_JUDGES, "exact", "total", "recall", "wrong")),
    "board15": Layout(down=("variant",), values=(*LOSSES, *BOTH_JUDGES, "recall", "wrong")),
    "effort": Layout(
        down=("domain",),
        values=("plans", "out_of_time:sum", "expansions", "search_seconds", "known_states", "known_steps"),
    ),
    "distances": Layout(down=("plan.length",), values=("plans", "expansions", "search_seconds", "out_of_time:sum")),
    "followup": Layout(
        down=("domain",), values=("plans", "exhausted", "out_of_time:sum", "search_seconds", "recall", "wrong")
    ),
}


def main() -> None:
    """Print one table and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(LAYOUTS))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, default=ROOT / "results")
    arguments = parser.parse_args()
    name, layout = arguments.name, LAYOUTS[arguments.name]
    matrix = read_matrix(EXAMPLES / f"{name}.toml")
    axes = matrix.values()
    every = read_runs(arguments.folders)
    runs = [facts for facts in every if facts.stages]
    runs.sort(key=lambda facts: [list(map(str, axes[axis])).index(facts.value(axis)) for axis in layout.down])
    down = {axis: axes[axis] for axis in layout.down}
    said = account(runs, len(every), down, f"python benchmarks/paper_tables.py {name} RUNS")
    tables = [table_of(name, layout, runs)]
    if layout.best:
        tables.append(attrs.evolve(table_of(name, layout, best_of_seeds(runs)), caption=CAPTION))
    stem = name if name.startswith("paper-") else f"paper-{name}"
    text = page(name, matrix.about, said, tables)
    write_text(arguments.output / f"{stem}.md", text)
    write_json(arguments.output / f"{stem}.json", _record(said, tables))
    print(text)


def table_of(name: str, layout: Layout, runs: list[RunFacts]) -> Table:
    """Return the table, the paper's figures beside it; without the authors' verdicts if nobody asked for them."""
    values = list(layout.values)
    if not any(row.authors_valid is not None for row in _planners(runs)):
        values = [value for value in values if value != "authors_plans"]
    table = make_table(runs, list(layout.down), layout.across, values)
    printed = EXAMPLES / "printed" / f"{name}.csv"
    return put_beside(table, printed) if printed.is_file() else table


def _planners(runs: list[RunFacts]) -> list[PlannerResults]:
    return [row for facts in runs if facts.results is not None for row in facts.results.planners.values()]


def _record(said: Account, tables: list[Table]) -> dict[str, object]:
    best = {"best": tables[1].records()} if len(tables) > 1 else {}
    return {**attrs.asdict(said), "records": tables[0].records(), **best}


if __name__ == "__main__":
    sys.exit(main())
