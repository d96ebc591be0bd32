"""The memory that this process keeps between two pages: what its allocator has free goes back to the system."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_GROWTH: Final = 64 * 2**20
"""Bytes it grows by before it is asked to shrink, which takes 20 ms: after every tenth page or so."""


class Keeper:
    """Sees to it that a process keeps no more than it needs.

    glibc keeps what was freed below the last block in use, so that the largest pages stay in memory for good.

    Args:
        resident: tells the bytes of memory the process has.
        trim: gives back what is free; None where the C library cannot.
    """

    def __init__(self, resident: Callable[[], int], trim: Callable[[], None] | None) -> None:
        self._resident = resident
        self._trim = trim
        self._least = 0

    def keep(self) -> int:
        """The bytes the process has, after it gave back what is free if it has grown."""
        size = self._resident()
        if self._trim is not None and size > self._least + _GROWTH:
            self._trim()
            self._least = size = self._resident()
        return size


def malloc_trim() -> Callable[[], None] | None:
    """What gives free memory back to the system, on glibc; None elsewhere."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library; Windows takes no None
        return None
    return lambda: trim(0)
