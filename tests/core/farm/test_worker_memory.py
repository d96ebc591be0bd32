"""Tests of the memory of a worker between two pages."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vclean.farm.worker import MemoryTrimmer

MB = 2**20


class Process:
    """Process of a given size that shrinks to another size when trimmed."""

    def __init__(self, size: int, needed: int) -> None:
        self.size, self.needed, self.trims = size * MB, needed * MB, 0

    def resident(self) -> int:
        return self.size

    def trim(self) -> None:
        self.trims += 1
        self.size = min(self.size, self.needed)


class TestMemoryTrimmer:
    def test_trims_after_growth(self) -> None:
        process = Process(500, needed=300)
        assert MemoryTrimmer(process.resident, process.trim).trim() == 300 * MB

    def test_ignores_small_growth(self) -> None:
        """Leave small growth alone: trimming takes longer than a small page."""
        process = Process(300, needed=300)
        trimmer = MemoryTrimmer(process.resident, process.trim)
        trimmer.trim()
        process.size = 360 * MB
        assert (trimmer.trim(), process.trims) == (360 * MB, 1)

    def test_measures_growth_from_last_trimmed_size(self) -> None:
        """Avoid repeated trimming of memory that stays in use."""
        process = Process(500, needed=300)
        trimmer = MemoryTrimmer(process.resident, process.trim)
        trimmer.trim()
        for size in (370, 440, 370):
            process.size, process.needed = size * MB, size * MB
            trimmer.trim()
        assert process.trims == 3

    def test_without_malloc_trim(self) -> None:
        assert MemoryTrimmer(Process(500, needed=300).resident, None).trim() == 500 * MB


PROGRAM = """
import ctypes, psutil
from vclean.farm.worker import find_malloc_trim
libc, trim, process = ctypes.CDLL(None), find_malloc_trim(), psutil.Process()
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
"""Free 256 MB in small blocks below one that stays in use, as a page's names do; print the bytes returned."""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other C libraries")
class TestMallocTrim:
    def test_returns_memory_to_system(self) -> None:
        """Run in a new process: free memory of this one would affect the measurement."""
        output = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
        if not output:
            pytest.skip("this C library has no malloc_trim")
        assert int(output) > 200 * MB
