"""Errors that a user can fix: one line that names the problem and the way out."""

from __future__ import annotations

from typing import ClassVar


class CubeError(Exception):
    """A failure that is explained by its message alone; the command line prints it without a traceback."""

    exit_code: ClassVar[int] = 1


class UsageError(CubeError):
    """Wrong usage: an unknown name, a bad option, a contradiction."""

    exit_code = 2


class InputError(CubeError):
    """A file or folder that cannot be used: missing, damaged, of the wrong kind, not writable."""

    exit_code = 3


class CubeNote(UserWarning):
    """Something the user should know about the input, but need not do anything about; given by ``warnings.warn``."""
