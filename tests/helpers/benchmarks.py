"""Import the scripts of benchmarks/, and write corpora for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vclean.classify.corpora.gold import GoldPage

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@contextmanager
def imported_benchmark(name: str) -> Iterator[ModuleType]:
    """Import a module of benchmarks/, which may import others from its folder; remove all of them afterwards."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield import_module(name)
        for other in set(sys.modules) - before:
            if str(BENCHMARKS) in str(getattr(sys.modules[other], "__file__", "")):
                del sys.modules[other]


def write_corpus(path: Path, pages: Sequence[GoldPage]) -> Path:
    """Write pages with gold text as a corpus, and return its path."""
    columns = {name: [getattr(page, name) for page in pages] for name in ("id", "url", "page_type", "html")}
    gold = {"gold_text": [page.text for page in pages], "gold_markup": [page.markup for page in pages]}
    pq.write_table(pa.table(columns | gold), path)
    return path
