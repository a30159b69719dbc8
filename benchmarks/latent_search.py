"""How fast the network is searched: expansions and successors per second of one thread, by two clocks.

    python benchmarks/latent_search.py [RUN …] [--seconds 5] [--results results]

Without a run, networks of the preset ama2's size with random weights are searched; with runs of that preset, theirs,
from the first picture of the training split to a state that does not exist, so that the search uses all its time. On a
busy machine, CPU time is more informative than wall-clock time. Writes latent_search.json and latent_search.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from record_pages import write_records

from cubespace import Run
from cubespace.autoencoder.building import new_network
from cubespace.autoencoder.network_code import NetworkActions
from cubespace.learning.code import LearnedActions
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import parts_of
from cubespace.search.best_first import best_first, path_length
from cubespace.search.solver import Limits, SearchProblem, SearchResult
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import load_config
from cubespace.symbols.strips import StripsModel

LABELS = (100, 300, 800)
COLUMNS = {
    "network": ("network", "s"),
    "labels": ("labels", "d"),
    "expansions_per_second": ("expansions per s", ",.0f"),
    "expansions_per_cpu_second": ("per CPU s", ",.0f"),
    "successors_per_cpu_second": ("successors per CPU s", ",.0f"),
    "kept_states": ("kept states", ",d"),
    "megabytes": ("megabytes", ".1f"),
}


def main() -> None:
    """Measure each network, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--results", type=Path, default=Path("results"), metavar="FOLDER")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    records = [measure(*each, arguments.seconds) for each in networks(arguments.runs)]
    write_records(arguments.results / "latent_search", "Speed of latent search", COLUMNS, records)


def measure(name: str, actions: LearnedActions, init: np.ndarray, seconds: float) -> dict[str, Any]:
    """Return the record of a network."""
    begun = time.process_time()
    result = search(actions, init, seconds)
    counts, cpu = result.statistics, time.process_time() - begun
    return {
        "network": name,
        "labels": len(actions.expand(init[None])[2]),
        "expansions_per_second": (counts.expansions or 0) / result.wall_seconds,
        "expansions_per_cpu_second": (counts.expansions or 0) / cpu,
        "successors_per_cpu_second": (counts.generated or 0) / cpu,
        "kept_states": counts.evaluations or 0,
        "megabytes": counts.megabytes or 0.0,
    }


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
