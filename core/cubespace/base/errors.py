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


class ComponentError(CubeError):
    """A component failed; the message names it, its plugin and its package."""


class ContractError(Exception):
    """A component has returned something that its contract does not allow; the caller adds the component's name."""

    def __init__(self, message: str, component: object = None) -> None:
        super().__init__(message)
        self.component = component


class CubeNote(UserWarning):
    """Something the user should know about the input, but need not act on; issued with ``warnings.warn``."""


def is_memory_error(error: BaseException) -> bool:
    """Return whether there was not enough memory; torch has no error class for memory of the processor."""
    words = ("can't allocate memory", "not enough memory", "out of memory", "Invalid size", "Storage size calculation")
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(word in str(error) for word in words)
    )
