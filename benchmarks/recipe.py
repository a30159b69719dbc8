"""Put the runs of a matrix of examples/recipe among the rows of the default recipe, and print all of them.

    cube matrix examples/recipe/SECTION.toml -o runs/recipe/SECTION
    python benchmarks/recipe.py SECTION runs/recipe/SECTION
    python benchmarks/recipe.py                                       # only print again

A row is a run: the default recipe, without presets, with instances and states of a diagnosis from seeds that no tuning
has used. Writes results/recipe.json and recipe.md; rows of other runs stay, with the date on which they were made.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cubespace.base.files import read_json, write_json, write_text
from cubespace.experiments.matrix import read_matrix
from cubespace.experiments.tables.rows import RunFacts, read_runs
from cubespace.runs.folder.machine import environment

EXAMPLES = Path(__file__).parents[1] / "examples" / "recipe"
SECTIONS = tuple(sorted(path.stem for path in EXAMPLES.glob("*.toml")))
DIAGNOSIS_SEED = 90210  # used by nothing else
SHORTEST = ("fd-blind", "fd-lmcut", "fd-ms")  # planners that promise shortest plans
RESULTS = Path("results")
COLUMNS = ("data", "seed", "learner", "differences", "actions", "recall", "wrong per state")
LAST = ("CPU s", "instances of seed", "made")
Record = dict[str, Any]


def main() -> None:
    """Read the runs and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", nargs="?", choices=SECTIONS)
    parser.add_argument("folders", type=Path, nargs="*", help="of the matrix of the section, or of parts of it")
    arguments = parser.parse_args()
    file = RESULTS / "recipe.json"
    known = read_json(file) if file.is_file() else {"rows": []}
    assert isinstance(known, dict)
    made = []
    if arguments.section is not None:
        axes = [axis for axis in read_matrix(EXAMPLES / f"{arguments.section}.toml").values() if axis != "seed"]
        runs = [facts for facts in read_runs(arguments.folders) if facts.results is not None]
        made = [row(arguments.section, facts, axes) for facts in runs]
    records = joined(known["rows"], made)
    machine = {key: value for key, value in environment().items() if key != "date"} if made else known["machine"]
    write_json(file, {"diagnosis_seed": DIAGNOSIS_SEED, "machine": machine, "rows": records})
    about = (
        f"Diagnosis of seed {DIAGNOSIS_SEED}. Plans are found/valid/optimal; + joins two problems with one model. "
        f"CPU s is the time of all stages, searches included. The newest rows were made on {machine['processor']}, "
        f"{machine['cores']} cores; one thread per run."
    )
    command = "`cube matrix examples/recipe/SECTION.toml -o runs/recipe/SECTION`; `python benchmarks/recipe.py`"
    folded = f"<details><summary>Commands</summary>\n\n{command}\n\n</details>\n"
    text = f"# The recipe\n\n{exceptions(records)}\n\n{about}\n\n{folded}{table(records)}"
    write_text(RESULTS / "recipe.md", text)
    print(text)


def row(section: str, facts: RunFacts, axes: Sequence[str]) -> Record:
    """Return the record of a run."""
    assert facts.results is not None
    assert facts.learner is not None
    assert facts.extraction is not None
    planners, settings = facts.results.planners, facts.settings
    return {
        "section": section,
        "name": "-".join(facts.value(axis) for axis in axes),
        "domain": re.sub(r"=[^,]*/(?=[^,/])", "=", settings["domain"]),  # of paths, only the last part
        "seed": settings["train.seed"],
        "planners": list(planners),
        "problems": [["--length", str(settings["plan.length"]), "--instances", str(settings["plan.instances"])]],
        "learner": facts.learner.learner,
        "variables": facts.learner.variables,
        "differences": facts.extraction.differences,
        "actions": facts.extraction.actions,
        "recall": None if facts.diagnosis is None else facts.diagnosis.recall,
        "wrong": None if facts.diagnosis is None else facts.diagnosis.wrong,
        "plans": [f"{each.found}/{each.valid}/{each.optimal}" for each in planners.values()],
        "model": facts.results.model,
        "cpu_seconds": round(sum(stage.cpu_seconds for stage in facts.stages.values()), 1),
        "instance_seed": settings["plan.seed"],
        "date": time.strftime("%Y-%m-%d"),
    }


def joined(known: Iterable[Record], made: Sequence[Record]) -> list[Record]:
    """Return all rows; those that were made replace older ones of the same name, or of the name without its problem."""
    new = {_key(each) for each in made}

    def replaced(old: Record) -> bool:
        section, name, seed = _key(old)
        return (section, name, seed) in new or any(
            section == other and seed == of and each.startswith(f"{name}-") and " + " in old["plans"][0]
            for other, each, of in new
        )

    return sorted([*(each for each in known if not replaced(each)), *made], key=_key)


def exceptions(records: Sequence[Record]) -> str:
    """Return which rows are not exact: what a reader should see first."""
    wrong = [
        f"{each['section']} {each['name']}, seed {each['seed']} ({', '.join(said)})"
        for each in records
        if (said := _flaws(each))
    ]
    count = f"{len(wrong)} of {len(records)} rows"
    what = "lack a plan, have one that is wrong or not shortest where that is promised, or a model that is not exact"
    return (
        f"**Exceptions:** {count} {what}: {'; '.join(wrong)}." if wrong else f"No exceptions: no row of {len(records)}."
    )


def _flaws(each: Record) -> list[str]:
    """Return what is wrong with a row: plans by planners that promise shortest ones, missing and wrong moves."""
    said = []
    for name, text in zip(each["planners"], each["plans"], strict=True):
        counts = [part.split("/") for part in text.split(" + ")]
        if name in SHORTEST and any(len(set(count)) > 1 or count[0] == "0" for count in counts):
            said.append(f"{name} {text}")
    for key in ("recall", "wrong"):
        value, right = each[key], 1.0 if key == "recall" else 0.0
        if value is not None and f"{value:.4f}" != f"{right:.4f}":
            said.append(f"{key} {value:.4f}")
    return said


def table(records: Sequence[Record]) -> str:
    """Return all records as tables in Markdown, one per section."""
    lines = []
    for section in dict.fromkeys(record["section"] for record in records):
        some = [record for record in records if record["section"] == section]
        planners = max((record["planners"] for record in some), key=len)
        lines += [f"\n## {section}\n", f"| {' | '.join((*COLUMNS, *planners, *LAST))} |"]
        lines.append("|" + "---|" * (len(COLUMNS) + len(planners) + len(LAST)))
        lines += [f"| {' | '.join(map(str, _cells(record, planners)))} |" for record in some]
    return "\n".join(lines) + "\n"


def _cells(record: Record, planners: Sequence[str]) -> list[object]:
    plans = [record["plans"][record["planners"].index(name)] if name in record["planners"] else "" for name in planners]
    other = record.get("model") or "learned"  # what was planned with and diagnosed
    learner = record["learner"] + (f", {other}" if other != "learned" else "")
    diagnosed = ["–" if record[key] is None else f"{record[key]:.4f}" for key in ("recall", "wrong")]
    figures = (record["differences"], record["actions"], *diagnosed)
    last = (record["cpu_seconds"], record.get("instance_seed", "–"), record.get("date", "–"))
    return [record["name"], record["seed"], learner, *figures, *plans, *last]


def _key(record: Record) -> tuple[str, str, int]:
    return record["section"], record["name"], record["seed"]


if __name__ == "__main__":
    main()
