"""Processes that start at once: each is forked from a server that has imported all heavy libraries.

What is called is a process like any other, with an environment, a folder, output and an exit code of its own; only the
second or two in which torch and matplotlib are imported are not spent each time. What a test says about imports,
signals or the very end of a process needs a real one: ``subprocess`` and ``[sys.executable, "-m", "cubespace.cli"]``.
"""

import gc
import math
import multiprocessing
import os
import pkgutil
import resource
import runpy
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Mapping
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

import cubespace

STREAMS = ("stdout", "stderr")
LATE = ("typer._adapters", "mlxtend.data", "skimage.transform")  # what others import when they are first used
_STARTING = threading.Lock()


def cube(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command ``cube``."""
    return python("-m", "cubespace.cli", *arguments, cwd=cwd, env=env)


def python(
    *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run what ``python -m MODULE …``, ``python -c CODE`` or ``python FILE …`` runs."""
    environment = dict(os.environ if env is None else env)
    with tempfile.TemporaryDirectory(prefix="cubespace-") as folder:
        said = Path(folder)
        process = forked(_run, arguments, cwd or Path.cwd(), environment, said)
        process.join()
        output, errors = ((said / stream).read_text() for stream in STREAMS)
    assert process.exitcode is not None
    return subprocess.CompletedProcess(arguments, process.exitcode, output, errors)


def least_cpu_seconds(*command: str, enough: float) -> float:
    """Return the least time of the processor that a real process needs, of three calls or until it is ``enough``.

    The first may write bytecode, and what else the machine does makes each step of ours slower.
    """
    seconds = [math.inf]
    while len(seconds) <= 3 and min(seconds) >= enough:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


def forked(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """Start a process that calls a function of a module, without importing the main module first.

    That is the script that runs the tests, and does so again when it is imported, unless it has a guard against that.
    """
    process = _forkserver().Process(target=target, args=arguments)
    with _STARTING:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            process.start()
        finally:
            sys.modules["__main__"] = main
    return process


@cache
def _forkserver() -> ForkServerContext:
    """Return the context of a server that imports every module of ours, and so all that these need."""
    modules = [module.name for module in pkgutil.walk_packages(cubespace.__path__, "cubespace.")]
    ours = [name for name in modules if not name.endswith("__main__")]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*ours, *LATE])
    return context


def _run(arguments: tuple[str, ...], cwd: Path, environment: Mapping[str, str], said: Path) -> None:
    """Become the process that was asked for."""
    gc.freeze()  # what the server has made is not looked through again and again
    for number, stream in enumerate(STREAMS, start=1):
        file = os.open(said / stream, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - as long as the process
    sys.stderr = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    added = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    if arguments[0] == "-m":
        sys.path[:0] = [str(cwd), *added]
        sys.argv = list(arguments[1:])
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c":
        sys.path[:0] = [str(cwd), *added]
        sys.argv = list(arguments)
        exec(arguments[1], {"__name__": "__main__"})
    else:
        sys.path[:0] = [str(Path(arguments[0]).parent), *added]
        sys.argv = list(arguments)
        runpy.run_path(arguments[0], run_name="__main__")
