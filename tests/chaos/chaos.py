"""Kills, signals, full disks, hostile files, faulty plugins and planners: what ``cube`` does when things go wrong.

    python tests/chaos/chaos.py [--seed 0] [--scale 1.0] [--only GROUP]… [--work FOLDER] [--output results/chaos]
                                [--slice K/N] [--minutes M] [--again] [--page]

Every case is made from the seed. A command runs in a forked child that has everything imported; about every seventh
kill, among them all those at the start, hits a fresh interpreter. Required: a command that is continued gives the
results of an undisturbed run, byte for byte; every error is one line and a documented exit code; nothing hangs; no
half-written file, temporary folder or process is left; no code in a data file is run; limits of planners hold within a
tenth.

With ``--work``, cases that were done there before with the same seed are not done again. A long run can thus be done
in parts, one after the other: ``--slice 1/8`` … ``--slice 8/8``, or ``--minutes 5`` again and again. The call with
which all cases are done writes the page. A ``--scale`` below 1 does fewer cases of each class. Some cases need Linux,
some (small disks, devices) need root; otherwise they are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import pkgutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import attrs

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
from chaos_cases.kept import Kept, Named, Part, do_cases
from chaos_cases.page import TITLES, markdown, summary
from chaos_cases.world import World

NEED_TRAINING = {"kill", "signal", "model and checkpoint", "reproducibility"}

ROUNDS = 20  # in which a run of limited time goes through all classes: what it has done is a fair sample

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
    parser.add_argument("--slice", type=Part.read, default=Part(), metavar="K/N", help="every N-th case, from the K-th")
    parser.add_argument("--minutes", type=float, help="after which no further case is begun")
    parser.add_argument("--page", action="store_true", help="write the page even if cases are missing, which it says")
    parser.add_argument("--again", action="store_true", help="do again what failed, as after a fix")
    parser.add_argument("--output", type=Path, default=Path("results/chaos"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as temporary:
        work = (arguments.work or Path(temporary)).resolve()
        kept = Kept.read(work / f"verdicts-{arguments.seed}.jsonl")
        until = None if arguments.minutes is None else time.monotonic() + 60 * arguments.minutes
        rounds = [Part(number, ROUNDS) for number in range(1, ROUNDS + 1)]
        for part in [arguments.slice] if until is None else rounds:
            named = named_cases(work, arguments.seed, arguments.scale, arguments.only or list(TITLES))
            verdicts, missing = do_cases(named, kept, part, until, again=arguments.again)
            if until is not None and time.monotonic() > until:
                break
    failed = sum(bool(verdict.complaints) for verdict in verdicts)
    if missing:
        print(f"{len(verdicts)} of {len(verdicts) + missing} cases are done, {failed} failed: go on in the same folder")
    if arguments.page or not missing:
        write_page(summary(verdicts, arguments.seed, kept.repeated, missing), arguments.output)
    sys.exit(1 if failed else 0)


def write_page(result: dict[str, Any], output: Path) -> None:
    """Write the result as JSON and as a page, and print the page."""
    from cubespace.base.files import write_json, write_text

    text = markdown(result)
    write_json(output.with_suffix(".json"), result)
    write_text(output.with_suffix(".md"), text)
    print(text)


def named_cases(work: Path, seed: int, scale: float, groups: Iterable[str]) -> Iterator[Named]:
    """Yield the cases of some classes, which work in a folder."""
    prepare()
    world = World(work / "runs")
    groups = list(groups)
    world.make("chosen", *(["trained"] if set(groups) & NEED_TRAINING else []))
    for group in groups:
        for name, case in cases(world, seed, scale, group):
            yield group, name, partial(measured, case, work / "case")


def measured(case: Work, folder: Path) -> Verdict:
    """Do a case in a folder; its verdict has the processor time, and is told if it is bad."""
    begun = cpu_seconds()
    verdict = run_case(case, folder) if isinstance(case, Case) else case(folder)
    if verdict.complaints:
        about = f"{verdict.group}: {verdict.name[:100]}: {'; '.join(verdict.complaints)[:200]}"
        print(about, file=sys.stderr, flush=True)
    return attrs.evolve(verdict, cpu_seconds=round(cpu_seconds() - begun, 3))


def cpu_seconds() -> float:
    """Return the processor time of this process and of all that has ended below it."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@cache
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


if __name__ == "__main__":
    main()
