"""What a user may type: settings, specs of domains and other components, TOML files, arguments."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from chaos_cases.harness import Case
from chaos_cases.mutation import damaged

VALUES = (
    *("", "0", "-1", "1", "2", "0.5", "-0.5", "1e308", "1e-308", "nan", "inf", "-inf", "true", "off", "none", "null"),
    *(
        "9" * 30,
        "1_000",
        "0x10",
        "1,2",
        "[]",
        "[1, 2]",
        "{}",
        "{a = 1}",
        '"x"',
        "'",
        '"',
        "\\",
        "\n",
        "\x00",
        "\x1b[31m",
        "ü€😀",
    ),
    *(
        "../../../etc/passwd",
        "/dev/null",
        "$(touch canary)",
        "`touch canary`",
        "; touch canary",
        "__import__('os')",
        "{{7*7}}",
    ),
    *(
        "%s%s%n",
        "a" * 5000,
        "btl",
        "mlp",
        "mlp:width=60",
        "mlp:width=x",
        "mlp:width=1,width=2",
        "auto",
        "places",
        "no-such",
    ),
)
KEYS = (
    *(
        "domain",
        "data",
        "model",
        "train",
        "extract",
        "plan",
        "diagnose",
        "",
        ".",
        "..",
        "x",
        "data.",
        ".data",
        "data.x",
    ),
    *("data.transitions", "data.seed", "data.spoil", "data.spoil.noise", "data.spoil.walks", "data.spoil.blink"),
    *(
        "autoencoder.bits",
        "autoencoder.actions",
        "autoencoder.encoder",
        "autoencoder.decoder",
        "autoencoder.apply",
        "autoencoder.action_width",
    ),
    *("train.epochs", "train.batch", "train.learning_rate", "train.seed", "train.epochs.x", "train.optimizer"),
    *("extract.precondition", "extract.effects", "extract.min_support", "extract.seed"),
    *("plan.planners", "plan.instances", "plan.length", "plan.time_limit", "plan.memory_limit", "plan.seed"),
    *("__class__", "data.__init__", "train.epochs\n", "TRAIN.EPOCHS", "train-epochs", "train..epochs", "a" * 3000),
)
DOMAINS = (
    "lightsout",
    "mnist",
    "hanoi",
    "twisted",
    "photo",
    "spider",
    "mandrill",
    "images",
    "frames",
    "no-such",
    "",
    ":",
    "a:b:c",
)
OPTIONS = ("size", "disks", "pegs", "path", "image", "colour", "resize", "x", "", "size=2,size", "__class__", "=")
FLAGS = (  # without -o: a device or a file of the system could be hit
    *("--seed", "--instances", "--length", "--time-limit", "--memory-limit", "--planner", "--apply", "--device"),
    *("--precondition", "--preset", "--config", "--threads", "--no-plugin", "--observer", "--no-such"),
)
COMMANDS = (
    "run",
    "train",
    "extract",
    "evaluate",
    "plan",
    "report",
    "data",
    "show",
    "diagnose",
    "plugins",
    "info",
    "no-such",
    "",
)
TOML = b"""domain = "lightsout:size=2"
[data]
transitions = 300
[model]
bits = 12
encoder = "mlp:width=60"
[train]
epochs = 12
[plan]
planners = ["fd-lmcut", "pyperplan-bfs"]
instances = 2
"""
ODD_TOML = {
    "empty": b"",
    "a byte order mark": b"\xef\xbb\xbf" + TOML,
    "UTF-16": TOML.decode().encode("utf-16"),
    "not UTF-8": b'domain = "\xff\xfe"\n',
    "deep": b"a = " + b"[" * 200_000,
    "deep tables": b"[" + b".".join([b"a"] * 20_000) + b"]\n",
    "50,000 unknown keys": b"".join(b"x%d = 1\n" % number for number in range(50_000)),
    "no planners": TOML.replace(b'["fd-lmcut", "pyperplan-bfs"]', b"[]"),
    "a date": b"domain = 2020-01-01\n",
    "a table for a domain": b"[domain]\nname = 1\n",
    "numbers for text": b"domain = 7\n",
    "text for a table": b'train = "fast"\n',
    "a list of tables": b"[[train]]\nepochs = 1\n[[train]]\nepochs = 2\n",
    "an endless line": b"domain = '" + b"a" * 2_000_000 + b"'\n",
    "zero bytes": b"\0" * 1000,
    "twice": TOML + TOML,
}


def settings(seed: int, count: int) -> Iterator[Case]:
    """Yield cases with settings on the command line; nothing is done but to check them."""
    for number in range(count):
        rng = random.Random(f"{seed} setting {number}")
        words = ["run", "--dry-run"]
        for _ in range(rng.choice((1, 1, 2))):
            form = rng.random()
            pair = f"{rng.choice(KEYS)}={rng.choice(VALUES)}"
            words += ["--set", pair if form < 0.9 else pair.replace("=", rng.choice(("", "==", " ", ":")))]
        yield _typed(f"--set {number}", words)


def specs(seed: int, count: int) -> Iterator[Case]:
    """Yield cases with specs of domains."""
    for number in range(count):
        rng = random.Random(f"{seed} spec {number}")
        options = ",".join(f"{rng.choice(OPTIONS)}={rng.choice(VALUES)}" for _ in range(rng.choice((0, 1, 1, 2))))
        spec = f"{rng.choice(DOMAINS)}{rng.choice((':', ':', ':', '', '::'))}{options}"
        yield _typed(f"domain {number}", ["data", spec, "-n", "3", "-o", "out.npz"])


def arguments(seed: int, count: int) -> Iterator[Case]:
    """Yield cases with odd flags and arguments."""
    for number in range(count):
        rng = random.Random(f"{seed} argument {number}")
        command = rng.choice(COMMANDS)
        words = [command]
        for _ in range(rng.choice((1, 2))):
            words += [rng.choice(FLAGS)] + ([rng.choice(VALUES)] if rng.random() < 0.8 else [])
        if rng.random() < 0.3:
            words.append(rng.choice(VALUES))
        if command in ("run", "train"):
            words = [command, "--dry-run", *words[1:]] if command == "run" else ["train", "no-such-run", *words[1:]]
        if command == "data":  # no output may be written outside the case's folder
            words = ["data", "lightsout:size=2", "-n", rng.choice(VALUES), "-o", "out.npz"]
        if command == "report" and "--open" in words:
            continue
        yield _typed(f"arguments {number}", [word for word in words if "\0" not in word])


def files(seed: int, count: int) -> Iterator[Case]:
    """Yield cases with configuration files."""
    odd = list(ODD_TOML.items())
    for number in range(count):
        rng = random.Random(f"{seed} toml {number}")
        if number < len(odd):
            name, content = odd[number]
        else:
            name, content = f"damaged {number}", damaged(TOML, rng)

        def prepare(content: bytes, folder: Path) -> Sequence[str]:
            (folder / "config.toml").write_bytes(content)
            return ["run", "--dry-run", "--config", "config.toml"]

        yield Case(group="settings", name=f"TOML: {name}", prepare=partial(prepare, content))


def _typed(name: str, words: Sequence[str]) -> Case:
    def prepare(_: Path) -> Sequence[str]:
        return [word.replace("\0", "") for word in words]  # no operating system passes it on

    return Case(group="settings", name=f"{name}: {' '.join(words)[:150]!r}", prepare=prepare)
