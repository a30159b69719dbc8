"""Runs one command of ``cube`` in a forked child and judges how it ended.

The parent has imported everything, so a case costs tens of milliseconds. Whatever the child starts and leaves becomes a
child of the parent (a subreaper), so that nothing left running is overlooked.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

DOCUMENTED = frozenset({0, 1, 2, 3, 4, 5, 6, 129, 130, 143})
LONGEST_LINE = 2500  # characters of stderr: cube cuts at 2,000 and says what is missing
HANGS_SECONDS = 60.0
PR_SET_CHILD_SUBREAPER, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 36, 1, 2
CANARY = "CHAOS_CANARY"  # the environment variable with the file that code out of a data file would make
TRACEBACK = "Traceback (most recent call last)"
UNEXPECTED = re.compile(r"^cube: unexpected ", re.MULTILINE)


@attrs.frozen
class Ended:
    """How a command ended."""

    code: int | None  # negative: minus the signal; None: it did not end
    output: str
    errors: str
    seconds: float


Check = Callable[[Path, Ended], str]  # returns a complaint, or nothing
Excuse = Callable[[str], str]  # returns why a complaint is the fault of the machine, or nothing
Prepare = Callable[[Path], Sequence[str]]  # fills the folder of a case and returns the words after `cube`


@attrs.frozen(kw_only=True)
class Case:
    """Something done to ``cube``, and which results are acceptable."""

    group: str
    name: str
    prepare: Prepare
    inside: Callable[[], None] | None = None  # done in the child, before the command
    codes: frozenset[int] = DOCUMENTED
    seconds: float = HANGS_SECONDS
    check: Check | None = None
    excuse: Excuse | None = None  # asked at once, while the machine is as it was
    silent: bool = False  # whether it may fail without a message: its outputs are closed


@attrs.frozen(kw_only=True)
class Verdict:
    """The result of a case: complaints, none if all is well."""

    group: str
    name: str
    complaints: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()  # complaints that the machine explains, and how
    code: int | None = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of this process and of all that it has started
    unexpected: bool = False  # reported in one line, but not foreseen
    said: str = ""
    counts: dict[str, int] = attrs.field(factory=dict)  # what the case consisted of, such as kills by stage

    def record(self) -> dict[str, Any]:
        """Return it for JSON."""
        return attrs.asdict(self)


def become_subreaper() -> None:
    """Let orphans of our children become our children, where the system can (Linux)."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(PR_SET_CHILD_SUBREAPER, 1)


def keep_command_line() -> None:
    """Build the parser of the command line once, for all children: it takes longer than most cases."""
    import typer.main

    from cubespace.cli.app import app

    built, build = typer.main.get_command(app), typer.main.get_command
    typer.main.get_command = lambda which: built if which is app else build(which)
    forget_command_line.build = build  # type: ignore[attr-defined]


def forget_command_line() -> None:
    """Let the command line be built again: plugins may add to it."""
    import typer.main

    typer.main.get_command = forget_command_line.build  # type: ignore[attr-defined]


def drop_root_privileges() -> None:
    """Let file permissions hold for root too: give up the capabilities to override them."""
    if os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        data = (ctypes.c_uint32 * 6)()
        libc = ctypes.CDLL(None, use_errno=True)
        libc.capget(header, data)
        for index in (0, 1, 2):  # effective, permitted, inheritable
            data[index] &= ~(1 << CAP_DAC_OVERRIDE | 1 << CAP_DAC_READ_SEARCH)
        if libc.capset(header, data) != 0:
            raise OSError(ctypes.get_errno(), "capset")


def run_case(case: Case, folder: Path) -> Verdict:
    """Run a case in a fresh folder and judge it."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    words = case.prepare(folder)
    ended, orphans = run_cube(words, folder, case.inside, case.seconds)
    complaints, excused = excusing(case.excuse, judge(case, folder, ended))
    complaints += [f"orphan: {orphan}" for orphan in orphans]
    lines = ended.errors.strip().splitlines()
    verdict = Verdict(
        group=case.group,
        name=case.name,
        complaints=tuple(complaints),
        excused=tuple(excused),
        code=ended.code,
        seconds=round(ended.seconds, 3),
        unexpected=bool(UNEXPECTED.search(ended.errors)),
        said=lines[-1][:300] if lines else "",
    )
    _remove(folder)
    return verdict


def excusing(excuse: Excuse | None, complaints: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the complaints that stand, and those that the machine explains, with the explanation."""
    reasons = {complaint: excuse(complaint) for complaint in complaints} if excuse is not None else {}
    stand = [complaint for complaint in complaints if not reasons.get(complaint)]
    return stand, [f"{complaint}; {reason}" for complaint, reason in reasons.items() if reason]


