"""However a command ends: one line on stderr, a documented exit code, no traceback unless asked for."""

import os
import subprocess
import sys

import pytest
from stranger import stranger

from cubespace.base.errors import InputError, UsageError
from cubespace.cli.ending import explain

LOST = "\udcff"  # the byte 0xff in the name of a file, as Python holds it


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (UsageError("wrong"), 2, "wrong"),
        (InputError("bad file"), 3, "bad file"),
        (MemoryError("2 TB"), 1, "not enough memory: MemoryError: 2 TB"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 4 TB"), 1, "not enough memory"),
        (PermissionError(13, "Permission denied", "/x"), 3, "cannot use '/x': Permission denied"),
        (OSError(28, "No space left on device"), 3, "cannot use the output: No space left on device"),
        (RecursionError("maximum recursion depth exceeded"), 1, "unexpected RecursionError"),
        (ValueError("first\nsecond"), 1, "unexpected ValueError: first (cube --debug"),
        (KeyError(), 1, "unexpected KeyError (cube --debug"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_every_error_has_a_line_and_a_code(error, code, words) -> None:
    message, given = explain(error)
    assert given == code
    assert message.startswith(words)
    assert "\n" not in message


@pytest.mark.parametrize("target", ["/", "", ".", "pipe", "link", "x" * 5000, f"{'x' * 300}/data.npz"])
def test_data_go_into_a_file_or_nowhere(cube, tmp_path, target) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    before = sorted(tmp_path.iterdir()), (tmp_path / "pipe").is_fifo(), (tmp_path / "link").is_symlink()
    answer = cube("data", "lightsout:size=2", "-n", "5", "-o", target)
    assert answer.returncode == 3
    assert answer.stderr.startswith("cube: cannot write")
    assert answer.stderr.count("\n") == 1
    assert len(answer.stderr) < 2500
    assert (sorted(tmp_path.iterdir()), (tmp_path / "pipe").is_fifo(), (tmp_path / "link").is_symlink()) == before


def test_a_name_that_is_no_text_is_written_and_printed_as_it_is(tmp_path) -> None:
    command = [sys.executable, "-m", "cubespace.cli", "data", "lightsout:size=2", "-n", "5", "-o", f"{LOST}.npz"]
    answer = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == b"\xff.npz\n"
    assert (tmp_path / f"{LOST}.npz").is_file()


def test_names_of_files_cannot_write_lines_of_their_own(cube) -> None:
    answer = cube("show", "photo:image=a\ncube: all is well\x1b7.png")
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1
    assert "a\\ncube: all is well\\x1b7.png" in answer.stderr


def test_an_error_line_has_an_end(cube) -> None:
    words = [word for number in range(2000) for word in ("--set", f"unknown{number}=1")]
    answer = cube("run", *words)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert len(answer.stderr) < 2500


def test_a_full_disk_under_the_output_is_told(tmp_path) -> None:
    command = [sys.executable, "-m", "cubespace.cli", "plugins", "--json"]
    with open("/dev/full", "w") as full:  # writing to it is always refused, and changes nothing
        answer = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    assert answer.returncode == 3
    assert answer.stderr == "cube: cannot use the output: No space left on device\n"


def test_a_reader_that_goes_away_is_no_error(tmp_path) -> None:
    command = [sys.executable, "-m", "cubespace.cli", "plugins", "--json"]
    read, write = os.pipe()
    os.close(read)
    answer = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, cwd=tmp_path, check=False)
    os.close(write)
    assert (answer.returncode, answer.stderr) == (0, "")


COMMANDS = """
import sys
from cubespace import hookimpl

@hookimpl
def cube_commands(app):
    @app.command()
    def leave():
        sys.exit(0)

    @app.command()
    def fail():
        raise ValueError("no luck")
"""


def test_a_command_of_a_plugin_that_fails_is_blamed_on_the_plugin(cube, tmp_path) -> None:
    environment = stranger(tmp_path, COMMANDS)
    failed = cube("fail", env=environment)
    assert failed.returncode == 1
    assert failed.stderr == (
        "cube: plugin 'stranger' (cube-stranger 0.1) failed: ValueError: no luck (cube --debug … shows where)\n"
    )
    assert "Traceback" in cube("--debug", "fail", env=environment).stderr
    left = cube("leave", env=environment)
    assert left.returncode == 1
    assert "'stranger' (cube-stranger 0.1) failed: it called sys.exit(0)" in left.stderr


def test_a_plugin_that_exits_at_import_is_skipped_by_name(cube, tmp_path) -> None:
    answer = cube("plugins", "domain", "--json", env=stranger(tmp_path, "import sys; sys.exit(0)"))
    assert answer.returncode == 0
    assert '"mnist"' in answer.stdout
    assert answer.stderr == "skipped plugin 'stranger' (cube-stranger 0.1): it called sys.exit(0)\n"
