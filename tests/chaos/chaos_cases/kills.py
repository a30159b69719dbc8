"""Kills and signals at random moments: after continuing, every result is that of an undisturbed run, byte for byte."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import attrs

from chaos_cases.harness import (
    TRACEBACK,
    Verdict,
    become_cube,
    command_line,
    descendants,
    end_descendants,
    litter,
    run_cube,
)
from chaos_cases.world import World, difference

STAGES = ("start", "data", "train", "extract", "evaluate", "report")
# how often a run is hit in each stage, in this order, before it may end; short stages more often, since many miss them
HITS = {"start": 1, "data": 3, "train": 3, "extract": 2, "evaluate": 3, "report": 1}
FEW_HITS = {"train": 1, "evaluate": 1}
SECONDS = {"start": 2.0, "data": 0.02, "train": 3.0, "extract": 0.3, "evaluate": 1.5, "report": 1.5}
PATIENCE = 120.0
LINE = re.compile(r"^(data|train|extract|evaluate): (.*)$", re.MULTILINE)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def stage_reached(errors: str) -> str:
    """Return the stage that a run is in, judging by its output so far."""
    stage = "start"
    for name, rest in LINE.findall(errors):
        count = re.match(r"(\d+)/(\d+),", rest)
        over = name == "evaluate" and (rest == "done already" or (count and count[1] == count[2]))
        stage = "report" if over else name
    return stage


@attrs.frozen
class Process:
    """A running command of ``cube``: a forked child, or a fresh interpreter that imports everything first."""

    pid: int
    errors: Path

    @classmethod
    def start(cls, words: list[str], folder: Path, *, fresh: bool) -> Process:
        """Start it in a folder."""
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        errors = folder / "err.txt"
        errors.write_bytes(b"")
        if not fresh:
            child = os.fork()
            if child == 0:
                become_cube(words, folder, None)
            return cls(child, errors)
        environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
        with (folder / "out.txt").open("wb") as out, errors.open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-m", "cubespace.cli", *words],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        process.returncode = 0  # we wait for it ourselves
        return cls(process.pid, errors)

    def said(self) -> str:
        """Return its stderr so far."""
        return self.errors.read_text("utf-8", "replace")

    def done(self) -> bool:
        """Return whether it has printed its results, so that nothing was left to do."""
        return bool(self.errors.with_name("out.txt").read_bytes())

    def hit(self, stage: str, delay: float, number: int) -> str | None:
        """Send a signal some time after a stage has begun; return the stage really hit, or None if it ended before."""
        deadline = time.monotonic() + PATIENCE
        while STAGES.index(stage_reached(self.said())) < STAGES.index(stage):
            if self.ended() or time.monotonic() > deadline:
                return None
            time.sleep(0.002)
        time.sleep(delay)
        if self.ended():
            return None
        reached = stage_reached(self.said())
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)
        return reached

    def ended(self) -> bool:
        """Return whether it has ended, though nobody has waited for it yet."""
        status = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        return status == "Z"

    def wait(self) -> int | None:
        """Return the exit code, or None if it does not end."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.005)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


def killed_run(world: World, folder: Path, number: int, seed: str, hits: dict[str, int] | None = None) -> Verdict:
    """Hit a run in all its stages, one after another, let it end, and compare it with the undisturbed one."""
    rng = random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    counts: Counter[str] = Counter()
    complaints: list[str] = []
    words = world.words()
    begun = time.monotonic()
    stages = hits or HITS
    imports = rng.choice(list(stages))  # the stage in which a fresh interpreter is hit: it costs three forked ones
    for stage, times in stages.items():
        for turn in range(times):
            fresh = stage == "start" or (turn == 0 and stage == imports)
            process = Process.start(words, folder, fresh=fresh)
            delay = rng.uniform(0, SECONDS[stage])
            reached = process.hit(stage, delay, number)
            code = process.wait()
            if reached is not None:
                counts[reached] += 1
            complaints += complaints_about(process, code, reached, number)
            complaints += [f"orphan: {name}" for name in end_descendants()]
    ended, orphans = run_cube(words, folder, seconds=300)
    complaints += [f"orphan: {name}" for name in orphans]
    if ended.code != 0:
        complaints.append(f"lost: it did not continue ({ended.errors.strip().splitlines()[-1:]})")
    else:
        complaints += [change] if (change := difference(folder / "run", world.trained)) else []
    complaints += [f"litter: {name}" for name in litter(folder)]
    name = signal.Signals(number).name
    verdict = Verdict(
        group="kill" if number == signal.SIGKILL else "signal",
        name=f"{name} {seed}",
        complaints=tuple(complaints),
        code=ended.code,
        seconds=round(time.monotonic() - begun, 3),
        said=ended.errors.strip().splitlines()[-1][:300] if ended.errors.strip() else "",
        counts=dict(counts),
    )
    shutil.rmtree(folder, ignore_errors=True)
    return verdict


