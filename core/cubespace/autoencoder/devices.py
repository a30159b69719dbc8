"""Devices, threads and random states: all that depends on the machine."""

from __future__ import annotations

import ctypes
import os
import platform
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import Tensor

from cubespace.base.errors import UsageError
from cubespace.settings.recipe import Execution

MEASURED_PRODUCTS = 30  # matrix products, a few milliseconds each
WORTH_A_THREAD = 1.3  # times as fast, for more than one thread to be taken


def pick_device(name: str) -> torch.device:
    """Return the device called ``name``; ``auto`` takes the first of cuda, mps and cpu that is there."""
    if name == "auto":
        return torch.device(next(kind for kind in ("cuda", "mps", "cpu") if _is_available(kind)))
    try:
        device = torch.device(name)
    except RuntimeError:
        raise UsageError(f"'{name}' is no device: write auto, cpu, cuda, cuda:1 or mps") from None
    if not _is_available(device.type):
        raise UsageError(f"device '{name}' is not available on this machine: use --device auto or cpu")
    return device


def _is_available(kind: str) -> bool:
    if kind == "cuda":
        return torch.cuda.is_available()
    if kind == "mps":
        return torch.backends.mps.is_available()
    return kind == "cpu"


def default_threads() -> int:
    """Return how many threads a training uses if the user does not say."""
    return Execution().threads


def fastest_threads() -> int:
    """Measure how many threads train fastest on this machine as busy as it is now: one, or one per core."""
    cores = os.cpu_count() or 1
    if cores == 1:
        return 1
    generator = torch.Generator().manual_seed(0)
    pixels, weight = (torch.randn(size, generator=generator) for size in ((200, 2000), (2000, 400)))  # as in a training

    def seconds(threads: int) -> float:
        with on_threads(threads):
            for _ in range(MEASURED_PRODUCTS):  # the first ones only start the threads
                pixels @ weight
            begun = time.perf_counter()
            for _ in range(MEASURED_PRODUCTS):
                pixels @ weight
            return time.perf_counter() - begun

    # a second thread must be worth it: it is taken from whatever else the machine does
    return cores if seconds(cores) * WORTH_A_THREAD < seconds(1) else 1


def settle(threads: int, device: torch.device) -> None:
    """Set the process up for fast training on a device."""
    torch.set_num_threads(threads)
    if device.type == "cuda":
        # TF32: the factors of a product are rounded to 11 bits, sums stay float32. That is several times as fast from
        # Ampere on, and finer than bf16; hard bits, which evaluation multiplies, are exact in it.
        torch.set_float32_matmul_precision("high")
    torch.set_flush_denormal(True)  # vanishing gradients become denormal numbers, which are a hundred times slower
    _keep_freed_memory()


def full_precision(device: torch.device) -> AbstractContextManager[object]:
    """Compute in float32 inside the block, whatever the precision of the training."""
    available = torch.amp.is_autocast_available(device.type)
    return torch.autocast(device.type, enabled=False) if available else nullcontext()


@contextmanager
def on_threads(number: int) -> Iterator[None]:
    """Compute on so many threads inside the block."""
    outer = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(outer)


def _keep_freed_memory() -> None:
    """Let the C library reuse the memory of one step in the next, instead of giving it back and zeroing it anew.

    Saves some 700 page faults and 4 % of the processor time of a step on Linux; elsewhere nothing happens.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if platform.libc_ver()[0] == "glibc" else None
    if mallopt is not None:
        trim_threshold, mmap_threshold = -1, -3
        mallopt(mmap_threshold, 1 << 30)
        mallopt(trim_threshold, (1 << 31) - 1)


class RandomState:
    """A stream of random numbers of its own, on the CPU and on the device, whatever the rest of the process draws."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self.device = device
        with self._outer_kept():
            torch.manual_seed(seed)  # seeds all devices
            self.state = self._read()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Draw from this stream inside the block."""
        with self._outer_kept():
            self._write(self.state)
            yield
            self.state = self._read()

    @contextmanager
    def _outer_kept(self) -> Iterator[None]:
        outer = self._read()
        try:
            yield
        finally:
            self._write(outer)

    def _read(self) -> dict[str, Tensor]:
        state = {"cpu": torch.get_rng_state()}
        if self.device.type == "cuda":
            state["cuda"] = torch.cuda.get_rng_state(self.device)
        elif self.device.type == "mps":
            state["mps"] = torch.mps.get_rng_state()
        return state

    def _write(self, state: dict[str, Tensor]) -> None:
        torch.set_rng_state(state["cpu"].cpu())
        if self.device.type == "cuda" and "cuda" in state:
            torch.cuda.set_rng_state(state["cuda"].cpu(), self.device)
        elif self.device.type == "mps" and "mps" in state:
            torch.mps.set_rng_state(state["mps"].cpu())
