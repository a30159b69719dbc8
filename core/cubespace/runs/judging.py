"""The judgement of a run: what pairs held out tell about its model, without any simulator."""

from __future__ import annotations

import numpy as np

from cubespace.data.transitions import Transitions
from cubespace.evaluation.judgement import Judgement, Observed, judge_model
from cubespace.evaluation.memorisation import known_pictures
from cubespace.evaluation.own_changes import locate, own_changes
from cubespace.evaluation.same_codes import look_different
from cubespace.learning import inference
from cubespace.learning.autoencoder import SpaceAutoEncoder
from cubespace.runs.solving import redrawing_errors
from cubespace.symbols.strips import StripsModel


def judge_run(
    network: SpaceAutoEncoder, model: StripsModel, data: Transitions, *, effects: str, labels: int | None, length: int
) -> Judgement:
    """Judge the model of a run by its validation and test splits, from which no effect was learned."""
    training, tests = data.train, (data.validation, data.test)
    before, after = (inference.encode(network, images) for images in (training.before, training.after))
    held_before, held_after = (
        inference.encode(network, np.concatenate([getattr(split, side) for split in tests]))
        for side in ("before", "after")
    )
    states, pictures = np.concatenate([before, after]), np.concatenate([training.before, training.after])
    held_pictures = np.concatenate([images for split in tests for images in (split.before, split.after)])
    return judge_model(
        Observed(
            before=before,
            after=after,
            held_before=held_before,
            held_after=held_after,
            model=model,
            length=length,
            effects=effects,
            labels=labels,
            most_labels=network.actions,
            known_pictures=known_pictures((training.before, training.after), held_pictures),
            look_different=int(look_different(states, pictures, redrawing_errors(network, pictures)).sum()),
            own_changes=[locate(change, before, training.before) for change in own_changes(before, after)],
        )
    )
