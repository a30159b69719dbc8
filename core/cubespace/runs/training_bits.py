"""The bits of a run's training split."""

from __future__ import annotations

from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.learning import inference
from cubespace.learning.autoencoder import SpaceAutoEncoder
from cubespace.runs.stages import Pipeline


def training_memory(pipeline: Pipeline, network: SpaceAutoEncoder) -> TrainingMemory:
    """Return what learning saw, in bits."""
    known = pipeline.transitions().train
    return TrainingMemory.of(*(inference.encode(network, pictures) for pictures in (known.before, known.after)))
