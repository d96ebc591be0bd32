from __future__ import annotations

import gc
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from vclean.runtime import exempt_from_gc

if TYPE_CHECKING:
    from collections.abc import Iterator


class TestExemptFromGc:
    @pytest.fixture(autouse=True)
    def thawed(self) -> Iterator[None]:
        yield
        gc.unfreeze()

    def test_objects_from_block_are_not_collected(self) -> None:
        with exempt_from_gc():
            assert not gc.isenabled()
            cycles: list[list[int]] = [[] for _ in range(1000)]
        assert gc.isenabled()
        assert gc.get_freeze_count() > len(cycles)
        assert not any(each is cycles for each in gc.get_objects())

    def test_also_after_error(self) -> None:
        with pytest.raises(ValueError, match="no model"), exempt_from_gc():
            raise ValueError("no model")
        assert gc.isenabled()


class TestBlockPandas:
    def test_arrow_does_not_import_it(self) -> None:
        code = (
            "import sys; from vclean.imports import block_pandas; block_pandas();"
            "from vclean.farm import rows; import pyarrow as pa;"
            "print(pa.array(['a', None]).to_pylist(), 'pandas' in sys.modules)"
        )
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert process.stdout == "['a', None] False\n"

    def test_imported_pandas_stays(self) -> None:
        code = (
            "import sys; sys.modules['pandas'] = sys; from vclean.imports import block_pandas; block_pandas();"
            "import pandas; print(pandas is sys)"
        )
        process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert process.stdout == "True\n"
