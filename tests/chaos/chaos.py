"""Kills, signals, full disks, hostile files, faulty plugins and planners: what ``cube`` does when things go wrong.

    python tests/chaos/chaos.py [--seed 0] [--scale 1.0] [--only GROUP]… [--work FOLDER] [--output results/chaos]

Every case is made from the seed. A command runs in a forked child that has everything imported; about every third kill,
and all those at the start, hit a fresh interpreter. Required: a command that is continued gives the results of an
undisturbed run, byte for byte; every error is one line and a documented exit code; nothing hangs; no half-written file,
temporary folder or process is left; no code in a data file is run; limits of planners hold within a tenth.

With ``--work``, cases that were done there before with the same seed are not done again. A ``--scale`` below 1 does
fewer cases of each class. Some cases need Linux, some (small disks, devices) need root; otherwise they are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import pkgutil
import shlex
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from chaos_cases import (
    bundles,
    identity,
    kills,
    matrices,
    numbers,
    pages,
    places,
    planners,
    plugins,
    run_files,
    studio,
    typed_words,
    user_files,
)
from chaos_cases.harness import Case, Verdict, become_subreaper, keep_command_line, run_case
from chaos_cases.world import World

TITLES = {
    "kill": "kill -9 of `cube`, all stages",
    "killed search": "kill -9 of planner or supervisor",
    "signal": "SIGINT, SIGTERM, SIGHUP, all stages",
    "places": "full disk, read-only, odd folders, environment, closed outputs",
    "two at once": "two `cube` on one run, folder removed",
    "pictures": "pictures",
    "npz of the user": "npz of the user",
    "CSV of the user": "CSV of the user",
    "settings": "`--set`, domain strings, arguments, TOML",
    "model and checkpoint": "code.safetensors, checkpoint",
    "arrays of a run": "strips.npz, data.npz, bits.npz, traces",
    "tables of a run": "JSON files, metrics, lies of manifest and results",
    "links": "links in a run folder",
    "planner faults": "planner process faults, memory limits",
    "HTML": "HTML injection",
    "plugins": "plugins",
    "numbers": "numerics, odd sizes",
    "reproducibility": "reproducibility",
    "bundles": "bundles of strangers",
    "identity": "the user's pictures changed after a run",
    "studio": "requests to the studio",
    "matrix": "matrices with changed cells",
    "killed matrix": "kill -9 of the driver of a matrix",
    "tune": "tunings with changed files",
}
PROMISES = {
    "results lost or changed": ("lost", "changed"),
    "tracebacks": ("traceback",),
    "hangs": ("hang",),
    "litter": ("litter",),
    "orphans": ("orphan",),
    "wrong culprits": ("wrong culprit",),
    "code run": ("code run", "injected", "written through a link", "a device was replaced"),
    "limits beyond 10 %": ("limit",),
}
NEED_TRAINING = {"kill", "signal", "model and checkpoint", "reproducibility"}
SHOWN = 60  # failures that are listed

Work = Case | Callable[[Path], Verdict]


def main() -> None:
    """Run all cases, print the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="the fraction of the cases of each class that are done"
    )
    parser.add_argument("--only", action="append", default=[], choices=list(TITLES), help="one class; repeatable")
    parser.add_argument("--work", type=Path, help="where cases work and their verdicts are kept; on a fast disk")
    parser.add_argument("--output", type=Path, default=Path("results/chaos"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as temporary:
        work = (arguments.work or Path(temporary)).resolve()
        verdicts = list(run(work, arguments.seed, arguments.scale, arguments.only or list(TITLES)))
    result = summary(verdicts, arguments.seed)
    from cubespace.base.files import write_json, write_text

    write_json(arguments.output.with_suffix(".json"), result)
    text = markdown(result)
    write_text(arguments.output.with_suffix(".md"), text)
    print(text)
    sys.exit(0 if not any(row["failures"] for row in result["classes"]) else 1)


def run(work: Path, seed: int, scale: float, groups: Iterable[str]) -> Iterator[Verdict]:
    """Run the cases of some classes in a folder and yield their verdicts; existing verdicts are kept."""
    prepare()
    world = World(work / "runs")
    groups = list(groups)
    world.make("chosen", *(["trained"] if set(groups) & NEED_TRAINING else []))
    kept = work / f"verdicts-{seed}.jsonl"
    known = {}
    if kept.is_file():
        for line in kept.read_text("utf-8").splitlines():
            verdict = Verdict(**{**json.loads(line), "complaints": tuple(json.loads(line)["complaints"])})
            known[verdict.group, verdict.name] = verdict
    for group in groups:
        for name, case in cases(world, seed, scale, group):
            if (group, name) not in known:
                folder = work / "case"
                verdict = run_case(case, folder) if isinstance(case, Case) else case(folder)
                with kept.open("a") as file:
                    file.write(json.dumps(verdict.record()) + "\n")
                known[group, name] = verdict
                if verdict.complaints:
                    print(f"{group}: {name[:100]}: {'; '.join(verdict.complaints)[:200]}", file=sys.stderr, flush=True)
            yield known[group, name]


def prepare() -> None:
    """Import all that commands import later, so that every forked child has it, and keep to one thread."""
    os.environ["OMP_NUM_THREADS"] = "1"
    import matplotlib as mpl
    import torch
    from PIL import Image

    import cubespace
    from cubespace.plugins.catalogue import load_plugins

    mpl.use("agg")
    Image.init()
    torch.set_num_threads(1)
    ours = [module.name for module in pkgutil.walk_packages(cubespace.__path__, "cubespace.")]
    for name in (*ours, "typer._adapters"):  # the last is imported by the first command, and slow
        if not name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # an extra that is not installed
                importlib.import_module(name)
    keep_command_line()
    for named in load_plugins(()).components.values():
        for component in named.values():
            component.load()
    become_subreaper()


def cases(world: World, seed: int, scale: float, group: str) -> Iterator[tuple[str, Work]]:
    """Yield the cases of a class, by name."""

    def few(count: int) -> int:
        return max(1, round(scale * count))

    runs = {signal.SIGKILL: 12, signal.SIGINT: 1, signal.SIGTERM: 1, signal.SIGHUP: 1}
    if group in ("kill", "signal"):
        hits = kills.HITS if scale >= 1 else kills.FEW_HITS
        for number in [signal.SIGKILL] if group == "kill" else [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            for turn in range(few(runs[number])):
                name = f"{seed} {turn}"
                yield f"{number.name} {name}", partial(_killed_run, world, number, name, hits)
        return
    if group == "killed search":
        for victim in kills.VICTIMS:
            for turn in range(few(14)):
                yield f"{victim} {seed} {turn}", partial(_killed_search, world, victim, f"{seed} {turn}")
        return
    if group == "studio":
        yield from studio.hostile_requests(world, seed, few(120))
        return
    if group == "killed matrix":
        for turn in range(few(4)):
            yield f"{seed} {turn}", partial(_killed_matrix, world, f"{seed} {turn}")
        return
    made: dict[str, Callable[[], Iterable[Case]]] = {
        "places": lambda: some(
            scale, chain(places.full_disks(world, 99), places.odd_places(world), places.outputs(world))
        ),
        "two at once": lambda: some(scale, places.at_once(world)),
        "pictures": lambda: chain(
            user_files.pictures(seed, few(330)), user_files.planned_pictures(world, seed, few(40))
        ),
        "npz of the user": lambda: user_files.archives(seed, few(180)),
        "CSV of the user": lambda: user_files.tables(seed, few(34)),
        "settings": lambda: chain(
            typed_words.settings(seed, few(460)),
            typed_words.specs(seed, few(60)),
            typed_words.arguments(seed, few(60)),
            typed_words.files(seed, few(60)),
        ),
        "model and checkpoint": lambda: run_files.model_files(world, seed, few(128)),
        "arrays of a run": lambda: run_files.array_files(world, seed, few(132)),
        "tables of a run": lambda: run_files.json_files(world, seed, few(220)),
        "links": lambda: run_files.links(world, seed, few(45)),
        "planner faults": lambda: planners.faults(world, few(99)),
        "HTML": lambda: pages.injections(world, seed, few(48)),
        "plugins": lambda: plugins.faults(world, few(999)) if scale >= 1 else some(scale, plugins.faults(world, 999)),
        "numbers": lambda: some(scale, numbers.odd_numbers(999)),
        "reproducibility": lambda: numbers.repeated(world, few(6)),
        "bundles": lambda: bundles.forged_bundles(world, seed, few(126)),
        "identity": lambda: identity.changed_sources(world, seed, few(60)),
        "matrix": lambda: matrices.changed_cells(world, seed, few(40)),
        "tune": lambda: matrices.changed_tunings(world, seed, few(24)) if find_spec("optuna") else (),
    }
    for case in made[group]():
        yield case.name, case


def some(scale: float, found: Iterable[Case]) -> list[Case]:
    """Return a fraction of cases, spread evenly."""
    every = list(found)
    size = max(1, round(scale * len(every)))
    return every if size >= len(every) else [every[index * len(every) // size] for index in range(size)]


def _killed_run(world: World, number: int, seed: str, hits: dict[str, int], folder: Path) -> Verdict:
    return kills.killed_run(world, folder, number, seed, hits)


def _killed_search(world: World, victim: str, seed: str, folder: Path) -> Verdict:
    return kills.killed_search(world, folder, victim, seed)


def _killed_matrix(world: World, seed: str, folder: Path) -> Verdict:
    return matrices.killed_matrix(world, folder, seed)


def summary(verdicts: list[Verdict], seed: int) -> dict[str, Any]:
    """Return the table, the promises, and what failed."""
    from cubespace.runs.folder.machine import environment

    rows = []
    for group, title in TITLES.items():
        mine = [verdict for verdict in verdicts if verdict.group == group]
        if mine:
            number = sum(sum(verdict.counts.values()) if verdict.counts else 1 for verdict in mine)
            kinds = Counter(kind_of(complaint) for verdict in mine for complaint in set(verdict.complaints))
            rows.append(
                {
                    "class": title,
                    "cases": number,
                    "failures": sum(bool(verdict.complaints) for verdict in mine),
                    "unforeseen": sum(verdict.unexpected for verdict in mine),
                    "worst": ", ".join(f"{kind} {count}" for kind, count in kinds.most_common(3)),
                }
            )
    hit: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        if verdict.counts:
            hit.setdefault(TITLES[verdict.group], Counter()).update(verdict.counts)
    kinds = Counter(kind_of(complaint) for verdict in verdicts for complaint in verdict.complaints)
    limits = [verdict.seconds for verdict in verdicts if verdict.group == "planner faults"]
    return {
        "command": command(),
        "environment": environment(),
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "seed": seed,
        "classes": rows,
        "hits": {title: dict(counts) for title, counts in hit.items()},
        "promises": {name: sum(kinds[kind] for kind in of) for name, of in PROMISES.items()},
        "longest_planner_case": max(limits, default=None),
        "failures": [verdict.record() for verdict in verdicts if verdict.complaints],
    }


def command() -> str:
    """Return the command line, without the working folder, which does not matter."""
    words = iter(sys.argv)
    kept = [word for word in words if word != "--work" or not next(words, None)]
    return shlex.join(["python", *kept])


def kind_of(complaint: str) -> str:
    """Return the sort of a complaint."""
    return complaint.partition(":")[0]


def markdown(result: dict[str, Any]) -> str:
    """Return the tables."""
    machine = result["environment"]
    lines = [
        f"`{result['command']}`, seed {result['seed']}, {result['time']}, cubespace {machine['cubespace']}, "
        f"{machine['processor']}, {machine['cores']} cores",
        "",
        "| class | cases | failures | unforeseen | worst |",
        "|---|---|---|---|---|",
    ]
    rows = result["classes"]
    lines += [
        f"| {row['class']} | {row['cases']} | {row['failures']} | {row['unforeseen']} | {row['worst'] or '-'} |"
        for row in rows
    ]
    sums = {name: sum(row[name] for row in rows) for name in ("cases", "failures", "unforeseen")}
    lines += [
        f"| sum (kills and signals one by one) | {sums['cases']} | {sums['failures']} | {sums['unforeseen']} | |",
        "",
    ]
    for title, counts in result["hits"].items():
        lines += [f"{title}: " + ", ".join(f"{name} {count}" for name, count in counts.items()) + ".", ""]
    lines += ["| promise | broken |", "|---|---|"]
    lines += [f"| {name} | {count} |" for name, count in result["promises"].items()]
    lines += [
        "",
        "*Unforeseen*: reported in one line with exit code 1, as an unexpected error; not counted as a failure.",
    ]
    failures = result["failures"]
    if failures:
        lines += ["", f"{len(failures)} failures{', the first' if len(failures) > SHOWN else ''}:", ""]
        lines += [
            f"- {one['group']}, `{_plain(one['name'])}`: {_plain('; '.join(one['complaints']))}"
            for one in failures[:SHOWN]
        ]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() and letter not in "`|<>" else "?" for letter in text)[:160]


if __name__ == "__main__":
    main()
