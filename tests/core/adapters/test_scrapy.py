"""Test the add-on in real crawls, each in a separate process: a reactor runs once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.browser import Site
from helpers.libraries import require

import vclean

require("scrapy", "scrapy")

ROOT = Path(__file__).parents[3]
NEWS = (ROOT / "fixtures" / "news" / "page.html").read_bytes()
SENTENCE = "A sentence that a script wrote, on a page of its own."
SCRIPTED = f"<title>Late</title><p id=a></p><script>a.textContent = '{SENTENCE}'</script>".encode()

SPIDER = """
import dataclasses, json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

@dataclasses.dataclass
class Article:
    name: str
    text: str | None = None

class Typed(scrapy.Item):
    name = scrapy.Field()
    metadata = scrapy.Field()

class Spider(scrapy.Spider):
    name = "pages"
    custom_settings = {{"ADDONS": {{"vclean.adapters.scrapy.VcleanAddon": 500}}, "LOG_LEVEL": "WARNING", **{settings}}}
    async def start(self):
        for path in {paths}:
            yield scrapy.Request("http://127.0.0.1:{port}/" + path, meta={meta})
    def parse(self, response):
        name = response.url.rpartition("/")[2]
        yield {{"name": name}}
        yield {{"name": name, "text": "own"}}
        yield Article(name)
        yield Typed(name=name)

def show(item, response, spider):
    item = dataclasses.asdict(item) if dataclasses.is_dataclass(item) else dict(item)
    print("ITEM", json.dumps(item))

process = CrawlerProcess()
crawler = process.create_crawler(Spider)
crawler.signals.connect(show, scrapy.signals.item_scraped)
process.crawl(crawler)
process.start()
print("STATS", json.dumps({{k: v for k, v in crawler.stats.get_stats().items() if isinstance(v, int)}}))
"""
PLAYWRIGHT = {
    "DOWNLOAD_HANDLERS": {"http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"},
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}


@pytest.fixture
def port(site: Site) -> int:
    for path, body in (("/news", NEWS), ("/scripted", SCRIPTED), ("/empty", b" ")):
        site.serve(path, body, kind="text/html; charset=utf-8")
    site.serve("/data", "{}", kind="application/json")
    return int(site.address.rpartition(":")[2])


def crawl(
    port: int, *paths: str, settings: dict[str, Any] | None = None, meta: str = "{}"
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Crawl pages and return the items and the counts."""
    program = SPIDER.format(port=port, paths=list(paths), settings=repr(settings or {}), meta=meta)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    lines = done.stdout.splitlines()
    items = [json.loads(line[5:]) for line in lines if line.startswith("ITEM ")]
    assert items, done.stderr[-3000:]
    return items, json.loads(next(line[6:] for line in lines if line.startswith("STATS ")))


