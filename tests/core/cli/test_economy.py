"""What one command costs: each file of the run is hashed once, its data set and its code are read once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import filelock
import pytest
from tiny_run import WORLD

from cubespace.base import options
from cubespace.cli import run as run_module
from cubespace.cli.commands import run_command
from cubespace.data import transitions
from cubespace.runs import learners
from cubespace.runs.folder import contents, run_folder
from cubespace.runs.folder.plan_files import _digest
from cubespace.settings import run_config

NEW_RUN = ["run", *WORLD, "--set", "data.transitions=300", "-q", "-o"]


class Costs:
    """Counts what commands do that are run in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch = monkeypatch
        self.calls: Counter[str] = Counter()
        self.hashes: Counter[Path] = Counter()
        digest = hashlib.file_digest

        def file_digest(file: BinaryIO, *rest: Any) -> Any:
            self.hashes[Path(file.name)] += 1
            return digest(file, *rest)

        monkeypatch.setattr(hashlib, "file_digest", file_digest)
        for owner, name in (
            (transitions, "load"),
            (contents, "load_bits"),
            (contents, "load_strips"),
            (learners, "load_code"),
            (run_folder, "read_manifest"),
            (run_folder, "resolve_components"),
            (run_module, "resolve_components"),
            (run_config, "read_toml"),
            (filelock.FileLock, "acquire"),
        ):
            self.count(owner, name)

    def count(self, owner: Any, name: str) -> None:
        """Count the calls of a function wherever it is looked up."""
        function: Callable[..., Any] = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            self.calls[name] += 1
            return function(*arguments, **named)

        self.patch.setattr(owner, name, counted)

    def of(self, *words: str) -> Costs:
        """Run a command, and count anew."""
        self.calls.clear()
        self.hashes.clear()
        _digest.cache_clear()  # as in a process of its own
        assert run_command(words) == 0
        return self


@pytest.fixture
def costs(monkeypatch, tmp_path) -> Costs:
    monkeypatch.chdir(tmp_path)
    return Costs(monkeypatch)


def test_a_run_hashes_each_file_once_and_reads_data_and_code_at_most_twice(costs) -> None:
    first = costs.of(*NEW_RUN, "run")
    assert len(first.hashes) == 11 + 16  # all files that its four stages have written, and pictures of plans
    assert set(first.hashes.values()) == {1}
    assert first.calls["load"] <= 2  # the data set is let go before planners run, and read again for the report
    assert first.calls["load_code"] == first.calls["load_strips"] == first.calls["load_bits"] == 1
    assert first.calls["read_manifest"] <= 2 * 4
    assert first.calls["acquire"] == first.calls["resolve_components"] == 1

    again = costs.of(*NEW_RUN, "run")
    assert len(again.hashes) == 11 + 16
    assert set(again.hashes.values()) == {1}
    assert again.calls["load"] == again.calls["load_code"] == again.calls["read_manifest"] == 1
    assert again.calls["acquire"] == again.calls["resolve_components"] == again.calls["read_toml"] == 1


def test_commands_on_a_finished_run_read_its_files_once(costs, default_run) -> None:
    run = str(default_run)
    pictures = [str(default_run / "problems" / "000" / f"{name}.png") for name in ("init", "goal")]
    for words in (["plan", "--run", run, *pictures, "-q"], ["lift", run, "-q"], ["report", run], ["extract", run]):
        command = costs.of(*words)
        assert set(command.hashes.values()) == {1}, words
        assert all(command.calls[name] <= 1 for name in ("load", "load_code", "load_strips", "load_bits")), words
        assert command.calls["read_toml"] == 1, words
        assert command.calls["resolve_components"] <= 1, words
        assert command.calls["acquire"] <= 1, words


def test_a_spec_is_parsed_once(costs) -> None:
    options.parse_spec.cache_clear()
    split, parsed = options.split_list, Counter()

    def counted(text: str, whole: str) -> list[str]:
        if text is not whole:  # a part of a spec; a whole text is only checked for quotes
            parsed[whole] += 1
        return split(text, whole)

    costs.patch.setattr(options, "split_list", counted)
    costs.of(*NEW_RUN, "run")
    assert set(parsed.values()) == {1}
    assert len(parsed) == options.parse_spec.cache_info().currsize
