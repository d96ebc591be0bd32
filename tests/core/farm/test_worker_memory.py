"""Tests of the memory of a worker between two pages."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from vclean.farm import worker
from vclean.farm.rows import RunSettings

MB = 2**20


@pytest.mark.parametrize(
    ("pages", "sizes", "trims"),
    [
        ([(500, 300)], [300], 1),
        ([(300, 300), (360, 300)], [300, 360], 1),  # trimming takes longer than a small page
        ([(500, 300), (370, 370), (440, 440), (370, 370)], [300, 370, 440, 370], 3),  # the memory stays in use
    ],
)
def test_trims_after_growth(
    monkeypatch: pytest.MonkeyPatch, pages: list[tuple[int, int]], sizes: list[int], trims: int
) -> None:
    """Give the size after each page, and the size to which trimming reduces it, in MB."""
    process = SimpleNamespace(size=0, needed=0, trims=0)

    def trim() -> None:
        process.size = process.needed
        process.trims += 1

    fake = SimpleNamespace(memory_info=lambda: SimpleNamespace(rss=process.size * MB))
    monkeypatch.setattr(worker.psutil, "Process", lambda: fake)
    monkeypatch.setattr(worker, "find_malloc_trim", lambda: trim)
    cleaner = worker.Worker(None, RunSettings())  # type: ignore[arg-type]  # it cleans no page
    after = []
    for process.size, process.needed in pages:
        after.append(cleaner.trim_memory() // MB)
    assert (after, process.trims) == (sizes, trims)


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
