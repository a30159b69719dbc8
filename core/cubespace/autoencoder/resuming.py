"""A training in a run folder: rows go to ``metrics.jsonl``, and after any interruption it continues."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np
import torch

from cubespace.autoencoder.checkpoint import CURRENT, PREVIOUS, load_checkpoint, save_checkpoint
from cubespace.autoencoder.devices import pick_device
from cubespace.autoencoder.inference import as_pixels
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.objective import Objective
from cubespace.autoencoder.phase import Phase
from cubespace.autoencoder.training import Measured, Row, Trainer
from cubespace.base.errors import InputError
from cubespace.base.files import Appended, write_text
from cubespace.settings.recipe import Execution, Recipe
from cubespace.settings.stages import METRICS

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs


class TrainingRun:
    """Trains in a folder. Iterate to train: each row is an epoch. The same call again continues where it was cut off.

    ``notes`` are lines for the user, such as that a damaged checkpoint was not used.
    """

    def __init__(
        self,
        folder: Path,
        model: SpaceAutoEncoder,
        training: Pairs,
        validation: Pairs,
        recipe: Recipe,
        *,
        objective: Objective,
        phases: Sequence[type[Phase]],
        execution: Execution,
        before_rewriting: Callable[[], Measured] = dict,
    ) -> None:
        self.folder = folder
        self.execution = execution
        self.identity = {**attrs.asdict(recipe), "data": fingerprint(training)}
        device = pick_device(self.execution.device)
        self.model = model.to(device)
        images, held_out = (_stack(split, device) for split in (training, validation))
        self.trainer = Trainer(
            self.model,
            images,
            held_out,
            recipe.train,
            objective=objective,
            phases=phases,
            execution=execution,
            before_rewriting=before_rewriting,
        )
        self.history: list[Row] = []
        self.notes: tuple[str, ...] = ()
        self._restore()

    @property
    def epochs(self) -> int:
        """Return the number of epochs in all; less once a phase was stopped early."""
        return self.trainer.epochs

    @property
    def done(self) -> int:
        """Return the number of epochs behind us."""
        return self.trainer.done

    def __iter__(self) -> Iterator[Row]:
        """Train to the end."""
        saved = time.monotonic()
        with Appended(self.folder / METRICS) as metrics:
            for row in self.trainer.rows():
                self.history.append(row)
                metrics.add(json.dumps(row))
                due = time.monotonic() - saved >= self.execution.checkpoint_seconds
                if due or self.trainer.finished:
                    self._save()
                    saved = time.monotonic()
                yield row

    def _restore(self) -> None:
        """Continue from the newest good checkpoint, if any, and let the metrics end where it does."""
        restored = load_checkpoint(self.folder, self.identity)
        if restored is not None:
            try:
                self.trainer.restore(restored.state["trainer"])
                self.history = [dict(row) for row in json.loads(restored.state["history"])]
            except Exception as error:  # a forged file can make the reader raise anything
                raise InputError(
                    f"the checkpoint in {self.folder} does not fit this training ({type(error).__name__}): "
                    f"remove {CURRENT} and {PREVIOUS} to train from the beginning"
                ) from error
            self.notes = restored.notes
        # epochs since the checkpoint will be done again: their rows must not be there twice
        write_text(self.folder / METRICS, "".join(json.dumps(row) + "\n" for row in self.history))

    def _save(self) -> None:
        state = {"trainer": self.trainer.state(), "history": json.dumps(self.history)}
        save_checkpoint(self.folder, state, self.identity)


def fingerprint(pictures: Pairs) -> str:
    """Return a hash of the pictures: a training cannot be continued on others."""
    digest = hashlib.sha256()
    for part in (pictures.before, pictures.after):
        digest.update(f"{part.dtype} {part.shape} ".encode())
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def _stack(pictures: Pairs, device: torch.device) -> torch.Tensor:
    """Return both pictures of all transitions as bytes on the device, (2, transitions, pixels)."""
    parts = (pictures.before, pictures.after)
    if len(parts[0]) != len(parts[1]) or len(parts[0]) == 0 or any(part.dtype != np.uint8 for part in parts):
        raise InputError("a split needs at least one transition, and as many uint8 pictures after as before")
    return torch.stack([as_pixels(part) for part in parts]).to(device)
