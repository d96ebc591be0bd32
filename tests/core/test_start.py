"""Modules that are imported before they are needed: each adds to the time of the help, or of a single page."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"numpy", "lightgbm", "lxml", "playwright", "pyarrow", "httpx", "scipy", "PIL", "shapely"}
"""Libraries whose import takes 0.1 s to 1 s."""
HELP = "from vclean.cli.main import main; main(['--help'])"
COMMANDS = {f"vclean.{name}" for name in ("farm.command", "cli.segments", "cli.evaluate")}
CLEAN = "from vclean.cli.main import main; assert main(['page.html', '-o', 'text']) == 0"
NOT_FOR_PAGES = {
    "lightgbm", "rapidfuzz", "scipy", "shapely", "tldextract", "sklearn",  # of training and scoring
    *(f"vclean.features.facts.{name}" for name in ("candidates", "groups", "posts")),  # of metadata and posts
    "asyncio", "httpx", "playwright", "psutil", "PIL",  # of rendering
    "fastwarc", "pyarrow", "tqdm", "prometheus_client", "jinja2",  # of other inputs and outputs
}  # fmt: skip
BROWSER = "vclean.render.browser"
START = f"import {BROWSER}.renderer"
NOT_FOR_START = {"playwright", "httpx", "psutil", "pyarrow", f"{BROWSER}.playwright_driver", f"{BROWSER}.navigation"}
OVERLAYS = """from vclean.cli import clean, evaluate, segments
from vclean.output import overlay
from vclean.render.overlay.html import OverlayPage, draw_html"""
DRAW = f"{OVERLAYS}; draw_html(OverlayPage(id='', url='', title='', width=1, height=1))"


@pytest.mark.parametrize(
    ("code", "imported", "others"),
    [
        ("import vclean", "vclean", HEAVY),
        ("from vclean import Page, Label", "vclean.page", HEAVY),
        ("import vclean.cli.main", "vclean.cli.main", HEAVY),
        (HELP, "vclean.cli.options", HEAVY | COMMANDS),
        (CLEAN, "vclean.classify.content.model", NOT_FOR_PAGES),
        (OVERLAYS, "vclean.output.overlay", {"jinja2"}),  # of the first HTML page
        (DRAW, "jinja2", set()),
        # The import of Playwright takes as long as the start of a browser, which starts before numpy is imported.
        (START, f"{BROWSER}.cdp", NOT_FOR_START),
        (f"{START}, vclean.cli.clean", "asyncio", {"numpy"}),
    ],
)
def test_only_what_is_needed_is_imported(code, imported, others, tmp_path):
    (tmp_path / "page.html").write_text("<nav>Menu</nav><p>The rain stopped in the morning, and the river fell.")
    script = f"import sys\n{code}\nprint(*sys.modules, sep='\\n')"
    command = [sys.executable, "-c", script]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    modules = set(ended.stdout.splitlines())
    assert imported in modules
    assert modules & others == set()
