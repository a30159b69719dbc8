"""The stages of a run as a table: what each needs, which settings decide it, which files it reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import attrs

DATA = "data.npz"
CODE, METRICS, MEASURES, LEARNER, BITS = (
    "code.safetensors",
    "metrics.jsonl",
    "measures.json",
    "learner.json",
    "bits.npz",
)
STRIPS, PDDL, EXTRACTION, JUDGEMENT = "strips.npz", "domain.pddl", "extraction.json", "judgement.json"
RESULTS, DIAGNOSIS, LIFTING = "results.json", "diagnosis.json", "lifting.json"


@attrs.frozen(kw_only=True)
class Stage:
    """A stage, named like the command that runs it.

    ``revision`` must be raised with every change of what the stage computes: results of an earlier revision are then
    computed again. A component has a revision of its own.
    """

    name: str
    needs: str | None = None  # the stage before it
    sections: tuple[str, ...]  # of the settings
    reads: tuple[str, ...] = ()  # files of earlier stages that decide the result
    looks_at: str | None = None  # a stage whose files are read too, if it is finished
    files: tuple[str, ...]  # what it writes
    revision: int = 1


STAGES: Mapping[str, Stage] = MappingProxyType(
    {
        stage.name: stage
        for stage in (
            Stage(name="data", sections=("domain", "data"), files=(DATA,), revision=2),  # 2: films are split by episode
            Stage(
                name="train",
                needs="data",
                sections=("learner", "autoencoder", "train"),
                reads=(DATA,),
                files=(CODE, METRICS, MEASURES, LEARNER, BITS),
            ),
            Stage(
                name="extract",
                needs="train",
                sections=("extract",),
                reads=(DATA, CODE, BITS),
                files=(STRIPS, PDDL, EXTRACTION, JUDGEMENT),
                revision=2,  # 2: precision
            ),
            Stage(
                name="lift",
                needs="extract",
                sections=("lift",),
                reads=(DATA, CODE, BITS, STRIPS),
                files=(LIFTING,),
                revision=2,  # 2: stacks are found, over-general models are refused
            ),
            Stage(
                name="evaluate",
                needs="extract",
                sections=("plan",),
                reads=(DATA, CODE, BITS, STRIPS),
                files=(RESULTS,),
                revision=2,  # 2: doubtful steps
            ),
            Stage(
                name="diagnose",
                needs="extract",
                sections=("diagnose",),
                reads=(DATA, CODE, BITS, STRIPS),
                looks_at="evaluate",
                files=(DIAGNOSIS,),
            ),
        )
    }
)

WRITTEN_BY: Mapping[str, str] = MappingProxyType({file: name for name, stage in STAGES.items() for file in stage.files})


def way_to(name: str) -> tuple[Stage, ...]:
    """Return the stages that lead to a stage, in order, the stage itself last."""
    stage = STAGES[name]
    return (stage,) if stage.needs is None else (*way_to(stage.needs), stage)
