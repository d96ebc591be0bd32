"""Make the images of overlays, labelling page, comparison and report from the fixtures: `python docs/images/make.py`.

The pages have neutral names: no image shows a path of the machine. Needs the browser of `vclean setup`, and the extra
`corpora`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from playwright.sync_api import sync_playwright

from vclean.render.browser.chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parent
FIXTURES = IMAGES.parents[1] / "fixtures"
README_SIZE = (900, 1396)
FORUM = "forum/page.html"
NEWS = "news/page.html"
DATES = re.compile(r"^(Tue|Wed|Sun|Mon|Thu|Fri|Sat) \d+ ")


def vclean(*arguments: str, folder: Path) -> None:
    """Run a command of vclean in a folder."""
    subprocess.run([sys.executable, "-m", "vclean", *arguments, "-q"], cwd=folder, check=True)


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Run `vclean label` on the forum page and yield the address of the list of pages."""
    row = {"id": FORUM, "html": (FIXTURES / FORUM).read_text(encoding="utf-8")}
    (folder / "pages.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "vclean", "label", "pages.jsonl", "-o", "project"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield next(match[0] for line in process.stderr if (match := re.search(r"http://127\.\S+", line)))
        finally:
            process.terminate()


@contextmanager
def tab(browser: Browser, address: str, *, height: int, width: int = 1400, scheme: str = "light") -> Iterator[Page]:
    """Open an address in a window of some size."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


def indexes(page: Page, text: str) -> list[int]:
    """Return the indexes of the blocks with text that matches a pattern."""
    blocks: list[dict[str, str]] = page.evaluate("vclean.blocks")
    return [index for index, block in enumerate(blocks) if re.search(text, block["text"])]


def make_label(browser: Browser, folder: Path) -> None:
    """Select the dates of three posts in the labelling page, and label them as other."""
    with server(folder) as address, tab(browser, address, height=760) as page:
        page.locator("#start").click()
        page.wait_for_function("window.vclean && vclean.blocks.length > 0")
        page.wait_for_timeout(1000)
        dates = indexes(page, DATES.pattern)[:3]
        page.evaluate("indexes => vclean.select(indexes)", dates)
        page.keyboard.press("o")
        page.wait_for_timeout(1000)
        page.screenshot(path=IMAGES / "label.png")


def make_overlays(browser: Browser, folder: Path) -> None:
    """Select a block of the news page, by label in light colors and by role in dark ones."""
    shutil.copytree(FIXTURES / "news", folder / "news", dirs_exist_ok=True)
    vclean(NEWS, "--overlay", "overlay.html", "-o", "page.txt", folder=folder)
    address = (folder / "overlay.html").as_uri()
    for name, scheme, text in (("light", "light", "^Three generations"), ("dark", "dark", "^No crossing when")):
        with tab(browser, address, height=900, scheme=scheme) as page:
            page.wait_for_function("window.vclean && vclean.blocks.length > 0")
            if scheme == "dark":
                page.get_by_text("by role", exact=True).click()
            page.evaluate("indexes => vclean.select(indexes)", indexes(page, text)[:1])
            page.wait_for_timeout(1000)
            page.screenshot(path=IMAGES / f"overlay-{name}.png")


def make_first_overlay(folder: Path) -> None:
    """Make the overlay of the second command in the README, at two thirds of its size, without the end of the page."""
    shutil.copytree(FIXTURES / "news", folder / "news", dirs_exist_ok=True)
    vclean(NEWS, "--render", "--overlay", "overlay.png", "-o", "page.txt", folder=folder)
    with Image.open(folder / "overlay.png") as overlay:
        height = round(overlay.height * README_SIZE[0] / overlay.width)
        small = overlay.convert("RGB").resize((README_SIZE[0], height), Image.Resampling.LANCZOS)
    small.crop((0, 0, *README_SIZE)).quantize(256).save(IMAGES / "overlay.png", optimize=True)


def make_report(browser: Browser, folder: Path) -> None:
    """Score two methods on the fixtures."""
    pages = [
        {"id": gold.parent.name, "html": (gold.parent / "page.html").read_bytes(), "gold_text": gold.read_text("utf-8")}
        for gold in sorted(FIXTURES.glob("*/gold.txt"))
    ]
    pq.write_table(pa.Table.from_pylist(pages), folder / "fixtures.parquet")
    command = ("report", "fixtures.parquet", "--method", "vclean", "--method", "bte", "-o", "report.html")
    vclean(*command, folder=folder)
    with tab(browser, (folder / "report.html").as_uri(), width=1240, height=900) as page:
        page.wait_for_timeout(1000)
        page.screenshot(path=IMAGES / "compare-report.png")


def make_comparison(browser: Browser, folder: Path) -> None:
    """Select an advertisement in the comparison of two methods on the news page."""
    vclean("diff", NEWS, "--method", "bte", "--render", "-o", "diff.html", folder=folder)
    with tab(browser, (folder / "diff.html").as_uri(), width=1300, height=800) as page:
        page.get_by_text("Carrow Mill oats").first.click()
        page.wait_for_timeout(1000)
        page.screenshot(path=IMAGES / "compare-diff.png")


def main() -> None:
    """Make the images."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        path = str(find_chromium().path)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        make_label(browser, folder)
        make_overlays(browser, folder)
        make_comparison(browser, folder)
        make_first_overlay(folder)
        make_report(browser, folder)
        browser.close()


if __name__ == "__main__":
    main()
