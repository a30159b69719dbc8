"""One Chromium for all tests of a process."""

from collections.abc import Iterator

import pytest
from visit import CHROMIUM, chromium_browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    pytest.importorskip("playwright", reason="playwright is not installed: make browser")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: make browser installs Debian's")
    with chromium_browser() as browser:
        yield browser
