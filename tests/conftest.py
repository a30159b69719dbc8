"""Options and fixtures of the whole suite."""

import signal

import pytest


def pytest_configure() -> None:
    """Let Ctrl-C work in the processes that tests start: a shell that starts a job in the background ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that train or plan for real")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        skip = pytest.mark.skip(reason="trains or plans for real: run with --slow")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(skip)
