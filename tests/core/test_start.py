"""Libraries that are imported before the first page of a process: each import adds to the time of a single page."""

from __future__ import annotations

import subprocess
import sys

import pytest

CLEANED = """
import sys
from vclean.cli.main import main
sys.stdout.write(f"{main(sys.argv[1:])}\\n")
sys.stdout.write("\\n".join(sys.modules))
"""


def imported(code, *arguments):
    """Run code in a process and return the lines it prints."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


class TestFirstPage:
    @pytest.fixture(scope="class")
    @classmethod
    def modules(cls, tmp_path_factory):
        folder = tmp_path_factory.mktemp("page")
        (folder / "page.html").write_text("<nav>Menu</nav><p>The rain stopped in the morning, and the river fell.")
        code, *names = imported(CLEANED, str(folder / "page.html"), "-o", str(folder / "text"))
        assert code == "0"
        return set(names)

    def test_cleans_with_model(self, modules):
        assert modules >= {"numpy", "vclean.classify.content.model"}

    @pytest.mark.parametrize(
        "names",
        [
            {"lightgbm", "rapidfuzz", "scipy", "shapely", "tldextract", "sklearn"},  # of training and scoring
            {f"vclean.features.facts.{name}" for name in ("candidates", "groups", "posts")},  # of metadata and posts
            {"asyncio", "httpx", "playwright", "psutil", "PIL"},  # of rendering
            {"fastwarc", "pyarrow", "tqdm", "prometheus_client", "jinja2"},  # of other inputs and outputs
        ],
    )
    def test_without_other_libraries(self, modules, names):
        assert not modules & names


class TestOverlays:
    """Jinja2 is only imported to write an HTML page."""

    DRAW = """
import sys
from vclean.cli.commands import clean, diff, evaluate
from vclean.output import overlay
from vclean.render.overlay.html import OverlayPage, draw_html
print("jinja2" in sys.modules)
draw_html(OverlayPage(id="", url="", title="", width=1, height=1))
print("jinja2" in sys.modules)
"""

    def test_a_template_engine_is_imported_for_the_first_html_page(self):
        assert imported(self.DRAW) == ["False", "True"]


class TestRenderer:
    def test_renders_without_playwright(self):
        # The import of Playwright takes as long as the start of a browser.
        names = imported("import sys, vclean.render.browser.renderer; print(*sys.modules, sep='\\n')")
        assert "vclean.render.browser.driver" in names
        assert not {"vclean.render.browser.playwright_driver", "vclean.render.browser.navigation"} & set(names)
        assert not {"playwright", "httpx", "psutil", "pyarrow"} & set(names)

    def test_browser_starts_before_numpy_is_imported(self):
        names = imported(
            "import sys, vclean.cli.commands.clean, vclean.render.browser.renderer; print(*sys.modules, sep='\\n')"
        )
        assert "asyncio" in names
        assert "numpy" not in names
