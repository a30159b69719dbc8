"""A cell that needs more memory than it may have fails, and its limit is named, whoever noticed."""

import pytest
from command import python

from cubespace.base.errors import ComponentError
from cubespace.cli.cell_limits import CellMemoryError, limited

HUNGRY = """
from cubespace.cli.cell_limits import CellMemoryError, limited
try:
    with limited(None, 300):
        block = bytearray(400 << 20)
except CellMemoryError as error:
    print(error)
print(len(bytearray(400 << 20)) >> 20, "MB are free again")
"""


def test_a_process_that_asks_for_too_much_is_refused_and_the_limit_ends_with_the_cell() -> None:
    assert python("-c", HUNGRY).stdout.splitlines() == [
        "the cell needs more memory than its limit of 300 MB",
        "400 MB are free again",
    ]


@pytest.mark.parametrize(
    "first",
    [
        MemoryError(),
        OSError("libtorch.so: failed to map segment from shared object"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
    ],
)
def test_a_plugin_that_gets_no_memory_is_not_blamed(first) -> None:
    blamed = ComponentError("bit learner 'x' failed")
    blamed.__cause__ = first
    with pytest.raises(CellMemoryError, match="its limit of 100,000 MB"), limited(None, 100_000):
        raise blamed


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(ValueError, match="other"), limited(60, 100_000):
        raise ValueError("other")
    with pytest.raises(MemoryError), limited(60, None):
        raise MemoryError
