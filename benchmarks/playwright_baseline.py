"""Read pages with plain Playwright: `python benchmarks/playwright_baseline.py PAGES.parquet [--concurrency N]`.

Playwright is used as in its documentation: one browser, and for each document a new page, `set_content`, one
`evaluate` and `close`. `farm.py` compares the farm with this program. The `evaluate` returns tag, box, font size,
color and text of every element as JSON. With `--label` it runs vclean's walker instead, and the page is segmented into
blocks and labelled, as in the farm.
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
    color: style.color,
    text: texts.map((node) => node.data).join(' ').trim(),
  };
}))
"""
_SECONDS: Final = 60
"""Time limit of a page. Playwright limits `set_content` to 30 s, and does not limit `evaluate`."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options for the use of Playwright.

    Attributes:
        concurrency: number of pages that are open at the same time.
        abort: abort every request by a route; otherwise requests are sent, and fail.
        scripts: run the scripts of pages.
        label: segment every page into blocks and label them with vclean.
    """

    concurrency: int
    abort: bool
    scripts: bool
    label: bool


async def extract(browser: Browser, html: str, url: str, options: Options) -> int:
    """Read one document. Return its number of elements, or of blocks with `label`."""
    page = await browser.new_page(java_script_enabled=options.scripts)
    try:
        if options.abort:
            await page.route("**/*", lambda route: route.abort())
        await page.set_content(html)
        if options.label:
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


async def run(pages: Path, options: Options) -> dict[str, int]:
    """Read all pages of a file. Return the numbers of pages, of failed pages, and of extracted elements or blocks."""
    counts = {"pages": 0, "failed": 0, "extracted": 0}
    rows = documents(pages)

    async def work(browser: Browser) -> None:
        for url, html in rows:
            counts["pages"] += 1
            try:
                async with asyncio.timeout(_SECONDS):
                    count = await extract(browser, html, url, options)
                counts["extracted"] += count
            except (PlaywrightError, TimeoutError):
                counts["failed"] += 1

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium().path)
        async with asyncio.TaskGroup() as group:
            for _ in range(options.concurrency):
                group.create_task(work(browser))
        await browser.close()
    return counts


def documents(pages: Path) -> Iterator[tuple[str, str]]:
    """Yield URL and HTML of every page of a Parquet file."""
    for batch in pq.ParquetFile(pages).iter_batches(32, columns=["url", "html"]):
        for row in batch.to_pylist():
            yield row["url"], row["html"].decode("utf-8", "replace")


def main(arguments: list[str] | None = None) -> int:
    """Read the pages and print the counts as JSON. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("pages", type=Path, help="a Parquet file with the columns url and html")
    parser.add_argument("--concurrency", type=int, default=1, help="pages open at the same time (default: 1)")
    parser.add_argument("--abort", action="store_true", help="abort all requests by a route")
    parser.add_argument("--no-scripts", dest="scripts", action="store_false", help="do not run scripts")
    parser.add_argument("--label", action="store_true", help="segment every page into blocks and label them")
    options = vars(parser.parse_args(arguments))
    print(json.dumps(asyncio.run(run(options.pop("pages"), Options(**options)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