class TestSettings:
    def middleware(self, **settings: Any) -> Any:
        from scrapy.settings import Settings

        from vclean.adapters.scrapy import ItemMiddleware

        crawler = SimpleNamespace(settings=Settings(settings), signals=SimpleNamespace(connect=lambda *_, **__: None))
        return ItemMiddleware.from_crawler(crawler)

    @pytest.mark.parametrize(
        ("options", "network"),
        [
            ({}, "none"),
            ({"render": True}, "public"),
            ({"render": "auto"}, "public"),
            ({"render": True, "network": "none"}, "none"),
        ],
    )
    def test_style_sheets_are_loaded_to_render(self, options: dict[str, Any], network: str) -> None:
        assert self.middleware(VCLEAN_OPTIONS=options)._cleaner._pipeline.settings.network == network

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("VCLEAN_OPTIONS", ["render"], "VCLEAN_OPTIONS has to be a dictionary"),
            ("VCLEAN_OPTIONS", "render", "VCLEAN_OPTIONS has to be a dictionary"),
            ("VCLEAN_OPTIONS", {"colour": 1}, "no option 'colour'"),
            ("VCLEAN_OPTIONS", {"model": "/no/such.model"}, "cannot read the model /no/such.model"),
            ("VCLEAN_OPTIONS", {"method": "nonesuch"}, "no method 'nonesuch'"),
            ("VCLEAN_OPTIONS", {"templates": "/no/such"}, "/no/such"),
            ("VCLEAN_OPTIONS", {"render": "auto"}, "VCLEAN_CHROMIUM is '/no/such'"),
            ("VCLEAN_BROWSERS", "two", "VCLEAN_BROWSERS a number: "),
            ("VCLEAN_BROWSERS", 0, "browsers has to be at least 1, not 0"),
            ("VCLEAN_ON_ERROR", "drop", "VCLEAN_ON_ERROR has to be one of collect, skip, raise"),
        ],
    )
    def test_values_that_are_refused(
        self,
        name: str,
        value: object,
        message: str,
        caplog: pytest.LogCaptureFixture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        from scrapy.exceptions import NotConfigured

        monkeypatch.setenv("VCLEAN_CHROMIUM", "/no/such")
        with pytest.raises(NotConfigured):
            self.middleware(**{name: value})
        (record,) = caplog.records
        assert record.getMessage().startswith("the spider is not started: ")
        assert message in record.getMessage()


class TestWrongSettings:
    @pytest.mark.parametrize("asynchronous", [True, False])
    def test_crawl_ends_before_its_first_request(self, port: int, *, asynchronous: bool) -> None:
        settings = {"VCLEAN_OPTIONS": {"model": "/no/such.model"}}
        program = SPIDER.format(port=port, paths=["news"], settings=settings, meta="{}")
        program += "sys.exit(process.bootstrap_failed)"
        if asynchronous:
            program = program.replace("CrawlerProcess", "AsyncCrawlerProcess")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 1
        errors = [line for line in done.stderr.splitlines() if " ERROR: " in line or "Traceback" in line]
        assert len(errors) == 1
        assert "[vclean] ERROR: the spider is not started: cannot read the model /no/such.model" in errors[0]
        assert "ITEM" not in done.stdout
        assert '"downloader/request_count"' not in done.stdout


class TestAddon:
    def test_items_of_every_kind(self, port: int) -> None:
        (whole, own, article, typed), counts = crawl(port, "news")
        result = vclean.clean(NEWS, url=f"http://127.0.0.1:{port}/news")
        assert whole["text"] == result.to_text()
        assert whole["blocks"] == result.to_dict()["blocks"]
        assert whole["metadata"]["title"] == result.to_dict()["title"]
        assert (own["text"], own["blocks"]) == ("own", whole["blocks"])
        assert article == {"name": "news", "text": whole["text"]}
        assert typed == {"name": "news", "metadata": whole["metadata"]}
        assert counts["vclean/cleaned"] == 1

    def test_pages_that_cannot_be_cleaned(self, port: int) -> None:
        items, counts = crawl(port, "empty", "data")
        by_name = {item["name"]: item for item in items if set(item) != {"name", "text"}}
        assert by_name["empty"]["metadata"]["error"] == "NotHtmlError"
        assert "metadata" not in by_name["data"]
        assert counts["vclean/failed"] == 1
        assert counts["item_scraped_count"] == 8

    @pytest.mark.parametrize("action", ["skip", "raise"])
    def test_items_without_a_page_are_left_out(self, port: int, action: str) -> None:
        items, counts = crawl(port, "empty", "news", settings={"VCLEAN_ON_ERROR": action})
        assert {item["name"] for item in items} == {"news"}
        assert (counts["vclean/failed"], counts["vclean/cleaned"]) == (1, 1)
        assert counts.get("spider_exceptions/count", 0) == (action == "raise")

    @pytest.mark.browser
    def test_rendered(self, port: int) -> None:
        (whole, *_), _ = crawl(port, "news", settings={"VCLEAN_OPTIONS": {"render": True}, "VCLEAN_BROWSERS": 1})
        assert whole["metadata"]["rendered"]
        assert whole["blocks"][0]["box"]

    @pytest.mark.browser
    def test_the_page_that_is_open(self, port: int) -> None:
        """Find the text that a script wrote, though vclean renders nothing."""
        require("scrapy_playwright", "scrapy")
        from vclean.render.browser.chromium import find_chromium

        launch = {"executable_path": str(find_chromium().path), "args": ["--no-sandbox"]}
        settings = PLAYWRIGHT | {"PLAYWRIGHT_LAUNCH_OPTIONS": launch, "VCLEAN_OPTIONS": {"method": "text"}}
        (whole, *_), counts = crawl(port, "scripted", settings=settings, meta='{"playwright": True}')
        assert whole["text"] == f"{SENTENCE}\n"
        assert whole["metadata"]["rendered"]
        assert whole["blocks"][0]["box"][2] > 0
        assert counts["vclean/cleaned"] == 1
