"""Tests of what a worker keeps in memory between two pages."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vclean.farm.worker import Keeper

MB = 2**20


class Process:
    """A process of some size, that shrinks to another when it is asked to."""

    def __init__(self, size: int, needed: int) -> None:
        self.size, self.needed, self.asked = size * MB, needed * MB, 0

    def resident(self) -> int:
        return self.size

    def trim(self) -> None:
        self.asked += 1
        self.size = min(self.size, self.needed)


class TestKeeper:
    def test_what_grew_shrinks(self) -> None:
        process = Process(500, needed=300)
        assert Keeper(process.resident, process.trim).keep() == 300 * MB

    def test_small_growth_is_let_be(self) -> None:
        """Asking takes longer than a small page."""
        process = Process(300, needed=300)
        keeper = Keeper(process.resident, process.trim)
        keeper.keep()
        process.size = 360 * MB
        assert (keeper.keep(), process.asked) == (360 * MB, 1)

    def test_growth_counts_from_what_was_needed_last(self) -> None:
        """What stays in use is not asked for again and again."""
        process = Process(500, needed=300)
        keeper = Keeper(process.resident, process.trim)
        keeper.keep()
        for size in (370, 440, 370):
            process.size, process.needed = size * MB, size * MB
            keeper.keep()
        assert process.asked == 3

    def test_where_the_system_cannot(self) -> None:
        assert Keeper(Process(500, needed=300).resident, None).keep() == 500 * MB


PROGRAM = """
import ctypes, psutil
from vclean.farm.worker import malloc_trim
libc, trim, process = ctypes.CDLL(None), malloc_trim(), psutil.Process()
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = (ctypes.c_void_p,)
blocks = [libc.malloc(2**16) for _ in range(2**12)]
for block in blocks:
    ctypes.memset(block, 1, 2**16)
for block in blocks[:-1]:
    libc.free(block)
before = process.memory_info().rss
if trim is not None:
    trim()
    print(before - process.memory_info().rss)
"""
"""Frees 256 MB in small blocks, below one that stays in use, as a page's names do; says what goes back."""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other C libraries")
class TestMallocTrim:
    def test_memory_goes_back(self) -> None:
        """In a process of its own, for what is free there would count in other tests."""
        said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
        if not said:
            pytest.skip("this C library has no malloc_trim")
        assert int(said) > 200 * MB
