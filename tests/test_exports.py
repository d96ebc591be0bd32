"""The public surface is a deliberate list."""

from __future__ import annotations

import subprocess
import sys

import pytest

import vclean


def modules_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after `code`."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


class TestPublicNames:
    def test_the_list(self) -> None:
        assert vclean.__all__ == [
            "Cleaner", "Label", "Page", "Policy", "RenderSettings", "Resource", "Resources", "Result", "Segmenter",
            "VcleanError", "Visibility", "__version__", "clean", "segment",
        ]  # fmt: skip

    @pytest.mark.parametrize("name", vclean.__all__)
    def test_every_name_is_there_and_documented(self, name: str) -> None:
        assert getattr(vclean, name).__doc__
        assert name in dir(vclean)

    def test_every_name_says_where_it_lives(self) -> None:
        assert set(vclean._HOMES) == set(vclean.__all__) - {"__version__"}

    def test_the_version_has_numbers(self) -> None:
        assert vclean.__version__[0].isdigit()

    def test_other_names(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'claen'"):
            vclean.claen  # noqa: B018


class TestImport:
    """What nobody asked for is not imported: the heavy libraries take from 0.1 s to 1 s each."""

    HEAVY = frozenset({"numpy", "lightgbm", "lxml", "playwright", "pyarrow", "httpx", "scipy", "PIL", "shapely"})

    @pytest.mark.parametrize("code", ["import vclean", "import vclean.cli", "from vclean import Page, Label"])
    def test_without_heavy_libraries(self, code: str) -> None:
        assert modules_after(code) & self.HEAVY == set()

    def test_help_without_heavy_libraries(self) -> None:
        code = "from vclean.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
        assert modules_after(code) & self.HEAVY == set()
