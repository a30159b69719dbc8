"""Requests to end: one line, the documented exit code, nothing left behind; ignored where the parent said so."""

import signal
import subprocess
import sys
import time

import pytest
from tiny_run import ARGUMENTS

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
COMMAND = [sys.executable, "-m", "cubespace.cli", "run", *ARGUMENTS, "--set", "train.epochs=2000", "-o", "run"]


def start(tmp_path, *, ignoring: bool = False) -> subprocess.Popen[str]:
    """Start a long run, with the signals as they are for a job in the foreground or in the background."""
    action = signal.SIG_IGN if ignoring else signal.SIG_DFL
    before = {number: signal.signal(number, action) for number in CODES}  # a child inherits what is ignored
    try:
        return subprocess.Popen(COMMAND, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def wait_for_epochs(process, tmp_path, number: int) -> None:
    metrics = tmp_path / "run" / "metrics.jsonl"
    while not (metrics.exists() and metrics.read_text().count("\n") >= number):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)


def test_a_training_that_is_asked_to_end_says_how_to_go_on(tmp_path) -> None:
    process = start(tmp_path)
    wait_for_epochs(process, tmp_path, 1)
    process.terminate()
    process.terminate()  # one request is often sent to the process and to its group
    _, talk = process.communicate(timeout=600)
    assert process.returncode == CODES[signal.SIGTERM]
    expected = "cube: interrupted (SIGTERM): the same command continues from the last checkpoint in run"
    assert talk.splitlines()[-1] == expected
    assert "Traceback" not in talk
    assert not list((tmp_path / "run").rglob("*.part"))
    assert "interrupted (SIGTERM)" in (tmp_path / "run" / "run.log").read_text()


# asks its own process to end when a certain module is about to be imported
INTERRUPTED = """
import os, signal, sys

signal.signal({number}, signal.default_int_handler if {number} == signal.SIGINT else signal.SIG_DFL)  # not nohup

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Interrupting())
from cubespace.cli import main
main()
"""


@pytest.mark.parametrize(
    ("number", "module"),
    [
        (signal.SIGINT, "importlib.metadata"),  # the first that takes time to import
        (signal.SIGTERM, "pluggy"),
        (signal.SIGTERM, "numpy.random"),
        (signal.SIGHUP, "torch.nn"),
    ],
)
def test_an_interruption_while_libraries_are_loaded_is_told_too(tmp_path, number, module) -> None:
    program = INTERRUPTED.format(module=module, number=int(number))
    command = [sys.executable, "-c", program, *COMMAND[3:]]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == CODES[number]
    assert answer.stderr.splitlines()[-1].startswith(f"cube: interrupted ({number.name})")
    assert "Traceback" not in answer.stderr


def test_a_job_in_the_background_that_ignores_signals_goes_on(tmp_path) -> None:
    process = start(tmp_path, ignoring=True)
    try:
        wait_for_epochs(process, tmp_path, 1)
        for number in CODES:
            process.send_signal(number)
        wait_for_epochs(process, tmp_path, 4)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_after_the_last_word_changes_nothing(number) -> None:
    program = f"""
import atexit, os, sys
from cubespace.cli import main
atexit.register(os.kill, os.getpid(), {number:d})
sys.argv = ["cube", "--version"]
main()
"""
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")
