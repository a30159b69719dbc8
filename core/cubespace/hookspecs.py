"""The hooks by which plugins extend cubespace.

A plugin is any module or object registered under the entry-point group ``cubespace``. Each hook is called once, when
the plugin is loaded, and hands its components to the registry: a name, the class (or ``"module:Class"``, imported on
first use) and one line for the listing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from cubespace.plugins import Registry

PROJECT = "cubespace"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def cube_domains(registry: Registry) -> None:
    """Offer sources of transitions (:class:`cubespace.domains.Domain`), chosen with ``--domain NAME``."""


@hookspec
def cube_apply_modules(registry: Registry) -> None:
    """Offer ways to apply an action to bits (:class:`cubespace.apply.ApplyModule`), chosen with ``--apply NAME``."""


@hookspec
def cube_precondition_learners(registry: Registry) -> None:
    """Offer ways to learn when an action applies, chosen with ``--precondition NAME``.

    A component is a :class:`cubespace.preconditions.PreconditionLearner`.
    """


@hookspec
def cube_planners(registry: Registry) -> None:
    """Offer planner backends (:class:`cubespace.planners.PlannerBackend`), chosen with ``--planner NAME``."""
