"""Full disks, folders that cannot be written, odd places, closed outputs, two commands at once."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from chaos_cases.harness import Case, Ended, drop_root_privileges
from chaos_cases.world import World, difference

SIZES = (0, 1, 100, 1000, 4096, 10_000, 20_000, 40_000, 60_000, 100_000, 200_000)
TMPFS = ("16k", "60k", "100k", "200k", "300k", "400k", "900k", "2m")


def full_disks(world: World, count: int) -> Iterator[Case]:
    """Yield cases in which files can only grow to a size, or the whole disk is small; then there is room again."""
    commands = (world.words("chosen"), ["data", "lightsout:size=2", "-n", "100", "-o", "out.npz"], ["report", "run"])
    cases = []
    for size in SIZES:
        for words in commands:

            def prepare(words: list[str], folder: Path) -> Sequence[str]:
                if words[0] == "report":
                    world.copy(folder)
                return words

            cases.append(
                Case(
                    group="places",
                    name=f"files of at most {size} bytes: {words[0]}",
                    prepare=partial(prepare, words),
                    inside=partial(_limit_files, size),
                    silent=True,  # stderr is a file too
                )
            )
    if _can_mount():
        cases += [_small_disk(world, size) for size in TMPFS]
    yield from cases[:: max(1, len(cases) // count)] if count < len(cases) else cases


def _limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _can_mount() -> bool:
    return os.geteuid() == 0 and shutil.which("mount") is not None


def _small_disk(world: World, size: str) -> Case:
    def prepare(folder: Path) -> Sequence[str]:
        (folder / "disk").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "chaos", folder / "disk"], check=True)
        return world.words("chosen", "disk/run")

    def check(folder: Path, _: Ended) -> str:
        """Make room, continue, and compare."""
        from chaos_cases.harness import run_cube

        try:
            subprocess.run(["mount", "-o", "remount,size=64m", folder / "disk"], check=True)
            again, _ = run_cube(world.words("chosen", "disk/run"), folder)
            if again.code != 0:
                return f"lost: exit code {again.code} after room was made: {again.errors[-200:]}"
            left = [str(path.name) for path in (folder / "disk").rglob("*.part")]
            return f"litter: {left}" if left else difference(folder / "disk" / "run", world.chosen)
        finally:
            subprocess.run(["umount", "-l", folder / "disk"], check=False)

    return Case(group="places", name=f"a disk of {size}", prepare=prepare, check=check, codes=frozenset({0, 1, 3}))


def odd_places(world: World) -> Iterator[Case]:
    """Yield cases with folders that cannot be used as requested."""
    small = ["data", "lightsout:size=2", "-n", "5", "-o"]
    yield from _odd_outputs(small)
    run = world.words("chosen")[:-1]
    for name, make in {
        "a file": lambda folder: (folder / "run").write_text("x"),
        "under a file": lambda folder: (folder / "run").write_text("x"),
        "a folder with other things": lambda folder: _made(folder / "run" / "mine.txt"),
        "a link to nowhere": lambda folder: (folder / "run").symlink_to("nowhere/at/all"),
        "a link to itself": lambda folder: (folder / "run").symlink_to("run"),
        "a pipe": lambda folder: os.mkfifo(folder / "run"),
    }.items():
        output = "run/inside" if name == "under a file" else "run"
        yield _place(f"run -o {name}", [*run, output], make)
    for inside in (".lock", "run.log", "manifest.json", "results.json", "report.html", "problems", "metrics.jsonl"):
        for kind in ("folder", "pipe", "closed"):
            for words in (["evaluate", "run"], ["report", "run"]):
                yield _place(
                    f"{inside} is a {kind}: {words[0]}",
                    words,
                    partial(_spoil, world, inside, kind),
                    drop_root_privileges,
                )
    for words in (["evaluate", "run", "--instances", "1"], ["report", "run"], ["train", "run"], ["diagnose", "run"]):
        yield _place(f"read-only: {words[0]}", words, partial(_read_only, world), drop_root_privileges)
        yield _place(f"no entry: {words[0]}", words, partial(_no_entry, world), drop_root_privileges)


def _odd_outputs(small: list[str]) -> Iterator[Case]:
    for name, output in {
        "nothing": "",
        "root": "/",
        "here": ".",
        "above": "..",
        "a system's folder": "/proc/out.npz",
        "a long name": "a" * 300 + ".npz",
        "a long path": "a/" * 3000 + "out.npz",
        "a newline": "a\nb.npz",
        "escape codes": "\x1b[31mred.npz",
        "not UTF-8": os.fsdecode(b"a\xff.npz"),
        "spaces": "  .npz",
        "a dash": "--.npz",
        "no suffix": "out",
        "hidden": ".npz",
    }.items():
        yield _place(f"data -o {name}", [*small, output], lambda _: None)
    yield _place("data -o a folder", [*small, "here"], lambda folder: (folder / "here").mkdir())
    yield _place("data -o a pipe", [*small, "here"], lambda folder: os.mkfifo(folder / "here"))
    yield Case(
        group="places",
        name="data -o a device",
        prepare=partial(_device, [*small, "node"]),
        check=_still_a_device,
    )


def _device(words: list[str], folder: Path) -> Sequence[str]:
    """Make a node like /dev/null of our own: a mistake must not destroy the real one."""
    with contextlib.suppress(OSError):
        os.mknod(folder / "node", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    return words


def _still_a_device(folder: Path, _: Ended) -> str:
    facts = os.stat(folder / "node") if (folder / "node").exists() else None
    return "a device was replaced" if facts and os.geteuid() == 0 and stat.S_ISREG(facts.st_mode) else ""


def _place(
    name: str, words: Sequence[str], make: Callable[[Path], object], inside: Callable[[], None] | None = None
) -> Case:
    def prepare(folder: Path) -> Sequence[str]:
        make(folder)
        return words

    return Case(group="places", name=name, prepare=prepare, inside=inside)


def _made(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("mine")


def _spoil(world: World, inside: str, kind: str, folder: Path) -> None:
    path = world.copy(folder) / inside
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if kind == "folder":
        (path / "something").mkdir(parents=True)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_text("{}")
        path.chmod(0)


def _read_only(world: World, folder: Path) -> None:
    for place, _, names in os.walk(world.copy(folder), topdown=False):
        for name in names:
            os.chmod(os.path.join(place, name), 0o444)
        os.chmod(place, 0o555)


def _no_entry(world: World, folder: Path) -> None:
    world.copy(folder).chmod(0)


def outputs(world: World) -> Iterator[Case]:
    """Yield cases with outputs that are closed, full or broken, and with odd homes."""
    for words in (["plugins"], ["info"], ["report", "run"], ["evaluate", "run"], world.words("chosen", "new")):
        for name, inside in {
            "stdout closed": partial(os.close, 1),
            "stderr closed": partial(os.close, 2),
            "all closed": _close_all,
            "stdin closed": partial(os.close, 0),
            "stdout full": partial(_full, 1),
            "stderr full": partial(_full, 2),
            "stdout broken": partial(_broken, 1),
            "stderr broken": partial(_broken, 2),
        }.items():
            yield _quiet(world, f"{words[0]}: {name}", words, inside)
    for name, setting in {
        "HOME": ("HOME", None),
        "HOME nowhere": ("HOME", "/no/such/folder"),
        "TMPDIR nowhere": ("TMPDIR", "/no/such/folder"),
        "TMPDIR is a file": ("TMPDIR", "/etc/passwd"),
        "LANG": ("LANG", "xx_YY.no-such"),
        "TERM": ("TERM", None),
        "PATH": ("PATH", ""),
        "COLUMNS": ("COLUMNS", "-7"),
    }.items():
        yield _quiet(world, f"environment: {name}", ["evaluate", "run"], partial(_set, *setting), plan_again=True)


def _quiet(world: World, name: str, words: Sequence[str], inside: Callable[[], None], plan_again: bool = False) -> Case:
    def prepare(folder: Path) -> Sequence[str]:
        run = world.copy(folder)
        if plan_again:
            (run / "results.json").unlink()
            shutil.rmtree(run / "problems")
        return words

    return Case(group="places", name=name, prepare=prepare, inside=inside, silent=True)


def _close_all() -> None:
    for descriptor in (0, 1, 2):
        os.close(descriptor)


def _full(descriptor: int) -> None:
    if os.path.exists("/dev/full"):
        os.dup2(os.open("/dev/full", os.O_WRONLY), descriptor)


def _broken(descriptor: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, descriptor)


def _set(name: str, value: str | None) -> None:
    import tempfile

    tempfile.tempdir = None
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def at_once(world: World) -> Iterator[Case]:
    """Yield cases with two commands on one run, and with a folder that goes away while a command works on it."""

    def held(words: list[str], folder: Path) -> Sequence[str]:
        run = world.copy(folder)
        (folder / "before.txt").write_text((run / "config.toml").read_text())
        return words

    def hold() -> None:
        """Let another process hold the lock of the run until this one ends."""
        import filelock

        reader, writer = os.pipe()
        ours = os.getpid()
        if os.fork() == 0:
            lock = filelock.FileLock("run/.lock")
            lock.acquire(timeout=5)
            os.write(writer, b"x")
            while os.getppid() == ours:
                time.sleep(0.01)
            os._exit(0)
        os.read(reader, 1)

    def check(folder: Path, ended: Ended) -> str:
        same = (folder / "before.txt").read_text() == (folder / "run" / "config.toml").read_text()
        if not same:
            return "changed: the settings of a run in use"
        return "" if ended.code == 2 and "in use" in ended.errors else f"not refused (exit code {ended.code})"

    for words in (
        ["evaluate", "run", "--planner", "fd-gc"],
        ["extract", "run", "--precondition", "static"],
        ["train", "run"],
        [*world.words("chosen"), "--instances", "1"],
    ):
        yield Case(group="two at once", name=words[0], prepare=partial(held, words), inside=hold, check=check)
    for number, delay in enumerate((0.1, 0.3, 0.6, 1.0)):
        yield Case(
            group="two at once",
            name=f"the run folder is removed {number}",
            prepare=lambda _: world.words("trained"),
            inside=partial(_remove_later, delay),
        )


def _remove_later(delay: float) -> None:
    def remove() -> None:
        while not os.path.exists("run/checkpoint.pt") and not os.path.exists("run/data.npz"):
            time.sleep(0.005)
        time.sleep(delay)
        shutil.rmtree("run", ignore_errors=True)

    threading.Thread(target=remove, daemon=True).start()
