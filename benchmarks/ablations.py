"""What each part of the recipe is worth: the full recipe, and the same with one part taken away.

    python benchmarks/ablations.py [--mandrill PICTURE] [--trained runs/table2] [--only extraction] [--jobs 2]

Some rows need a training of their own, the others only another extraction from the training of the full recipe, which
is copied from ``--trained`` if table2.py has done it there with the same settings. Each cell is one process with one
thread, ``--jobs`` of them side by side. The same command goes on: what is finished is kept in JSON files beside the run
folders and not done again as long as the settings are the same; a changed program needs another ``--folder``. Rows that
were not done yet are left out. Writes results/ablations.json and results/ablations.md after each row.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import attrs
from processes import cube, domain_spec, kept, train_minutes

from cubespace.base.files import read_json, write_json, write_text
from cubespace.runs.folder import RunFolder, environment
from cubespace.settings.run_config import RunConfig, dump_toml, load_config, parse_settings

DOMAINS = ("mnist", "mandrill", "spider", "photo", "lightsout", "twisted", "hanoi")
PRESETS = {"hanoi": "piles"}  # the others use the recipe as it is
TABLE2 = {"hanoi": "hanoi9-piles"}  # names of runs there that are not the domain's
SEED = 0
STATES = 3000
DIAGNOSE = ("--states", str(STATES), "--seed", "1")
MANIFEST = "manifest.json"
COLUMNS = (  # title, where the value stands in a row, how it is printed
    ("distinct differences", "extraction", "differences", "d"),
    ("covered", "measures", "covered", ".4f"),
    ("recall", "diagnosis", "recall", ".4f"),
    ("wrong per state", "diagnosis", "wrong", ".4f"),
)


@attrs.frozen(kw_only=True)
class Ablation:
    """The recipe with one part taken away."""

    name: str
    without: str  # what is taken away, and what takes its place
    settings: tuple[str, ...] = ()  # KEY=VALUE

    @property
    def trains(self) -> bool:
        """Return whether it needs a training of its own, and not only another extraction."""
        return any(not setting.startswith("extract.") for setting in self.settings)


FULL = Ablation(name="full", without="nothing: the full recipe")
ABLATIONS = (
    FULL,
    Ablation(
        name="static",
        without="all choice of literals: every one that held in all examples is needed, the paper's rule",
        settings=("extract.precondition=static",),
    ),
    Ablation(
        name="significant",
        without="the network's doubts: the effect's own literals, and static ones that chance does not explain",
        settings=("extract.precondition=significant",),
    ),
    Ablation(
        name="no-more-states",
        without="states made by the actions: tried only in those of the training",
        settings=("extract.precondition=counterexamples:more=0",),
    ),
    Ablation(
        name="no-splits",
        without="splits: one conjunction per action",
        settings=("extract.precondition=counterexamples:splits=0",),
    ),
    Ablation(
        name="no-shades",
        without="the look at shades and patches: a picture is doubted only for its bits",
        settings=("extract.precondition=counterexamples:unseen=1",),
    ),
    Ablation(
        name="no-mixed",
        without="literals that exclude many good steps too, where the examples miss those by no chance",
        settings=("extract.precondition=counterexamples:mixed=1e-30",),
    ),
    Ablation(
        name="no-rare",
        without="the suspicion of actions that are seen more rarely than their preconditions hold",
        settings=("extract.precondition=counterexamples:rare=0",),
    ),
    Ablation(
        name="network-effects",
        without="differences as effects: those of the labels that the rewritten network gives",
        settings=("extract.effects=network",),
    ),
    Ablation(
        name="no-consolidation",
        without="consolidation: no unstable bit is held constant, no stray transition made to agree",
        settings=("train.consolidation.rounds=0",),
    ),
    Ablation(
        name="deep-encoder", without="the shallow encoder: two hidden layers", settings=("model.encoder=mlp:depth=2",)
    ),
    Ablation(
        name="deep-decoder", without="the shallow decoder: two hidden layers", settings=("model.decoder=mlp:depth=2",)
    ),
    Ablation(name="no-zero-suppress", without="sparse bits", settings=("train.losses.zero_suppress=0",)),
    Ablation(name="no-direct", without="the direct loss", settings=("train.losses.direct=0",)),
    Ablation(
        name="no-rewrite",
        without="the rewritten nets: labels and effects as gradient descent alone learned them",
        settings=("train.rewrite=off", "extract.effects=network"),
    ),
)


class LeftOutError(Exception):
    """A row that is neither wanted nor known."""


def main(words: Sequence[str] | None = None) -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", nargs="+", default=["mnist", "mandrill"], choices=DOMAINS)
    parser.add_argument(
        "--mandrill", metavar="PICTURE", help="the mandrill; without it, an installed copy is looked for"
    )
    parser.add_argument("--only", choices=("extraction", "training"), help="of the rows that are not done yet")
    parser.add_argument("--trained", type=Path, metavar="FOLDER", help="the folder of table2.py; only read")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("runs/ablations"))
    parser.add_argument("--output", type=Path, default=Path("results/ablations"))
    arguments = parser.parse_args(words)
    head = {"command": " ".join(["python", *sys.argv]), "seed": SEED, "environment": environment()}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for part in (ABLATIONS[:1], ABLATIONS[1:]):  # the full recipe first: extractions start from its training
            cells = list(product(part, arguments.domains))
            for row in pool.map(lambda cell: measure(cell[0], cell[1], arguments), cells):
                if row is None:
                    continue
                rows[row["domain"], row["name"]] = row
                order = [(domain, ablation.name) for domain in arguments.domains for ablation in ABLATIONS]
                result = {**head, "rows": [rows[cell] for cell in order if cell in rows]}
                write_json(arguments.output.with_suffix(".json"), result)
                write_text(arguments.output.with_suffix(".md"), markdown(result))
    print(markdown(result))


def measure(ablation: Ablation, domain: str, arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Fill a row of a domain, or return None if it is not known and not wanted now."""
    full = arguments.folder / f"{domain}-s{SEED}"
    folder = full if ablation is FULL else full.with_name(f"{full.name}-{ablation.name}")
    trained = f"{TABLE2.get(domain, domain)}-s{SEED}"
    known = arguments.trained and arguments.trained / trained if ablation is FULL else full
    pairs = settings(ablation, domain, arguments.mandrill)
    preset = PRESETS.get(domain)
    config = load_config(None, parse_settings(pairs), preset)
    wanted = ablation is FULL or arguments.only in (None, "training" if ablation.trains else "extraction")
    trains = ablation is FULL or ablation.trains
    work = partial(learn, folder, pairs, preset, known, trains) if wanted else leave_out
    try:
        answer = kept(folder.with_name(f"{folder.name}.json"), f"{config.key('extract')} {' '.join(DIAGNOSE)}", work)
    except LeftOutError:
        return None
    except subprocess.CalledProcessError as error:
        answer = {"failed": f"exit code {error.returncode}, see {folder.with_suffix('.log')}"}
    return {"domain": domain, **attrs.asdict(ablation), "trains": ablation.trains, **answer}