def judge(case: Case, folder: Path, ended: Ended) -> list[str]:
    """Return what is wrong with how a command ended."""
    complaints = []
    if ended.code is None:
        complaints.append(f"hang: not ended after {case.seconds:.0f} s")
    elif ended.code not in case.codes:
        complaints.append(f"exit code {ended.code}")
    if TRACEBACK in ended.errors:
        complaints.append("traceback")
    if ended.code not in (0, None) and not (ended.errors + ended.output).strip() and not case.silent:
        complaints.append("silent: failed without a message")
    if max(map(len, ended.errors.splitlines()), default=0) > LONGEST_LINE:
        complaints.append("overlong: a very long line of stderr")
    if "\x1b" in ended.errors:
        complaints.append("raw: control characters on the terminal")
    if canary(folder).exists():
        complaints.append("code run: the canary is there")
    complaints += [f"litter: {name}" for name in litter(folder)]
    if case.check is not None:
        complaint = case.check(folder, ended)
        if complaint:
            complaints.append(complaint)
    return complaints


def canary(folder: Path) -> Path:
    """Return the file that no case may create."""
    return folder / "canary"


def litter(folder: Path) -> list[str]:
    """Return what a command should not have left: half-written files, and temporary folders of ours.

    Libraries keep caches there too, such as torch's ``torchinductor_USER``; they are theirs.
    """
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.join(place, name) for name in names if name.endswith(".part")]
    with contextlib.suppress(OSError):
        found += [entry.path for entry in os.scandir(folder / "tmp") if entry.name.startswith("cube")]
    return [os.path.relpath(name, folder) for name in found]


def run_cube(
    words: Sequence[str], folder: Path, inside: Callable[[], None] | None = None, seconds: float = HANGS_SECONDS
) -> tuple[Ended, list[str]]:
    """Run ``cube`` with these words in a forked child; return how it ended, and the orphans it left."""
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        become_cube(words, folder, inside)
    code = _wait(child, begun + seconds)
    passed = time.monotonic() - begun
    orphans = end_descendants()
    output, errors = (_text(folder / name) for name in ("out.txt", "err.txt"))
    return Ended(code, output, errors, passed), orphans


def become_cube(words: Sequence[str], folder: Path, inside: Callable[[], None] | None) -> None:
    """Be the command ``cube`` and never return."""
    code = 99
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for name, descriptor in (("out.txt", 1), ("err.txt", 2)):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(folder)
        os.environ.update({"TMPDIR": str(folder / "tmp"), CANARY: str(canary(folder)), "COLUMNS": "200"})
        sys.argv = ["cube", *words]
        import tempfile

        tempfile.tempdir = None
        if inside is not None:
            inside()
        code = _call_main()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stderr.flush()
        os._exit(code)


def _call_main() -> int:
    import atexit

    from cubespace.cli import main

    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    atexit._run_exitfuncs()
    return code


def _wait(child: int, deadline: float) -> int | None:
    pause = 0.001
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(pause)
        pause = min(0.02, pause * 1.3)


def descendants(process: int | None = None) -> list[int]:
    """Return all processes below one, ours if none is named."""
    found = _children(process or os.getpid())
    for each in found:  # the list grows while it is read
        found += _children(each)
    return found


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with contextlib.suppress(OSError):
                found += map(int, Path(f"/proc/{process}/task/{thread}/children").read_text().split())
    return found


def command_line(process: int) -> str:
    """Return the command line of a process, or "" if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return ""


def end_descendants(patience: float = 5.0) -> list[str]:
    """Wait a little for what a command has started to end, kill the rest and return its command lines."""
    deadline = time.monotonic() + patience
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        left = descendants()
        if not left:
            return []
        if time.monotonic() > deadline:
            break
        time.sleep(0.005)
    names = [command_line(process)[:100] for process in left]
    for process in left:
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, 0)[0]:
            pass
    return names


def _text(path: Path) -> str:
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(1 << 22).decode("utf-8", "replace")
    return ""


def _remove(folder: Path) -> None:
    """Remove a folder whatever its permissions are."""
    for place, names, _ in os.walk(folder):
        for name in names:
            if not os.path.islink(os.path.join(place, name)):
                with contextlib.suppress(OSError):
                    os.chmod(os.path.join(place, name), 0o700)
    shutil.rmtree(folder, ignore_errors=True)
