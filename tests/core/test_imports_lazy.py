from __future__ import annotations

import gc
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from vclean.imports import uncollected

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = """
import sys
from types import ModuleType
for name in {there!r}:
    sys.modules[name] = ModuleType(name)
from vclean.imports import import_lightgbm
import_lightgbm()
import lightgbm
print(sorted({{"dask", "pandas", "sklearn"}} & set(sys.modules)), lightgbm.Booster.__name__)
"""


def run(*there: str) -> str:
    command = [sys.executable, "-c", SCRIPT.format(there=there)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


class TestImportLightgbm:
    def test_without_what_models_do_not_need(self) -> None:
        """Installed or not, they are not imported, and can be later."""
        assert run() == "[] Booster"

    def test_what_is_there_already_stays(self) -> None:
        assert run("dask") == "['dask'] Booster"


class TestUncollected:
    @pytest.fixture(autouse=True)
    def thawed(self) -> Iterator[None]:
        yield
        gc.unfreeze()

    def test_what_is_made_inside_is_looked_at_no_more(self) -> None:
        with uncollected():
            assert not gc.isenabled()
            made: list[list[int]] = [[] for _ in range(1000)]
        assert gc.isenabled()
        assert gc.get_freeze_count() > len(made)
        assert not any(each is made for each in gc.get_objects())

    def test_also_where_it_fails(self) -> None:
        with pytest.raises(ValueError, match="no model"), uncollected():
            raise ValueError("no model")
        assert gc.isenabled()


class TestForgoPandas:
    def test_arrow_does_not_import_it(self) -> None:
        code = (
            "import sys; from vclean.imports import forgo_pandas, import_lightgbm; forgo_pandas();"
            "from vclean.farm import rows; import pyarrow as pa; import_lightgbm();"
            "print(pa.array(['a', None]).to_pylist(), 'pandas' in sys.modules)"
        )
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert found.stdout == "['a', None] False\n"

    def test_where_it_is_there_already_it_stays(self) -> None:
        code = (
            "import sys; sys.modules['pandas'] = sys; from vclean.imports import forgo_pandas; forgo_pandas();"
            "import pandas; print(pandas is sys)"
        )
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert found.stdout == "True\n"
