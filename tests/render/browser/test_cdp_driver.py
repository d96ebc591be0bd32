"""Test the CDP driver: it has the same layout as Playwright, and leaves nothing behind."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from vclean.errors import BrowserError
from vclean.page import Page, Resource
from vclean.render.browser import cdp, walker
from vclean.render.browser.cdp import CdpDriver, evaluate
from vclean.render.browser.playwright_driver import PlaywrightDriver
from vclean.render.browser.renderer import Renderer
from vclean.render.browser.walker import DocumentTab
from vclean.render.snapshot import Hidden, Snapshot
from vclean.settings import RenderSettings

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not cdp.IS_SUPPORTED, reason="all browsers use Playwright on this platform"),
]

FIXTURES = sorted(Path(__file__).parents[3].glob("fixtures/**/*.html"))
ODD = {
    "fonts by their families": "".join(
        f"<p style='font-family: {name}'>The quick brown fox 0123."
        for name in ("serif", "sans-serif", "monospace", "x")
    ),
    "media features": "<style>@media (prefers-color-scheme: light) and (prefers-reduced-motion: no-preference) and"
    " (hover) and (pointer: fine) and (resolution: 1dppx) and (device-width: 1366px) and (orientation: landscape) {"
    " p { height: 77px } }</style><p>Text",
    "scroll bars": "<div style='width: 90px; height: 50px; overflow: scroll'>" + "word " * 99 + "</div>",
    "what a locale decides": "<q>quoted</q><input type=date><input type=number value=1.5><details><summary>s</summary>",
    "no scripts": "<noscript><p>Without</noscript><script>document.write('with')</script>",
    "right to left": "<html dir=rtl><p>\u05d0\u05d1\u05d2 <b>abc</b><div style='width: 2000px'>x</div>",
    "one that leaves marks": "<meta name=referrer content=no-referrer><body link=red><a href=x>link</a>",
    "an animation": "<style>p { animation: a 9s infinite } @keyframes a { to { height: 9px } }</style><p>x",
}


LOADING = 10
"""Largest duration in seconds; a page that waits for a part that never loads is read after 15 s."""
PARTS = {
    "http://example.org/a/s.css": Resource(
        b"@font-face { font-family: f; src: url(f.woff2) } p { width: 70% }", "text/css"
    ),
    "http://example.org/a/f.html": Resource(b"<p>framed<img src=i.svg>", "text/html"),
    "http://example.org/a/i.svg": Resource(
        b"<svg xmlns='http://www.w3.org/2000/svg' width='70' height='40'/>", "image/svg+xml"
    ),
}
WITH_PARTS = {
    "style sheets, pictures and frames": "<link rel=stylesheet href=s.css><p>x<img src=i.svg>"
    "<iframe src=f.html></iframe>",
    "what is missing": "<link rel=stylesheet href=no.css><p>x<img src=no.png alt=none><iframe src=no.html></iframe>",
    "fonts that do not load": "<link rel=stylesheet href=s.css><p style='font-family: f, serif'>x",
    "plugins, which load when they are painted": "<object classid='clsid:d27cdb6e-ae6d-11cf-96b8-444553540000'"
    " width=275 height=113><param name=movie value=a.swf>"
    "<embed src=a.swf type=application/x-shockwave-flash></object><p>x",
    "a refresh": "<meta http-equiv=refresh content='0;url=f.html'><p>here",
    "no scripts from files": "<script src=a.js></script><noscript><p>Without</noscript>",
}
URL = "http://example.org/a/b.html"
PAGES = (
    {name: Page(content=html, url=URL) for name, html in ODD.items()}
    | {name: Page(content=html, url=URL, resources=PARTS) for name, html in WITH_PARTS.items()}
    | {str(path.relative_to(path.parents[1])): Page(content=path.read_bytes()) for path in FIXTURES[::4]}
)
"""Pages that both drivers show alike."""


@pytest.fixture(scope="module")
def playwright_renderer() -> Iterator[Renderer]:
    """Return a renderer with a browser started by Playwright."""
    with pytest.MonkeyPatch.context() as patch, Renderer() as renderer:
        patch.setattr(cdp, "IS_SUPPORTED", False)
        renderer.render(Page(content="<p>Text"))
        patch.undo()
        yield renderer


def count_contexts(renderer: Renderer) -> int:
    """Return the number of browser contexts, without the default one."""
    answer = renderer._worker.run(driver_of(renderer).session.send("Target.getBrowserContexts"), 20)
    return len(answer["browserContextIds"])


def driver_of(renderer: Renderer) -> CdpDriver | PlaywrightDriver:
    return renderer._worker.renderer._process.driver


def assert_same(first: Snapshot, second: Snapshot) -> None:
    for each in fields(first):
        if each.name != "timings":
            np.testing.assert_equal(getattr(first, each.name), getattr(second, each.name), err_msg=each.name)


class TestSameSnapshots:
    """Snapshots of both drivers; a renderer keeps its driver for many pages."""

    def test_has_a_marquee_before_it_scrolls(
        self, playwright_renderer: Renderer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Playwright's tabs paint, and a marquee that is painted scrolls, with its text outside its window at first.
        async def replace_slowly(tab: DocumentTab, text: str, hints: Callable[[], dict]) -> str:
            await tab.session.send("Page.setDocumentContent", {"frameId": tab._frame, "html": text})
            await asyncio.sleep(0.3)
            return str(await evaluate(tab.session, walker.expression(tab._settings, hints(), defined=True)))

        monkeypatch.setattr(DocumentTab, "_replace_document", replace_slowly)
        page = Page(content="<!doctype html><body style='margin: 0'><marquee>text</marquee>")
        snapshot = playwright_renderer.render(page).snapshot
        assert snapshot.text_hidden.tolist() == [Hidden.NO]
        assert snapshot.line_box[0][0] == 0

    @pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
    def test_equals_playwright(self, renderer: Renderer, playwright_renderer: Renderer, page: Page) -> None:
        first, second = renderer.render(page), playwright_renderer.render(page)
        assert_same(first.snapshot, second.snapshot)
        assert first.snapshot.timings["render"] < LOADING
        assert (first.served, first.missed) == (second.served, second.missed)
        assert isinstance(driver_of(renderer), CdpDriver)
        assert isinstance(driver_of(playwright_renderer), PlaywrightDriver)


class TestContexts:
    @pytest.mark.parametrize(("resources", "screenshot"), [({}, False), (None, True)])
    def test_closes_the_context_of_every_page(
        self, renderer: Renderer, resources: dict | None, screenshot: bool
    ) -> None:
        # Neither contexts nor event handlers remain, of pages with subresources and of screenshots.
        page = Page(content="<p>x", url="http://example.org/", resources=resources)
        renderer.render(page, screenshot=screenshot)
        driver = driver_of(renderer)
        before = set(driver.sessions), count_contexts(renderer)
        for _ in range(3):
            renderer.render(page, screenshot=screenshot)
        assert (set(driver.sessions), count_contexts(renderer)) == before


class TestReuse:
    def test_screenshot_does_not_change_later_pages(self, renderer: Renderer, playwright_renderer: Renderer) -> None:
        page = Page(content=ODD["media features"])
        screenshots = []
        for each in (renderer, playwright_renderer):
            before = each.render(page).snapshot
            process = each._worker.renderer._process
            screenshots.append(each.render(page, screenshot=True).screenshot)
            assert_same(each.render(page).snapshot, before)
            assert each._worker.renderer._process is process
        assert screenshots[0] == screenshots[1]

    def test_live_page_is_the_same(self, site) -> None:
        url = site.serve("/old", status=302, location="/new")
        new = site.serve("/new", "<link rel=stylesheet href=a.css><p>x<script>location.hash = 'y'</script>")
        site.serve("/a.css", "p { width: 70% }", kind="text/css")
        snapshots = []
        for supported in (True, False):
            settings = RenderSettings(scripts="on", settle=0.5, allow_hosts=("127.0.0.1",))
            with pytest.MonkeyPatch.context() as patch, Renderer(settings) as renderer:
                patch.setattr(cdp, "IS_SUPPORTED", supported)
                snapshots.append(renderer.render(Page(url=url, live=True)).snapshot)
                assert isinstance(driver_of(renderer), CdpDriver) == supported
        assert_same(*snapshots)
        assert [snapshot.url for snapshot in snapshots] == [f"{new}#y"] * 2


class TestLaunch:
    @pytest.mark.parametrize(
        ("script", "message"),
        [
            ("echo error while loading shared libraries: libnss3.so >&2; exit 127", "doctor.*libnss3"),
            ("exec sleep 60", "no answer within"),
            (None, "vclean doctor"),
        ],
    )
    def test_reports_broken_browser_in_one_line(
        self, script: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cdp, "_START_SECONDS", 1)
        broken = tmp_path / "chromium"
        if script is not None:
            broken.write_text(f"#!/bin/sh\n{script}\n")
            broken.chmod(0o755)
        with Renderer(chromium=broken) as renderer, pytest.raises(BrowserError, match=message) as caught:
            renderer.render(Page(content="<p>Text"))
        assert "\n" not in str(caught.value)

    def test_inherits_no_other_descriptors(self, renderer: Renderer) -> None:
        renderer.render(Page(content="<p>Text"))
        pid = renderer._worker.renderer._process.pid
        if sys.platform != "linux":
            pytest.skip("uses /proc")
        inherited = {str(Path(f"/proc/{pid}/fd/{fd}").readlink()) for fd in (0, 1)}
        assert inherited == {"/dev/null"}
