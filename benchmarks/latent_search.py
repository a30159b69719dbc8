"""How fast the network is searched: expansions and successors per second of one thread, by two clocks.

    python benchmarks/latent_search.py [RUN …] [--seconds 5] [--output FILE.md]

Without a run, networks of the preset ama2's size with random weights are searched; with runs of that preset, theirs,
from the first picture of the training split to a state that does not exist, so that the search uses all its time. On a
busy machine, CPU time is more informative than wall-clock time.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from cubespace import Run
from cubespace.autoencoder.building import new_network
from cubespace.autoencoder.network_code import NetworkActions
from cubespace.base.files import write_text
from cubespace.learning.code import LearnedActions
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import parts_of
from cubespace.search.best_first import best_first, path_length
from cubespace.search.solver import Limits, SearchProblem, SearchResult
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import load_config
from cubespace.symbols.strips import StripsModel

LABELS = (100, 300, 800)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    lines = [
        "# Speed of latent search",
        "",
        f"`{' '.join(['python', *sys.argv])}`, {time.strftime('%Y-%m-%d')}, {platform.machine()}, one thread",
        "",
        "| network | labels | expansions per s | per CPU s | successors per CPU s | kept states | megabytes |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, actions, init in networks(arguments.runs):
        begun = time.process_time()
        result = search(actions, init, arguments.seconds)
        counts, seconds, cpu = result.statistics, result.wall_seconds, time.process_time() - begun
        labels = len(actions.expand(init[None])[2])
        expansions, generated = counts.expansions or 0, counts.generated or 0
        rates = f"{expansions / seconds:,.0f} | {expansions / cpu:,.0f} | {generated / cpu:,.0f}"
        lines.append(f"| {name} | {labels} | {rates} | {counts.evaluations:,} | {counts.megabytes} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.output is not None:
        write_text(arguments.output, text)


def networks(runs: list[Path]) -> Iterator[tuple[str, LearnedActions, np.ndarray]]:
    """Yield a name, the actions of a network and a state to begin at."""
    for path in runs:
        run = Run.load(path)
        if run.code.actions is None:
            raise SystemExit(f"{path} has no learned actions: make it with --preset ama2")
        yield path.name, run.code.actions, run.code.encode(run.data.train.before[:1])[0]
    for apply in () if runs else ("blackbox", "btl"):
        for labels in LABELS:
            settings = {"autoencoder.apply": apply, "autoencoder.actions": labels}
            config = load_config(None, settings, "ama2")
            parts = parts_of(load_plugins(), Execution())
            actions = NetworkActions(new_network(config.autoencoder, config.train, (42, 42), parts).eval())
            assert actions.discriminator is not None
            actions.discriminator.used.fill_(True)  # every label is tried
            yield f"{apply}, random weights", actions, np.random.default_rng(0).random(config.autoencoder.bits) < 0.5


def search(actions: LearnedActions, init: np.ndarray, seconds: float) -> SearchResult:
    """Search for the complement of the initial state, which is hardly ever reached."""
    none = np.zeros((0, len(init)), dtype=np.bool_)
    nothing = np.zeros(0, dtype=np.intp)
    model = StripsModel(names=[], add=none, delete=none, positive=none, negative=none, support=nothing, cost=nothing)
    problem = SearchProblem(init=init, goal=~init, model=model, expand=actions.expand, plausible=actions.plausible)
    return best_first(problem, Limits(seconds=seconds), path_length, batch=64)


if __name__ == "__main__":
    main()
