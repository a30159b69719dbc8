"""Planners that misbehave: the limits hold, nothing survives, and a wrong plan is never believed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from chaos_cases.harness import Case, Ended
from chaos_cases.stranger import installing, write_stranger
from chaos_cases.world import World
from chaos_cases.yardstick import late_machine, too_late

LIMIT = 3.0
WITHIN = 0.1  # of the limit

# a planner of one shell script; its answer is read as Fast Downward's is
PLUGIN = """
import sys
from cubespace import hookimpl
from cubespace.search.planner import PlannerBackend
from cubespace_planners.fast_downward import FastDownward

SCRIPT = {script!r}

class Faulty(FastDownward):
    def missing(self):
        return None

    def command(self, task, folder, limits):
        from cubespace.search.sas.writer import write_sas
        from cubespace.symbols.pddl import write_domain, write_problem
        (folder / "task.sas").write_text(write_sas(task))
        (folder / "right").write_text("\\n".join(f"({{name}})" for name in task.model.names[:3]))
        (folder / "script.py").write_text(SCRIPT)
        return [sys.executable, "-I", "-S", "script.py"]

@hookimpl
def cube_planners(registry):
    registry.add("faulty", Faulty, "a planner that misbehaves")
"""
HEAD = "import os, signal, socket, subprocess, sys, time\n"
SLEEP = "time.sleep(60)\n"
ENDLESS = {
    "sleeps": SLEEP,
    "works": "while True: pass\n",
    "ignores requests": f"signal.signal(signal.SIGTERM, signal.SIG_IGN)\n{SLEEP}",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)\n",
    "stops itself again and again": "while True: os.kill(os.getpid(), signal.SIGSTOP)\n",
    "closes its output": f"os.close(1); os.close(2)\n{SLEEP}",
    "writes for ever": "while True: sys.stdout.write('x' * 9999 + chr(10))\n",
    "child in its group": f"os.fork()\n{SLEEP}",
    "child in a session": f"if os.fork() == 0: os.setsid()\n{SLEEP}",
    "daemon": f"if os.fork() == 0:\n os.setsid()\n if os.fork(): os._exit(0)\n{SLEEP}",
    "orphans that ignore requests": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nif os.fork() == 0:\n os.setpgid(0, 0)\n"
        f" if os.fork(): os._exit(0)\n{SLEEP}"
    ),
    "a shell's setsid": f"os.system('setsid sleep 60 & sleep 61')\n{SLEEP}",
    "many children": f"for _ in range(5): os.fork()\n{SLEEP}",
    "children in sessions": f"for _ in range(4):\n if os.fork() == 0: os.setsid()\n{SLEEP}",
    "child without environment": f"subprocess.Popen(['sleep', '60'], env={{}}, start_new_session=True)\n{SLEEP}",
    "a chain of children": (
        "deadline = time.time() + 20\nfirst = os.getpid()\nwhile time.time() < deadline:\n"
        " if os.fork() and os.getpid() != first: os._exit(0)\n time.sleep(0.01)\n"
        " if os.getpid() == first: time.sleep(60)\n"
    ),
}
QUICK = {
    "aborts": "os.abort()\n",
    "kills itself": "os.kill(os.getpid(), 9)\n",
    "exit code 35": "print('bad luck'); sys.exit(35)\n",
    "exit code 255": "sys.exit(255)\n",
    "no plan": "pass\n",
    "empty plan": "open('plan', 'w')\n",
    "half a plan": "open('plan', 'w').write('(a')\n",
    "wrong plan": "open('plan', 'w').write(open('right').read() + chr(10) + '; cost = 3 (unit cost)' + chr(10))\n",
    "foreign plan": "open('plan', 'w').write('(no-such-action)' + chr(10) + '; cost = 1 (unit cost)' + chr(10))\n",
    "binary plan": "open('plan', 'wb').write(os.urandom(9999))\n",
    "a pipe for a plan": "os.mkfifo('plan')\n",
    "a sparse plan": "open('plan', 'wb').truncate(1 << 40)\n",
    "a plan of 65 MB": "open('plan', 'wb').write(b'x' * (65 << 20))\n",
    "a link for a plan": "os.symlink('/etc/passwd', 'plan')\n",
    "a link to zeros": "os.symlink('/dev/zero', 'plan')\n",
    "a link to itself": "os.symlink('plan', 'plan')\n",
    "a folder for a plan": "os.mkdir('plan')\n",
    "a socket for a plan": "socket.socket(socket.AF_UNIX).bind('plan')\n",
    "a closed folder": "os.mkdir('a'); open('a/b', 'w'); os.chmod('a', 0)\n",
    "removes its folder": "import shutil; shutil.rmtree(os.getcwd())\n",
    "removes its input": "os.remove('task.sas')\n",
    "thousands of files": "[open(f'f{n}', 'w').close() for n in range(3000)]\n",
    "deep folders": "[(os.mkdir('d'), os.chdir('d')) for _ in range(300)]\n",
    "a gigabyte of output": "[sys.stdout.write('x' * (1 << 20)) for _ in range(300)]\n",
    "binary output": "sys.stdout.buffer.write(os.urandom(9999)); sys.exit(1)\n",
    "escape codes": "print(chr(27) + '[31mred'); sys.exit(1)\n",
    "too much memory": "block = b'x' * (1 << 40)\n",
    "memory of children": "for _ in range(4):\n if os.fork() == 0: break\nblock = b'x' * (200 << 20)\ntime.sleep(30)\n",
    "leaves a daemon": "if os.fork() == 0:\n os.setsid()\n if os.fork(): os._exit(0)\n time.sleep(60)\n",
    "leaves a sleeper": "subprocess.Popen(['sleep', '60'], start_new_session=True)\n",
    "kills its supervisor": f"os.kill(os.getppid(), 9)\n{SLEEP}",
    "kills the guard": (
        f"os.kill(int(open(f'/proc/{{os.getppid()}}/stat').read().rpartition(')')[2].split()[1]), 9)\n{SLEEP}"
    ),
    "a daemon, and kills its supervisor": (
        f"if os.fork() == 0:\n os.setsid()\n if os.fork(): os._exit(0)\n {SLEEP}\n"
        f"time.sleep(0.2)\nos.kill(os.getppid(), 9)\n{SLEEP}"
    ),
}


def faults(world: World, count: int) -> Iterator[Case]:
    """Yield cases with a faulty planner each."""
    cases = [_fault(world, name, script, in_time=True) for name, script in ENDLESS.items()]
    cases += [_fault(world, name, script, in_time=False) for name, script in QUICK.items()]
    cases += [_memory(world, megabytes) for megabytes in (1, 10**9, 10**15, 10**18, 10**30)]
    yield from cases[:: max(1, len(cases) // count)] if count < len(cases) else cases


def _fault(world: World, name: str, script: str, *, in_time: bool) -> Case:
    start, goal = world.pictures()

    def prepare(folder: Path) -> Sequence[str]:
        world.copy(folder)
        write_stranger(folder, PLUGIN.format(script=HEAD + script))
        limits = ["--time-limit", str(LIMIT) if in_time else "10", "--memory-limit", "500"]
        return ["plan", "--run", "run", start, goal, "--planner", "faulty", *limits, "-o", "plan", "--json"]

    return Case(
        group="planner faults",
        name=name,
        prepare=prepare,
        inside=installing(),
        codes=frozenset({1}),
        seconds=40,
        check=_within if in_time else _no_plan,
        excuse=partial(late_machine, limit=LIMIT, within=WITHIN) if in_time else None,
    )


def _within(_: Path, ended: Ended) -> str:
    """Check the time that the search took: its limit, and a tenth at most."""
    record = json.loads(ended.output)
    if record["outcome"] != "out of time":
        return f"outcome {record['outcome']}, not out of time"
    return too_late(float(record["seconds"]), LIMIT, WITHIN)


def _no_plan(_: Path, ended: Ended) -> str:
    record = json.loads(ended.output)
    if record["plan"] is not None:
        return "a wrong plan was believed"
    return "" if record["detail"] or record["outcome"] == "out of memory" else f"no reason given: {record['outcome']}"


def _memory(world: World, megabytes: int) -> Case:
    start, goal = world.pictures()

    def prepare(folder: Path) -> Sequence[str]:
        world.copy(folder)
        return ["plan", "--run", "run", start, goal, "--memory-limit", str(megabytes), "-o", "plan", "--json"]

    def check(_: Path, ended: Ended) -> str:
        return "" if ended.code in (0, 2) or megabytes == 1 else f"a limit of {megabytes} MB failed"

    return Case(group="planner faults", name=f"{megabytes} MB", prepare=partial(prepare), check=check)
