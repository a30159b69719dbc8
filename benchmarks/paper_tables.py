"""Print the tables of examples/paper from the folder of a matrix, the paper's own figures beside them, into results/.

python benchmarks/paper_tables.py NAME FOLDER... [--output results]

NAME is that of a file in examples/paper; a folder is that of a matrix, or of a part of one that was run by itself.
Nothing is trained or solved: missing results stay empty.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from cubespace.base.files import read_json, write_text
from cubespace.experiments.matrix import read_matrix
from cubespace.experiments.tables.formats import as_json, markdown, put_beside
from cubespace.experiments.tables.rows import RunFacts, read_runs
from cubespace.experiments.tables.table import Table, make_table
from cubespace.runs.folder.machine import environment

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "paper"
NETWORK = ["exact:median", "exact:min", "total:median", "total:max", "plans:median", "plans"]
# by name: axes that go down, axes that go across, and what is shown
LAYOUTS = {
    "parts": (["domain", "variant"], ["planner"], ["plans", "effects", "actions", "recall", "wrong", "exact", "total"]),
    "table1": (["domain", "variant"], [], ["total", "reconstruction", "successor", "direct", "exact", "effects"]),
    "table1-plain": (["domain", "variant"], [], ["total", "reconstruction", "successor", "direct", "exact", "effects"]),
    "table2": (["domain", "variant"], ["planner"], ["plans", "recall", "wrong"]),
    "ama2": (
        ["domain", "variant"],
        ["planner"],
        ["plans", "expansions", "search_seconds", "direct", "discriminator_f", "graph_recall", "graph_wrong"],
    ),
    "ama2-plain": (
        ["domain", "variant"],
        ["planner"],
        ["plans", "expansions", "search_seconds", "exact", "direct", "discriminator_f", "graph_recall", "graph_wrong"],
    ),
    "network": (
        ["domain", "variant"],
        ["planner"],
        [*NETWORK, "recall:median", "wrong:median", "training_cpu_seconds:max"],
    ),
    "network-apply": (
        ["domain", "apply"],
        ["planner"],
        [*NETWORK, "differences:median", "recall:median", "wrong:median", "training_cpu_seconds:max"],
    ),
    "network-preconditions": (
        ["domain", "variant"],
        ["planner"],
        ["plans", "recall:median", "recall:min", "wrong:median", "wrong:max"],
    ),
    "network-parts": (
        ["domain", "variant"],
        ["planner"],
        [*NETWORK, "differences:median", "training_cpu_seconds:max"],
    ),
    "network-others": (
        ["domain"],
        ["planner"],
        ["exact", "total", "differences", "plans", "recall", "wrong", "training_cpu_seconds"],
    ),
    "hanoi": (["variant"], ["planner"], ["plans", "recall", "wrong"]),
    "effort": (["domain"], ["planner"], ["plans", "expansions", "search_seconds", "known_states", "known_steps"]),
    "distances": (["plan.length"], ["planner"], ["plans", "expansions", "search_seconds"]),
    "followup": (["domain"], ["planner"], ["plans", "exhausted", "search_seconds", "recall", "wrong"]),
}


def main() -> None:
    """Print one table and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(LAYOUTS))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, default=ROOT / "results")
    arguments = parser.parse_args()
    axes = read_matrix(EXAMPLES / f"{arguments.name}.toml").values()
    down = [axis for axis in LAYOUTS[arguments.name][0] if axis in axes]
    runs = [facts for facts in read_runs(arguments.folders) if facts.stages]
    runs.sort(key=lambda facts: [list(map(str, axes[axis])).index(facts.value(axis)) for axis in down])
    table = make_table(runs, *LAYOUTS[arguments.name])
    text = page(arguments.name, runs, table)
    write_text(arguments.output / f"paper-{arguments.name}.md", text)
    write_text(arguments.output / f"paper-{arguments.name}.json", as_json(table) + "\n")
    print(text)


def page(name: str, runs: list[RunFacts], table: Table) -> str:
    """Return the table, the paper's figures beside it, with what a reader must know about it."""
    printed = EXAMPLES / "printed" / f"{name}.csv"
    if printed.is_file():
        table = put_beside(table, printed)
    matrix = read_matrix(EXAMPLES / f"{name}.toml")
    seeds, instances = (
        ", ".join(sorted({str(facts.settings[key]) for facts in runs})) for key in ("train.seed", "plan.seed")
    )
    machine = environment()
    return "\n".join(
        [
            f"# Of the paper's evaluation: {name}",
            "",
            " ".join(matrix.about.split()),
            "",
            f"`python benchmarks/paper_tables.py {name} RUNS`, printed {time.strftime('%Y-%m-%d')}; "
            f"{machine['processor']}, {machine['cores']} cores, one thread per process, a busy machine; "
            f"seeds of data and training {seeds}, of instances {instances}; "
            f"{seconds(runs) / 60:.0f} minutes of work in all stages together.",
            "",
            markdown(table),
            "",
        ]
    )


def seconds(runs: list[RunFacts]) -> float:
    """Return the time that all stages of all runs took; a stage that several runs share counts once."""
    found: dict[str, float] = {}
    for facts in runs:
        manifest = read_json(facts.run.file("manifest.json"))
        stages = manifest.get("stages", manifest) if isinstance(manifest, dict) else {}
        for stage, record in stages.items():
            if isinstance(record, dict) and "seconds" in record:
                found[f"{stage} {sorted(record['files'].items())}"] = float(record["seconds"])
    return sum(found.values())


if __name__ == "__main__":
    sys.exit(main())