def leave_out() -> dict[str, Any]:
    """Stand for the work on a row that is not wanted."""
    raise LeftOutError


def settings(ablation: Ablation, domain: str, mandrill: str | None) -> list[str]:
    """Return all settings that are not the recipe's, as KEY=VALUE."""
    seeds = [f"{stage}.seed={SEED}" for stage in ("data", "train", "extract")]
    return [f"domain={domain_spec(domain, mandrill)}", *seeds, *ablation.settings]


def learn(folder: Path, pairs: list[str], preset: str | None, known: Path | None, trains: bool) -> dict[str, Any]:
    """Take over a training or, if it ``trains``, do it, then extract and diagnose, and gather what was found."""
    options = [word for pair in pairs for word in ("--set", pair)]
    if known is not None:
        adopt(known, folder, load_config(None, parse_settings(pairs), preset))
    if trains:
        cube(folder, "train", "-o", str(folder), *(["--preset", preset] if preset else []), *options)
    extraction = cube(folder, "extract", str(folder), *options)
    return {
        "train_minutes": train_minutes(folder),
        "measures": json.loads((folder / "measures.json").read_text())["test"],
        "extraction": {key: value for key, value in extraction.items() if key != "run"},
        "diagnosis": cube(folder, "diagnose", str(folder), *DIAGNOSE),
    }


def adopt(known: Path, folder: Path, config: RunConfig) -> None:
    """Copy data and training from another run folder if they come from the same settings; later stages are left."""
    if (folder / MANIFEST).exists() or not (known / "config.toml").is_file():
        return
    run = RunFolder.load(known)
    same = run.config.key("train") == config.key("train")
    manifest = read_json(known / MANIFEST) if same and run.finished("data") and run.finished("train") else None
    if not isinstance(manifest, dict):
        return
    folder.mkdir(parents=True, exist_ok=True)
    stages = {stage: manifest[stage] for stage in ("data", "train")}
    for name in (name for stage in stages.values() for name in stage["files"]):
        shutil.copyfile(known / name, folder / name)
    write_text(folder / "config.toml", dump_toml(config))
    write_json(folder / MANIFEST, stages)  # last, so that a broken-off copy is begun anew


def markdown(result: dict[str, Any]) -> str:
    """Return the table as people read it."""
    machine = result["environment"]
    full = {row["domain"]: row for row in result["rows"] if row["name"] == FULL.name and "failed" not in row}
    lines = [
        f"`{result['command']}`, seed {result['seed']}, {machine['date']}, {machine['processor']}, one thread per "
        "process. In brackets: how much it differs from the full recipe, where it does.",
        "",
        f"| domain | without | settings | {' | '.join(title for title, *_ in COLUMNS)} |",
        f"|---|---|---|{'---|' * len(COLUMNS)}",
        *(line(row, full.get(row["domain"])) for row in result["rows"]),
        "",
        "Distinct differences are those of the training split; covered is the rate of transitions of the test split "
        "whose difference is among them. Both depend on the training alone. Recall is the rate of true moves, from "
        f"{STATES:,} fresh states, that the learned model has; wrong per state, how many successors it has there that "
        "are none.",
    ]
    return "\n".join([*lines, ""])


def line(row: dict[str, Any], full: dict[str, Any] | None) -> str:
    """Return a row as a line of Markdown."""
    preset = PRESETS.get(row["domain"])
    domain = f"{row['domain']}, preset `{preset}`" if preset else row["domain"]
    names = [domain, row["without"], ", ".join(f"`{setting}`" for setting in row["settings"]) or "-"]
    if "failed" in row:
        return f"| {' | '.join([*names, row['failed']])} |"
    cells = []
    for _, part, key, form in COLUMNS:
        value, usual = row[part][key], (full or row)[part][key]
        cells.append(f"{value:{form}}" + (f" ({value - usual:+{form}})" if value != usual else ""))
    return f"| {' | '.join([*names, *cells])} |"


if __name__ == "__main__":
    main()
