"""What the first page of a process waits for: every library that is imported is paid for by whoever has one page."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CLEANED = """
import sys
from vclean.cli.main import main
sys.stdout.write(f"{main(sys.argv[1:])}\\n")
sys.stdout.write("\\n".join(sys.modules))
"""


def imported(code: str, *arguments: str) -> list[str]:
    """What a process prints, a line each."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


class TestFirstPage:
    @pytest.fixture(scope="class")
    @classmethod
    def modules(cls, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
        folder: Path = tmp_path_factory.mktemp("page")
        (folder / "page.html").write_text("<nav>Menu</nav><p>The rain stopped in the morning, and the river fell.")
        code, *names = imported(CLEANED, str(folder / "page.html"), "-o", str(folder / "text"))
        assert code == "0"
        return set(names)

    def test_it_is_cleaned_with_the_model(self, modules: set[str]) -> None:
        assert modules >= {"numpy", "vclean.classify.content.model"}

    def test_without_what_only_training_or_scoring_needs(self, modules: set[str]) -> None:
        assert not modules & {"lightgbm", "rapidfuzz", "scipy.optimize", "scipy.sparse", "tldextract", "sklearn"}

    def test_without_what_only_rendering_needs(self, modules: set[str]) -> None:
        assert not modules & {"asyncio", "httpx", "playwright", "psutil", "PIL"}

    def test_without_what_only_other_inputs_and_outputs_need(self, modules: set[str]) -> None:
        assert not modules & {"fastwarc", "markdownify", "pyarrow", "tqdm", "prometheus_client", "jinja2"}


class TestPictures:
    """Templates are loaded by what writes an HTML page alone."""

    DRAW = """
import sys
from vclean.cli.commands import clean, diff, report
from vclean.output import page_image
from vclean.render.overlay.html import OverlayPage, draw_html
print("jinja2" in sys.modules)
draw_html(OverlayPage(id="", url="", title="", width=1, height=1))
print("jinja2" in sys.modules)
"""

    def test_a_template_engine_is_imported_for_the_first_html_page(self) -> None:
        assert imported(self.DRAW) == ["False", "True"]


class TestRenderer:
    def test_it_drives_a_browser_without_playwright(self) -> None:
        """Which takes as long to import as a browser to answer."""
        names = imported("import sys, vclean.render.browser.renderer; print(*sys.modules, sep='\\n')")
        assert "vclean.render.browser.cdp_driver" in names
        assert not {"vclean.render.browser.playwright_driver", "vclean.render.browser.navigation"} & set(names)
        assert not {"playwright", "httpx", "psutil", "pyarrow"} & set(names)

    def test_the_browser_starts_before_numpy_is_there(self) -> None:
        names = imported(
            "import sys, vclean.cli.commands.clean, vclean.render.browser.renderer; print(*sys.modules, sep='\\n')"
        )
        assert "asyncio" in names
        assert "numpy" not in names
