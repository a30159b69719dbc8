"""Which component, plugin and package an unexpected error comes from.

The catalogue remembers what it builds. When something fails, the component whose method was running is found in the
traceback; if a component has merely returned an invalid value, it is the one that a :func:`blame` block names.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from cubespace.base.errors import ComponentError, ContractError, CubeError, is_memory_error
from cubespace.plugins.entry_points import installed

_known: list[tuple[weakref.ref[object], str]] = []  # what was built, and its title


def remember(component: object, title: str) -> None:
    """Remember the title of a component, or of the class of one."""
    _known[:] = [known for known in _known if known[0]() is not None and known[0]() is not component]
    with contextlib.suppress(TypeError):  # a class with slots and without __weakref__: its class is known
        _known.append((weakref.ref(component), title))


def stand_for(other: object, component: object) -> None:
    """Remember that an object works for a component: its errors are attributed to the component."""
    title = title_of(component)
    if title is not None:
        remember(other, title)


def title_of(component: object) -> str | None:
    """Return the title of a component: kind, name, plugin and package."""
    if component is None:
        return None
    return next((title for reference, title in _known if reference() is component), None)


@contextmanager
def blame(*suspects: object) -> Iterator[None]:
    """Turn any error in the block into one that names the component that was running, or else the suspects.

    Without either, the error stays as it is: a mistake of ours, a full disk, too little memory.
    """
    try:
        yield
    except CubeError:  # has a message of its own
        raise
    except (Exception, SystemExit) as error:
        blamed = culprit(error)
        if blamed is None and not isinstance(error, OSError):
            blamed = " or ".join(title_of(suspect) or type(suspect).__name__ for suspect in suspects)
        if not blamed or is_memory_error(error):
            raise
        raise ComponentError(f"{blamed} failed: {reason(error)}") from error


def culprit(error: BaseException) -> str | None:
    """Return the title of the component, or else the plugin, whose code raised an error; None if it is ours."""
    if isinstance(error, ContractError) and error.component is not None:
        return _title(error.component)
    frames = list(reversed(list(_frames(error))))  # the innermost first
    for frame in frames:
        for name in ("self", "cls"):
            title = _title(frame.f_locals.get(name))
            if title is not None:
                return title
    packages = {entry.value.partition(".")[0].partition(":")[0]: (entry.name, source) for entry, source in installed()}
    for frame in frames:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in packages and package != __name__.partition(".")[0]:
            plugin, source = packages[package]
            return f"plugin '{plugin}' ({source})"
    return None


def reason(error: BaseException) -> str:
    """Return the message of an error in one line."""
    if isinstance(error, SystemExit):
        return f"it called sys.exit({'' if error.code is None else error.code})"
    first = next(iter(str(error).splitlines()), "")
    if isinstance(error, ContractError):
        return first
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _title(component: object) -> str | None:
    """Return what to call a component; one that the catalogue did not build is known by its class."""
    return title_of(component) or title_of(type(component))


def _frames(error: BaseException) -> Iterator[FrameType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next
