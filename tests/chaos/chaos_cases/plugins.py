"""Plugins that fail at import, at registration and at work: named, never fatal for others, never silent."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from chaos_cases.harness import Case, Ended
from chaos_cases.stranger import installing, write_stranger
from chaos_cases.world import CHOSEN, INSTANCES, TRAINED, World, settings

FAILURES = (
    *("raise RuntimeError('no luck')", "raise SystemExit(0)", "raise SystemExit(7)"),  # KeyboardInterrupt is Ctrl-C
    *("raise ImportError('no luck')", "raise MemoryError", "raise RecursionError('deep')", "raise OSError(28, 'full')"),
    *(
        "raise StopIteration",
        "raise BaseException('odd')",
        "raise Exception",
        "raise Exception('a\\nb\\n' * 500)",
        "1 / 0",
    ),
    *("assert False", "raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'odd')", "raise GeneratorExit"),
)
# these are not errors but requests to end, like Ctrl-C: the command may end, naming the plugin
REQUESTS = ("raise BaseException('odd')", "raise GeneratorExit")
AT_IMPORT = (*FAILURES, "import no_such_module", "def broken(:", "\x00", "exit(0)", "quit()", "import sys; sys.exit()")
REGISTRATIONS = (
    "registry.add(None, object, 'x')",
    "registry.add(3, object, 'x')",
    "registry.add('', object, 'x')",
    "registry.add('a b', object, 'x')",
    "registry.add('a:b', object, 'x')",
    "registry.add('\\x1b[31m', object, 'x')",
    "registry.add('x', None, 'x')",
    "registry.add('x', 7, 'x')",
    "registry.add('x', object, None)",
    "registry.add('x', object)",
    "registry.add('lightsout', object, 'x')",
    "registry.add('x', 'no_such:Class', 'x')",
    "registry.add('x', 'os:system', 'x')",
    "registry.add('x', object, 'x', 'y', 'z')",
    "registry.no_such()",
    "registry = None; registry.add",
)
DOMAIN = """
from cubespace import hookimpl
from cubespace_domains.lightsout import LightsOut

class Faulty(LightsOut):
{body}

@hookimpl
def cube_domains(registry):
    registry.add("faulty", Faulty, "a domain that fails")
"""
DOMAIN_BODIES = {
    "render returns floats": "def render(self, states): return super().render(states) / 255.0",
    "render returns too few": "def render(self, states): return super().render(states)[:1]",
    "render returns nothing": "def render(self, states): return None",
    "render returns another shape": "def render(self, states): return super().render(states)[:, :5]",
    "render returns text": "def render(self, states): return 'pictures'",
    "sample returns nothing": "def sample(self, count, rng): return None",
    "sample returns a list": "def sample(self, count, rng): return [1, 2, 3]",
}
PLANNER = """
from cubespace import hookimpl
from cubespace.search.planner import Answer, Outcome
from cubespace_planners.fast_downward import FastDownward

class Faulty(FastDownward):
{body}

@hookimpl
def cube_planners(registry):
    registry.add("faulty", Faulty, "a planner that fails")
"""
ANSWERS = (
    "None",
    "7",
    "'solved'",
    "Answer(outcome=Outcome.SOLVED)",
    "Answer(outcome=Outcome.SOLVED, plan=(10**9,))",
    "Answer(outcome=Outcome.SOLVED, plan=(-1,))",
    "Answer(outcome=Outcome.SOLVED, plan='abc')",
    "Answer(outcome=Outcome.SOLVED, plan=7)",
    "Answer(outcome='solved', plan=(0,))",
    "Answer(outcome=None)",
)
COMMANDS = (
    "None",
    "[]",
    "7",
    "'ls'",
    "['']",
    "['/no/such/program']",
    "[7]",
    "['\\0']",
    "['/etc/passwd']",
    "['a' * 10**6]",
)
APPLY = """
import torch
from cubespace import hookimpl
from cubespace_apply_modules.back_to_logit import BackToLogit

class Faulty(BackToLogit):
    def forward(self, *arguments):
        {body}

@hookimpl
def cube_apply_modules(registry):
    registry.add("faulty", Faulty, "an apply module that fails")
