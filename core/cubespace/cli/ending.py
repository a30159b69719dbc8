"""How a command ends: whatever went wrong becomes one line on stderr and a documented exit code."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
import warnings

import typer
from typer.exceptions import TyperException

from cubespace.base.errors import CubeError, CubeNote, InputError, UsageError, is_memory_error
from cubespace.base.words import printable, shortened
from cubespace.cli.signals import Stopped, requests
from cubespace.plugins.blame import culprit, reason

FAILED, INTERRUPTED = 1, 130


def tell(error: BaseException) -> int:
    """Say in one line why a command has failed, and return its exit code."""
    requests.ignore()
    stop = error if isinstance(error, Stopped) else requests.last  # a library may have turned it into something else
    if os.environ.get("CUBE_DEBUG") and stop is None:
        traceback.print_exception(error)
    if stop is not None:
        message, code = str(stop) + stop.advice, stop.exit_code
    elif isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError):
        # the reader of our output has gone, as in `cube plugins | head`; typer makes a SystemExit of it
        message, code = "", 0
    else:
        message, code = explain(error)
    if isinstance(error, (OSError, SystemExit)):  # printing what is left would fail once more at the very end
        _discard_output()
    if message:
        with contextlib.suppress(OSError, AttributeError):  # stderr may be closed, or on a full disk
            print(f"cube: {shortened(printable(message))}", file=sys.stderr)
    return code


def explain(error: BaseException) -> tuple[str, int]:
    """Return the message for an error, and the exit code."""
    if isinstance(error, CubeError):
        return str(error), error.exit_code
    if isinstance(error, TyperException):  # any mistake on the command line
        return _wrong_words(error), UsageError.exit_code
    if isinstance(error, (typer.Abort, KeyboardInterrupt)):
        return "interrupted", INTERRUPTED
    return _explain_unexpected(error)


def _explain_unexpected(error: BaseException) -> tuple[str, int]:
    if is_memory_error(error):
        return f"not enough memory: {reason(error)}; use smaller numbers, or a machine with more", FAILED
    blamed = culprit(error)
    if blamed is not None:
        return f"{blamed} failed: {reason(error)} (cube --debug … shows where)", FAILED
    if isinstance(error, SystemExit):  # of the shell's completion, for example
        return "", error.code if isinstance(error.code, int) else 0
    if isinstance(error, OSError):
        what = f"'{error.filename}'" if error.filename is not None else "the output"
        return f"cannot use {what}: {error.strerror or error}", InputError.exit_code
    return f"unexpected {reason(error)} (cube --debug … shows where)", FAILED


def show_notes() -> None:
    """Show notes about the input in one line each, whatever is done with other warnings."""
    outer = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: object, **more: object) -> None:
        if issubclass(category, CubeNote):
            print(f"cube: note: {shortened(printable(str(message)))}", file=sys.stderr)
        else:
            outer(message, category, *where, **more)  # type: ignore[arg-type]

    warnings.showwarning = show
    warnings.simplefilter("always", CubeNote)


def _wrong_words(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "cube"
    message = error.format_message()
    full_stop = "" if message.endswith((".", "?")) else "."
    return f"{message}{full_stop} See {command} -h." if message else "no command given"


def _discard_output() -> None:
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
