"""Options and fixtures of the whole suite."""

import gc
import os
import signal
import tempfile
from pathlib import Path

import pytest

# Before numpy is imported, here and in all processes that tests start: on a busy machine, threads that wait for each
# other make a small product of matrices ten times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")


# Begun first, longest first, so that no process of a parallel run begins a long file when the others have ended.
LONG_FILES = (
    "end_to_end/test_third_party.py",
    "core/report/test_report.py",
    "end_to_end/test_apply.py",
    "core/autoencoder/test_training.py",
    "core/autoencoder/test_resuming.py",
    "end_to_end/test_worlds.py",
    "core/search/test_planner_process.py",
    "chaos/test_chaos.py",
    "docs/test_tutorial.py",
    "examples/test_examples.py",
    "test_conformance.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Let Ctrl-C work in the processes that tests start: a shell that starts a job in the background ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):  # the processes of a parallel run share what the first of them makes
        shared = tempfile.TemporaryDirectory(prefix="cubespace-")
        config.add_cleanup(shared.cleanup)
        os.environ["CUBESPACE_TEST_RUNS"] = shared.name


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that train or plan for real")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    places = {Path(__file__).parent / file: place for place, file in enumerate(LONG_FILES)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
    if not config.getoption("--slow"):
        skip = pytest.mark.skip(reason="trains or plans for real: run with --slow")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(skip)


def pytest_collection_finish() -> None:
    gc.freeze()  # thousands of tests and all modules stay to the end: they are not looked through again and again