def complaints_about(process: Process, code: int | None, reached: str | None, number: int) -> list[str]:
    """Return what is wrong with how a process ended that was sent a signal."""
    said = process.said()
    complaints = ["traceback"] if TRACEBACK in said else []
    if code is None:
        return [*complaints, f"hang: after {signal.Signals(number).name} in {reached}"]
    if number == signal.SIGKILL or reached is None:
        return complaints
    if code == 0 or (code == -number and process.done()):  # it came too late: Python was exiting
        return complaints
    if code != CODES[signal.Signals(number)]:
        complaints.append(f"exit code {code} after {signal.Signals(number).name} in {reached}")
    if "interrupted" not in said:
        complaints.append(f"silent: no message after {signal.Signals(number).name} in {reached}")
    return complaints


VICTIMS = {"planner": ("pyperplan", "downward"), "supervisor": ("_supervisor.py",)}


def killed_search(world: World, folder: Path, victim: str, seed: str) -> Verdict:
    """Kill a planner or a supervisor while a run plans; the results must be those of the undisturbed run in the end."""
    rng = random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run = world.copy(folder)
    (run / "results.json").unlink()
    shutil.rmtree(run / "problems")
    begun = time.monotonic()
    process = Process.start(["evaluate", "run"], folder, fresh=False)
    counts: Counter[str] = Counter()
    number = rng.randrange(1, 4)  # which of the searches is hit
    counts[victim] = _kill_one(process, VICTIMS[victim], number, rng)
    code = process.wait()
    said = process.said()
    complaints = complaints_about(process, code, None, signal.SIGKILL)
    complaints += [f"orphan: {name}" for name in end_descendants()]
    reported = "crashed" in said
    if code not in (0, 1) or reported != (code == 1):
        complaints.append(f"exit code {code}, {'reported' if reported else 'not reported'}")
    if victim == "supervisor" and reported:
        complaints.append("a dead supervisor was not replaced")
    ended, _ = run_cube(["evaluate", "run"], folder, seconds=120)
    change = difference(run, world.chosen) if ended.code == 0 else f"lost: exit code {ended.code} when continued"
    complaints += [change] if change else []
    complaints += [f"litter: {name}" for name in litter(folder)]
    verdict = Verdict(
        group="killed search",
        name=f"{victim} {seed}",
        complaints=tuple(complaints),
        code=code,
        seconds=round(time.monotonic() - begun, 3),
        said=said.strip().splitlines()[-1][:300] if said.strip() else "",
        counts=dict(counts),
    )
    shutil.rmtree(folder, ignore_errors=True)
    return verdict


def _kill_one(process: Process, names: tuple[str, ...], number: int, rng: random.Random) -> int:
    """Kill the ``number``-th process of these names that appears below a command; return how many were killed."""
    seen: set[int] = set()
    deadline = time.monotonic() + PATIENCE
    while not process.ended() and time.monotonic() < deadline:
        for each in descendants(process.pid):
            if each in seen or not any(name in command_line(each) for name in names):
                continue
            seen.add(each)
            # supervisors stay for all searches: one of its two processes is hit some time later
            if len(seen) >= (rng.randrange(1, 3) if "_supervisor.py" in names else number):
                time.sleep(rng.uniform(0, 0.3 if "_supervisor.py" in names else 0.05))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
                    return 1
        time.sleep(0.002)
    return 0
