"""The hooks by which plugins extend cubespace.

A plugin is any module or object registered under the entry-point group ``cubespace``. Each hook but ``cube_commands``
is called once, when the plugin is loaded, and hands what it offers to the registry: for a component a name, the class
(or ``"module:Class"``, imported on first use) and one line for the listing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import typer

    from cubespace.plugins.component import Registry
    from cubespace.plugins.offers import PresetRegistry

PROJECT = "cubespace"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def cube_domains(registry: Registry) -> None:
    """Offer sources of pictures, chosen with ``--domain NAME``: :class:`cubespace.data.domain.Domain`."""


@hookspec
def cube_bit_learners(registry: Registry) -> None:
    """Offer ways to learn bits from pairs of pictures, chosen with ``--learner NAME``.

    A component is a :class:`cubespace.learning.bit_learner.BitLearner`.
    """


@hookspec
def cube_encoders(registry: Registry) -> None:
    """Offer networks from pictures to bits, chosen with ``--set autoencoder.encoder=NAME``.

    A component is a :class:`cubespace.autoencoder.encoder.Encoder`.
    """


@hookspec
def cube_decoders(registry: Registry) -> None:
    """Offer networks from bits to pictures, chosen with ``--set autoencoder.decoder=NAME``.

    A component is a :class:`cubespace.autoencoder.encoder.Decoder`.
    """


@hookspec
def cube_apply_modules(registry: Registry) -> None:
    """Offer ways to apply an action to bits, chosen with ``--apply NAME``.

    A component is a :class:`cubespace.autoencoder.apply_module.ApplyModule`.
    """


@hookspec
def cube_action_models(registry: Registry) -> None:
    """Offer ways to infer the action between two states, chosen with ``--set autoencoder.action=NAME``.

    A component is a :class:`cubespace.autoencoder.action_model.ActionModel`.
    """


@hookspec
def cube_objectives(registry: Registry) -> None:
    """Offer losses of the joint training, chosen with ``--set autoencoder.objective=NAME``.

    A component is a :class:`cubespace.autoencoder.objective.Objective`.
    """


@hookspec
def cube_training_steps(registry: Registry) -> None:
    """Offer phases besides the joint training, listed in ``--set train.extensions=NAME+NAME``.

    A component is a class derived from :class:`cubespace.autoencoder.phase.Phase`.
    """


@hookspec
def cube_precondition_learners(registry: Registry) -> None:
    """Offer ways to learn when an action applies, chosen with ``--precondition NAME``.

    A component is a :class:`cubespace.symbols.precondition_learner.PreconditionLearner`.
    """


@hookspec
def cube_planners(registry: Registry) -> None:
    """Offer solvers, chosen with ``--planner NAME``.

    A component is a :class:`cubespace.search.solver.Solver`; one that runs a planner as a process is a
    :class:`cubespace.search.planner.PlannerBackend`.
    """


@hookspec
def cube_observers(registry: Registry) -> None:
    """Offer observers of runs, such as trackers, chosen with ``--observer NAME``.

    A component is a :class:`cubespace.base.observer.Observer`.
    """


@hookspec
def cube_executors(registry: Registry) -> None:
    """Offer ways to run the jobs of an experiment: :class:`cubespace.experiments.executor.Executor`."""


@hookspec
def cube_presets(registry: PresetRegistry) -> None:
    """Offer settings under a name, chosen with ``--preset NAME``.

    ``registry.add(name, settings, reason)`` takes nested tables, or TOML text whose first lines are a comment with the
    reason.
    """


@hookspec
def cube_commands(app: typer.Typer) -> None:
    """Add commands to ``cube``; called whenever the command line starts, so keep heavy imports inside the commands.

    ``app`` is empty; its commands then join those of ``cube``. Their names must be new.
    """
