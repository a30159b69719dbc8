"""How much of the machine's matrix-product speed a full training step reaches, and where the rest goes.

    python benchmarks/train_step.py [--threads 1] [--device cpu] [--set KEY=VALUE …] [--output results/train_step]

A step is forward, backward and optimiser of the joint phase with dense layers, on 42x42 pictures. Its FLOPs are
those of its matrix products and convolutions, counted by ``torch.utils.flop_counter``. The peak is the fastest of some
square matrix products in the same process with the same threads. Both are timed in turns, so that a busy machine slows
both, and by two clocks.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from cubespace.autoencoder.building import load_extensions, new_network, phases
from cubespace.autoencoder.devices import pick_device
from cubespace.autoencoder.training import Trainer
from cubespace.base.files import write_json, write_text
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import parts_of
from cubespace.settings.recipe import Execution, Recipe
from cubespace.settings.run_config import load_config, parse_settings

SIDE = 42
TRANSITIONS = 4500
ROUNDS = 15
PEAK_SIZES = (512, 1024, 2048)
GROUPS = {  # names of profiler rows, by what they do
    "matrix products": ("mm", "addmm", "convolution"),
    "optimiser": ("adam", "foreach"),
    "batch norm": ("batch_norm",),
    "activations": ("sigmoid", "softmax", "relu", "threshold", "softplus", "log"),
    "data": ("index_select", "_to_copy", "copy_", "cat"),
    "sums and products": ("add", "mul", "div", "sub", "sum", "mean", "dot", "abs", "sgn", "neg", "fill", "zero"),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as in cube train")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    config = load_config(None, parse_settings(arguments.set))
    recipe = Recipe(autoencoder=config.autoencoder, train=config.train)
    execution = Execution(device=arguments.device, threads=arguments.threads)
    result = measure(recipe, execution) | {
        "command": " ".join(["python", *sys.argv]),
        "date": time.strftime("%Y-%m-%d"),
    }
    print(page(result))
    if arguments.output:
        write_json(arguments.output.with_suffix(".json"), result)
        write_text(arguments.output.with_suffix(".md"), page(result))


def page(result: dict[str, Any]) -> str:
    """Return the figures as a table."""
    threads = "one thread" if result["threads"] == 1 else f"{result['threads']} threads"
    lines = [
        "# Speed of a training step",
        "",
        f"`{result['command']}`, {result['date']}, {result['processor']}, {result['device']}, {threads}, "
        f"torch {result['torch']}",
        "",
        f"A step of {result['batch']} pairs needs {result['step_gflop']} GFLOP of matrix products and convolutions and "
        f"takes {result['step_ms']['wall']:.1f} ms. It reaches {result['step_gflops']['wall']:.0f} GFLOP/s; square "
        f"matrix products in the same process reach {result['gemm_gflops']['wall']:.0f}. The ratio is "
        f"{result['ratio']['wall']:.2f} by the clock and {result['ratio']['cpu']:.2f} by the time of the processor.",
        "",
        "| part of a step | share of its time |",
        "|---|---|",
    ]
    lines += [f"| {name} | {share:.3f} |" for name, share in result["share_of_time"].items()]
    return "\n".join([*lines, ""])


def measure(recipe: Recipe, execution: Execution) -> dict[str, Any]:
    """Return the speeds of a step and of matrix products, and their ratio."""
    device = pick_device(execution.device)
    trainer = make_trainer(recipe, execution, device)
    rows = torch.arange(recipe.train.batch, device=device)
    step = lambda: trainer._step(rows, 0.9)  # noqa: E731 - late in training all losses count
    for _ in range(10):  # past the first steps of RAdam, which are different
        step()
    with FlopCounterMode(display=False) as counter:
        step()
    flops = counter.get_total_flops()
    repeats = max(1, int(0.1 / timed(step, device, 3)[0]))
    peaks, speeds = [], []
    for _ in range(ROUNDS):
        peaks.append(max((matrix_product_speed(size, device) for size in PEAK_SIZES), key=lambda speed: speed.cpu))
        speeds.append(Speed.of(flops, timed(step, device, repeats)))
    peak, speed = median(peaks), median(speeds)
    faults = page_faults(step)
    return {
        "step_gflop": round(flops / 1e9, 3),
        "step_ms": rounded(flops / speed.wall * 1e3, flops / speed.cpu * 1e3),
        "step_gflops": rounded(speed.wall / 1e9, speed.cpu / 1e9),
        "gemm_gflops": rounded(peak.wall / 1e9, peak.cpu / 1e9),
        "ratio": rounded(speed.wall / peak.wall, speed.cpu / peak.cpu),
        "share_of_time": breakdown(step, device),
        "page_faults_per_step": faults,
        "batch": recipe.train.batch,
        "threads": execution.threads,
        "device": str(device),
        "torch": torch.__version__,
        "processor": processor(),
    }


class Speed(NamedTuple):
    """FLOP/s by the clock and by the time of the processor, which does not count the waiting on a busy machine."""

    wall: float
    cpu: float

    @classmethod
    def of(cls, flops: float, seconds: tuple[float, float]) -> Speed:
        """Return the speed of some work."""
        return cls(flops / seconds[0], flops / seconds[1])


def median(speeds: list[Speed]) -> Speed:
    """Return the median of each kind of speed."""
    return Speed(*(statistics.median(values) for values in zip(*speeds, strict=True)))


def rounded(wall: float, cpu: float) -> dict[str, float]:
    """Return both kinds of a figure for printing."""
    return {"wall": round(wall, 3), "cpu": round(cpu, 3)}


def make_trainer(recipe: Recipe, execution: Execution, device: torch.device) -> Trainer:
    """Return a trainer on random pictures."""
    parts = parts_of(load_plugins(), execution)
    pictures = np.random.default_rng(0).integers(256, size=(2, TRANSITIONS, SIDE * SIDE), dtype=np.uint8)
    model = new_network(recipe.autoencoder, recipe.train, (SIDE, SIDE), parts).to(device)
    images = torch.from_numpy(pictures).to(device)
    return Trainer(
        model,
        images,
        images[:, :100],
        recipe.train,
        objective=parts.create("objective", recipe.autoencoder.objective, recipe.train.losses),
        phases=phases(load_extensions(recipe.train.extensions, parts)),
        execution=execution,
    )


def matrix_product_speed(size: int, device: torch.device) -> Speed:
    """Return the speed of a square matrix product."""
    left, right = torch.randn(2, size, size, device=device)
    out = torch.empty(size, size, device=device)
    product = lambda: torch.mm(left, right, out=out)  # noqa: E731
    product()
    return Speed.of(2 * size**3, timed(product, device, max(1, 4 * 1024**3 // size**3)))


def timed(function: Callable[[], object], device: torch.device, repeats: int) -> tuple[float, float]:
    """Return the seconds of one call, by the clock and of the processor."""
    begun, used = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        function()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return (time.perf_counter() - begun) / repeats, (time.process_time() - used) / repeats


def breakdown(step: Callable[[], object], device: torch.device) -> dict[str, float]:
    """Return the share of the time of a step that each group of operations takes; the rest is Python and autograd."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    activities += [torch.profiler.ProfilerActivity.CUDA] if device.type == "cuda" else []
    with torch.profiler.profile(activities=activities) as profile:
        begun = time.perf_counter()
        for _ in range(20):
            step()
        wall = (time.perf_counter() - begun) * 1e6
    shares = dict.fromkeys(GROUPS, 0.0)
    for event in profile.key_averages():
        group = next((name for name, words in GROUPS.items() if any(word in event.key for word in words)), None)
        if group is not None and event.key.startswith(("aten::", "_fused", "Optimizer")):
            shares[group] += event.self_cpu_time_total / wall
    shares["other and overhead"] = max(0.0, 1.0 - sum(shares.values()))
    return {name: round(share, 3) for name, share in shares.items()}


def page_faults(step: Callable[[], object]) -> float | None:
    """Return how often a step touches memory fresh from the system: each time costs about a microsecond."""
    if platform.system() == "Windows":
        return None
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        step()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 20


def processor() -> str:
    """Return the name of the processor."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
