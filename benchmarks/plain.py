"""Pages through Playwright, used as its documentation has it: `python benchmarks/plain.py PAGES.parquet [--at-once N]`.

One browser, a new page for each document, `set_content`, one `evaluate`, `close`. This is what the farm is compared
with (see farm.py). The evaluate gives every element's tag, box, font size, colour and text, as JSON; with `--label` it
is vclean's own, and the page is cut into blocks and labelled, as the farm does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow.parquet as pq
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from vclean.render.browser.chromium import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser, Page

    from vclean.settings import RenderSettings

EXTRACT: Final = """
JSON.stringify([...document.querySelectorAll('*')].map((element) => {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  return {
    tag: element.localName,
    box: [box.x, box.y, box.width, box.height],
    fontSize: style.fontSize,
    colour: style.color,
    text: texts.map((node) => node.data).join(' ').trim(),
  };
}))
"""
_SECONDS: Final = 60
"""For a page in all; Playwright itself bounds `set_content` by 30 s, and `evaluate` not at all."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How Playwright is used.

    Attributes:
        at_once: pages in work at the same time.
        abort: refuse every request by a route, rather than to let it fail on its way.
        scripts: let the scripts of pages run.
        label: cut and label every page with vclean.
    """

    at_once: int
    abort: bool
    scripts: bool
    label: bool


async def extract(browser: Browser, html: str, url: str, manner: Manner) -> int:
    """What one document gives, in elements or blocks."""
    page = await browser.new_page(java_script_enabled=manner.scripts)
    try:
        if manner.abort:
            await page.route("**/*", lambda route: route.abort())
        await page.set_content(html)
        if manner.label:
            return await _labelled(page, url)
        return len(json.loads(await page.evaluate(EXTRACT)))
    finally:
        await page.close()


async def _labelled(page: Page, url: str) -> int:
    from vclean.render.browser import walker
    from vclean.settings import RenderSettings

    settings = RenderSettings()
    payload = await page.evaluate(walker.expression(url, settings))
    return await asyncio.to_thread(_label, payload, url, settings)


def _label(payload: str, url: str, settings: RenderSettings) -> int:
    from vclean.classify.content.model import load_default
    from vclean.features.blocks import extract_blocks
    from vclean.render.browser.walker import unpack

    return len(load_default().label(extract_blocks(unpack(payload, settings, build="", url=url))).labels)


async def run(pages: Path, manner: Manner) -> dict[str, int]:
    """How many pages there were, how many failed, and what the others gave."""
    counts = {"pages": 0, "failed": 0, "found": 0}
    rows = documents(pages)

    async def work(browser: Browser) -> None:
        for url, html in rows:
            counts["pages"] += 1
            try:
                async with asyncio.timeout(_SECONDS):
                    found = await extract(browser, html, url, manner)
                counts["found"] += found
            except (PlaywrightError, TimeoutError):
                counts["failed"] += 1

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium().path)
        async with asyncio.TaskGroup() as group:
            for _ in range(manner.at_once):
                group.create_task(work(browser))
        await browser.close()
    return counts


def documents(pages: Path) -> Iterator[tuple[str, str]]:
    """The URL and the text of every page of a Parquet file."""
    for batch in pq.ParquetFile(pages).iter_batches(32, columns=["url", "html"]):
        for row in batch.to_pylist():
            yield row["url"], row["html"].decode("utf-8", "replace")


def main(arguments: list[str] | None = None) -> int:
    """Run over the pages and print the counts as JSON; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("pages", type=Path, help="a Parquet file with the columns url and html")
    parser.add_argument("--at-once", type=int, default=1, help="pages in work at the same time (default: 1)")
    parser.add_argument("--abort", action="store_true", help="refuse all requests by a route")
    parser.add_argument("--no-scripts", dest="scripts", action="store_false", help="do not run scripts")
    parser.add_argument("--label", action="store_true", help="cut and label every page with vclean")
    options = vars(parser.parse_args(arguments))
    print(json.dumps(asyncio.run(run(options.pop("pages"), Manner(**options)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