"""
APPLY_BODIES = (
    "return super().forward(*arguments) * float('nan')",
    "return super().forward(*arguments)[:, :1]",
    "return None",
    "raise RuntimeError('no luck')",
    "raise SystemExit(0)",
)
LEARNER = """
from cubespace import hookimpl
from cubespace_precondition.static import Static

class Faulty(Static):
    def learn(self, *arguments):
        {body}

@hookimpl
def cube_precondition_learners(registry):
    registry.add("faulty", Faulty, "a learner that fails")
"""
LEARNER_BODIES = ("return None", "raise RuntimeError('no luck')", "raise SystemExit(0)", "return 7", "1 / 0")


def faults(world: World, count: int) -> Iterator[Case]:
    """Yield cases with a faulty plugin each."""
    cases = [
        *(_skipped(f"import: {line!r}", line) for line in AT_IMPORT),
        *(_skipped(f"hook: {line!r}", _hook(line)) for line in FAILURES),
        *(_skipped(f"registration: {line!r}", _hook(line)) for line in REGISTRATIONS),
        *_domains(),
        *_planners(world),
        *_modules(world),
    ]
    yield from cases[:: max(1, len(cases) // count)] if count < len(cases) else cases


def _hook(line: str) -> str:
    return f"from cubespace import hookimpl\n\n@hookimpl\ndef cube_domains(registry):\n    {line}\n"


def _skipped(name: str, code: str) -> Case:
    """A plugin that cannot be loaded is named, and others work."""

    def prepare(folder: Path) -> Sequence[str]:
        write_stranger(folder, code)
        return ["plugins", "domain"]

    def check(_: Path, ended: Ended) -> str:
        if "hanoi" not in ended.output and not any(line in code for line in REQUESTS):
            return "fatal: the other plugins are gone"
        # some odd registrations are harmless: the component is listed and fails on use
        return "" if "stranger" in ended.errors + ended.output else "not named"

    return Case(
        group="plugins", name=name, prepare=prepare, inside=installing(), check=check, codes=frozenset({0, 1, 2})
    )


def _at_work(name: str, code: str, words: Sequence[str], world: World | None = None) -> Case:
    def prepare(folder: Path) -> Sequence[str]:
        write_stranger(folder, code)
        if world is not None:
            run = world.copy(folder)
            (run / "results.json").unlink()
        return words

    def check(_: Path, ended: Ended) -> str:
        named = "stranger" in ended.errors or "faulty" in ended.errors
        return "" if named else "not named"

    return Case(
        group="plugins",
        name=name,
        prepare=prepare,
        inside=installing(),
        check=check,
        codes=frozenset({1, 2, 3}),
    )


def _body(line: str) -> str:
    return textwrap.indent(line, "    ")


def _domains() -> Iterator[Case]:
    words = ["run", *INSTANCES, *settings(CHOSEN), "--domain", "faulty:size=2", "--planner", "fd-lmcut", "-o", "run"]
    bodies = {
        **DOMAIN_BODIES,
        **{f"render: {line!r}": f"def render(self, states): {line}" for line in FAILURES},
    }
    for name, body in bodies.items():
        yield _at_work(f"domain: {name}", DOMAIN.format(body=_body(body)), words)


def _planners(world: World) -> Iterator[Case]:
    words = ["evaluate", "run", "--planner", "faulty", "--instances", "1", "--time-limit", "5"]
    for answer in ANSWERS:
        body = _body(f"def answer(self, *arguments): return {answer}")
        yield _at_work(f"planner answers {answer}", PLANNER.format(body=body), words, world)
    for command in COMMANDS:
        body = _body(f"def command(self, *arguments): return {command}")
        yield _at_work(f"planner's command is {command}", PLANNER.format(body=body), words, world)
    for line in FAILURES:
        body = _body(f"def answer(self, *arguments): {line}")
        yield _at_work(f"planner's answer: {line!r}", PLANNER.format(body=body), words, world)


def _modules(world: World) -> Iterator[Case]:
    quick = settings({**TRAINED, "train.epochs": 2})
    for body in APPLY_BODIES:
        words = ["run", *INSTANCES, *quick, "--apply", "faulty", "--planner", "fd-lmcut", "-o", "new"]
        yield _at_work(f"apply module: {body!r}", APPLY.format(body=body), words)
    for body in LEARNER_BODIES:
        words = ["extract", "run", "--precondition", "faulty"]
        yield _at_work(f"learner: {body!r}", LEARNER.format(body=body), words, world)
