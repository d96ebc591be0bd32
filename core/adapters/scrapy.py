"""Add clean text, blocks and metadata to the items of Scrapy spiders: an add-on for one line in the settings."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.adapters.playwright import read_open_page
from vclean.api import AsyncCleaner
from vclean.errors import UsageError, VcleanError
from vclean.imports import requires_extra
from vclean.output.json import write_json
from vclean.page import Page
from vclean.settings import CleanerSettings

with requires_extra("scrapy", "Scrapy"):
    from itemadapter import ItemAdapter
    from scrapy import Request, signals
    from scrapy.exceptions import NotConfigured
    from scrapy.http import HtmlResponse
    from w3lib.encoding import http_content_type_encoding

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from vclean.result import Result

OPTIONS: Final = "VCLEAN_OPTIONS"
"""Name of the setting with the fields of `CleanerSettings`, such as `{"render": True}`."""
BROWSERS: Final = "VCLEAN_BROWSERS"
"""Name of the setting with the number of pages that are rendered at once, 2 by default."""
ON_ERROR: Final = "VCLEAN_ON_ERROR"
"""Name of the setting for items of pages that cannot be cleaned, `collect` by default; see `ERROR_ACTIONS`."""
ERROR_ACTIONS: Final = ("collect", "skip", "raise")
"""What to do with such items: note the error in `metadata`, drop the item, or raise the error in the spider."""
FIELDS: Final = ("text", "blocks", "metadata")
"""Fields that items get."""

_PRIORITY: Final = 950
"""Position among the spider middlewares: next to the spider, so that the others see complete items."""
_OPEN_PAGE: Final = "vclean_open_page"

_log = logging.getLogger("vclean")


class VcleanAddon:
    """Add-on that enables the middlewares: `ADDONS = {"vclean.adapters.scrapy.VcleanAddon": 500}`."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the middlewares to the settings of a crawler, unless the project has placed them itself."""
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", ItemMiddleware, _PRIORITY)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", OpenPageMiddleware, _PRIORITY)


class OpenPageMiddleware:
    """Downloader middleware that reads the page in the browser of scrapy-playwright, after its other page methods."""

    def process_request(self, request: Request) -> None:
        """Add the reading of the open page to a request that scrapy-playwright downloads."""
        if not request.meta.get("playwright") or _OPEN_PAGE in request.meta:
            return
        from scrapy_playwright.page import PageMethod

        methods = request.meta.get("playwright_page_methods") or ()
        others = list(methods.values() if isinstance(methods, dict) else methods)
        method = request.meta[_OPEN_PAGE] = PageMethod(_read)
        request.meta["playwright_page_methods"] = [*others, method]


async def _read(open_page: Any) -> Page | VcleanError:  # noqa: ANN401 - a page of Playwright
    """Read an open page; an error is returned, because scrapy-playwright would drop the response."""
    try:
        return await read_open_page(open_page)
    except VcleanError as error:
        return error


class ItemMiddleware:
    """Spider middleware that fills the fields `text`, `blocks` and `metadata` of the items from an HTML response.

    A field is filled if the item has it, or may have any field, and it is not set yet. A response is cleaned when its
    first item arrives, in the event loop; Scrapy continues to download in the meantime.

    Args:
        cleaner: the cleaner, outside its `with` block.
        crawler: the crawler, for counts.
        on_error: what to do with items of pages that cannot be cleaned, one of `ERROR_ACTIONS`.
    """

    def __init__(self, cleaner: AsyncCleaner, crawler: Crawler, on_error: str) -> None:
        self._cleaner = cleaner
        self._crawler = crawler
        self._on_error = on_error

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware from the settings of a crawler; with wrong settings, end the crawl at its start.

        Raises:
            NotConfigured: the settings are wrong, or what they need is missing; the reason is logged.
        """
        try:
            on_error = crawler.settings.get(ON_ERROR, ERROR_ACTIONS[0])
            if on_error not in ERROR_ACTIONS:
                raise UsageError(f"{ON_ERROR} has to be one of {', '.join(ERROR_ACTIONS)}, not {on_error!r}")
            middleware = cls(_make_cleaner(crawler.settings), crawler, on_error)
        except VcleanError as error:
            _log.error("the spider is not started: %s", error)
            _end_at_start(crawler)
            raise NotConfigured from error
        crawler.signals.connect(middleware._cleaner.__aenter__, signals.spider_opened, weak=False)
        crawler.signals.connect(middleware._cleaner.__aexit__, signals.spider_closed, weak=False)
        return middleware

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield what the spider yielded, with the items filled."""
        fields: dict[str, Any] | None = None
        async for each in result:
            if not isinstance(each, Request) and isinstance(response, HtmlResponse):
                fields = await self._fields(response) if fields is None else fields
                if not fields:
                    continue
                _fill(each, fields)
            yield each

    async def _fields(self, response: HtmlResponse) -> dict[str, Any]:
        """Return the fields of a response; for an error, by the settings: it in `metadata`, no fields, or raise it."""
        try:
            result = await self._clean(response)
        except VcleanError as error:
            self._count("failed")
            if self._on_error == "raise":
                raise
            _log.warning("%s: %s", response.url, error)
            if self._on_error == "skip":
                return {}
            return {"metadata": {"url": response.url, "error": type(error).__name__, "message": str(error)}}
        self._count("cleaned")
        record = json.loads(write_json(result))  # plain strings in place of enumerations
        return {"text": result.to_text(), "blocks": record.pop("blocks"), "metadata": record}

    async def _clean(self, response: HtmlResponse) -> Result:
        page = getattr(response.meta.get(_OPEN_PAGE), "result", None)
        if isinstance(page, VcleanError):
            raise page
        if page is None:
            header = (response.headers.get("Content-Type") or b"").decode("latin-1")
            charset = http_content_type_encoding(header) or ""
            page = Page(content=response.body, url=response.url, charset=charset, id=response.url)
        return await self._cleaner.clean(page)

    def _count(self, outcome: str) -> None:
        if self._crawler.stats:
            self._crawler.stats.inc_value(f"vclean/{outcome}")


def _make_cleaner(settings: BaseSettings) -> AsyncCleaner:
    """Return the cleaner of a crawler, with its model loaded: errors that each page would repeat are raised here."""
    try:
        options, browsers = settings.getdict(OPTIONS), settings.getint(BROWSERS, 2)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{OPTIONS} has to be a dictionary, and {BROWSERS} a number: {error}") from error
    if options.get("render"):  # a page without its style sheets has other boxes, and shows what they hide
        from vclean.render.browser.chromium import find_chromium

        options = {"network": "public"} | options
        find_chromium()
    return AsyncCleaner(CleanerSettings().replace(**options), browsers=browsers)


def _end_at_start(crawler: Crawler) -> None:
    """End the crawl before its first request. For an error in `from_crawler`, Scrapy would print a traceback."""

    async def end() -> None:
        await crawler.engine.close_spider_async(reason="vclean_settings")
        await crawler.engine.stop_async()
        crawler.spider = None  # then Scrapy ends with the exit code 1

    crawler.signals.connect(end, signals.engine_started, weak=False)


def _fill(item: Any, fields: dict[str, Any]) -> None:  # noqa: ANN401 - dictionaries, dataclasses, and other items
    adapter = ItemAdapter(item)
    accepted = set(adapter.field_names())
    for name, value in fields.items():
        if (isinstance(item, dict) or name in accepted) and adapter.get(name) is None:
            adapter[name] = value
