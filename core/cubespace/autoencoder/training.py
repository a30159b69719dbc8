"""The training loop: a generator of one row per epoch. Progress bar, log file and checkpoint belong to the caller."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cubespace.autoencoder import schedules
from cubespace.autoencoder.devices import RandomState, settle
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.noise_pool import leave_pools_uncompiled, refresh_noise
from cubespace.autoencoder.objective import Objective, check_losses
from cubespace.autoencoder.phase import Phase, as_tensors
from cubespace.autoencoder.rectified_adam import RectifiedAdam
from cubespace.autoencoder.schedules import batch_sizes, steps_of_epoch
from cubespace.autoencoder.stopping import EarlyStop
from cubespace.autoencoder.table_1 import table_1
from cubespace.base.errors import CubeError
from cubespace.settings.recipe import Execution, TrainConfig

Row = dict[str, Any]
Measured = Mapping[str, Any]  # measures by split, as plain JSON


class Trainer:
    """Trains a network in place, phase by phase; between two epochs its state can be taken and put back bit by bit.

    ``images`` and ``validation`` are uint8 (2, transitions, pixels) on the device of the model.
    """

    optimizer: RectifiedAdam

    def __init__(
        self,
        model: SpaceAutoEncoder,
        images: Tensor,
        validation: Tensor,
        config: TrainConfig,
        *,
        objective: Objective,
        phases: Sequence[type[Phase]],
        execution: Execution,
        before_rewriting: Callable[[], Measured] = dict,
    ) -> None:
        settle(execution.threads, images.device)
        self.model = model
        self.images = images
        self.validation = validation
        self.config = config
        self.execution = execution
        if execution.compile:
            leave_pools_uncompiled(model)
        self.objective = objective
        self.plan = list(phases)
        self.before_rewriting = before_rewriting
        self.as_trained: Measured = {}  # what is measured before anything is rewritten
        self.updates = 0  # gradient steps, over all phases
        self.order = np.random.default_rng(config.seed)  # of the data
        self.random = RandomState(config.seed, images.device)  # of noise
        self.done = 0  # epochs, over all phases
        self._begin(0)

    @property
    def steps(self) -> int:
        """Return the updates of an epoch."""
        return steps_of_epoch(self.config, self.images.shape[1])

    @property
    def epochs(self) -> int:
        """Return the number of epochs of all phases: of those that are over as many as they took."""
        left = sum(phase.epochs(self.config, self.steps) for phase in self.plan[self.stage :])
        total: int = self.done + left - self.epoch
        return total

    @property
    def length(self) -> int:
        """Return the epochs of the present phase, at most."""
        return self.phase.epochs(self.config, self.steps)

    @property
    def finished(self) -> bool:
        """Return whether all phases are over."""
        return self.stage == len(self.plan)

    def rows(self) -> Iterator[Row]:
        """Train to the end; yield the means of the losses and the measures on validation of each epoch."""
        while not self.finished:
            started = time.perf_counter()
            row: Row = {"epoch": self.done + 1, "phase": self.phase.name}
            with self.random():
                row |= self._epoch()
            row |= {f"validation_{name}": value for name, value in table_1(self.model, self.validation).items()}
            row["seconds"] = round(time.perf_counter() - started, 3)
            with self.random():
                self._advance(row)
            yield row

    def state(self) -> dict[str, Any]:
        """Return all that the rest of the training depends on; to be saved or used before the next epoch changes it."""
        return {
            "model": self.model.state_dict(),
            "optimizer": {} if self.finished else self.optimizer.state_dict(),
            "random": self.random.state,
            "order": json.dumps(self.order.bit_generator.state),
            "done": self.done,
            "updates": self.updates,
            "as_trained": json.dumps(self.as_trained),
            "stage": self.stage,
            "phase": self.phase.state(),
            "epoch": self.epoch,
            "best": self.best,
            "since_best": self.since_best,
            "recent": json.dumps(self.early_stop.recent),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue where :meth:`state` was taken."""
        self.model.load_state_dict(state["model"])
        self._enter(state["stage"])
        if not self.finished:
            self.phase.restore(state["phase"])
            self.optimizer.load_state_dict(state["optimizer"])
        self.random.state = state["random"]
        self.order.bit_generator.state = json.loads(state["order"])
        self.done, self.epoch, self.updates = state["done"], state["epoch"], state["updates"]
        self.as_trained = json.loads(state["as_trained"])
        self.best, self.since_best = state["best"], state["since_best"]
        self.early_stop.recent = json.loads(state["recent"])

    def _begin(self, stage: int) -> None:
        """Go to a phase and prepare it; one without epochs is over with that."""
        for number in range(stage, len(self.plan)):
            if self.plan[number].rewrites and not self.as_trained:
                self.model.eval()
                self.as_trained = self.before_rewriting()
            self._enter(number)
            self.phase.prepare()
            if self.length:
                return
        self._enter(len(self.plan))

    def _enter(self, stage: int) -> None:
        """Go to a phase, or beyond the last one."""
        self.stage = stage
        self.epoch = 0  # of the phase
        self.best, self.since_best = math.inf, 0  # for patience
        self.early_stop = EarlyStop(self.config)
        if self.finished:
            self.model.eval()
            return
        self.phase: Phase = self.plan[stage](self.model, self.images, self.config, self.objective)
        self.losses = torch.compile(self.phase.losses) if self.execution.compile else self.phase.losses
        if self.length:
            self.optimizer = RectifiedAdam(
                self.phase.parameter_groups(),
                self.config.learning_rate,
                rectified=self.config.optimiser == "radam",
                epsilon=self.config.epsilon,
            )

    def _epoch(self) -> Row:
        """Train on every transition once, in random order, and return the mean of each loss."""
        count = self.images.shape[1]
        sizes = batch_sizes(self.config, count)
        steps = len(sizes)
        order = torch.from_numpy(self._permutation(count))
        trained = [self.phase.trained(rows) for rows in order[: sum(sizes)].split(sizes)]
        refresh_noise(self.model)
        sums: Tensor | float = 0.0
        batches = torch.cat(trained).to(self.images.device).split([len(rows) for rows in trained])
        for step, rows in enumerate(batches):
            progress = schedules.progress(self.config, self.epoch, step / steps, self.length)
            self.optimizer.learning_rate = self.phase.learning_rate(progress)
            losses = self._step(rows, progress)
            sums = sums + torch.stack(list(losses.values())).detach()  # stays on the device: nothing waits for it
        means = [value / steps for value in sums.tolist()] if isinstance(sums, Tensor) else []
        row = dict(zip(losses, means, strict=True))
        if not math.isfinite(row["total"]):
            where = f"epoch {self.done + 1}, phase {self.phase.name}"
            raise CubeError(f"training diverged ({where}): lower train.learning_rate or the weights in train.losses")
        return row

    def _permutation(self, count: int) -> NDArray[np.int64]:
        """Return the order of the transitions: a new one in every epoch or, if batches are fixed, always the same."""
        order = np.random.default_rng(self.config.seed) if self.config.batches == "fixed" else self.order
        return order.permutation(count)

    def _step(self, rows: Tensor, progress: float) -> dict[str, Tensor]:
        """Make one gradient step and return the losses before it."""
        half = self.config.precision == "bf16"
        moment = self.phase.moment(progress)
        if self.execution.compile:
            moment = as_tensors(moment, self.images.device)
        with torch.autocast(self.images.device.type, torch.bfloat16, enabled=half):
            losses = check_losses(self.losses(rows, moment), self.phase)
        self.optimizer.zero_grad()
        losses["total"].backward()
        self.optimizer.step()
        self.updates += 1
        return losses

    def _advance(self, row: Row) -> None:
        """Count the epoch and go to the next phase if this one is over."""
        self.done += 1
        self.epoch += 1
        if self.phase.settled(self.epoch / self.length):
            value = sum(row[f"validation_{name}"] for name in ("reconstruction", "successor", "direct"))
            self.since_best = 0 if value < self.best else self.since_best + 1
            self.best = min(value, self.best)
        patience = self.config.patience
        enough = self.phase.end_epoch(self.epoch) or (patience is not None and self.since_best >= patience)
        enough |= self.phase.stops_early and self.early_stop.after(row, self.epoch, self.length)
        for renewed in self.phase.renewed:
            self.optimizer.forget(renewed.parameter, renewed.rows)
        if enough or self.epoch == self.length:
            self.phase.leave()
            self._begin(self.stage + 1)
