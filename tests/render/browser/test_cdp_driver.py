"""Browsers without Playwright: they lay pages out as Playwright's do, and nothing of them is left."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vclean.errors import BrowserError
from vclean.page import Page, Resource
from vclean.render.browser import cdp_driver
from vclean.render.browser.cdp import CdpConnection, CdpSession
from vclean.render.browser.cdp_driver import CdpDriver
from vclean.render.browser.driver import Driver
from vclean.render.browser.playwright_driver import PlaywrightDriver
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Snapshot
from vclean.settings import RenderSettings

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not cdp_driver.IS_SUPPORTED, reason="Playwright drives all browsers here"),
]

FIXTURES = sorted(Path(__file__).parents[3].glob("fixtures/**/*.html"))
COLUMNS = (
    "tag",
    "parent",
    "end",
    "depth",
    "box",
    "hidden",
    "style",
    "attr_node",
    "text_parent",
    "line_text",
    "line_box",
)
ODD = {
    "fonts by their families": "".join(
        f"<p style='font-family: {name}'>The quick brown fox 0123."
        for name in ("serif", "sans-serif", "monospace", "x")
    ),
    "media features": "<style>@media (prefers-color-scheme: light) and (prefers-reduced-motion) and (hover) and"
    " (pointer: fine) and (resolution: 1dppx) and (device-width: 1366px) and (orientation: landscape) {"
    " p { height: 77px } }</style><p>Text",
    "scroll bars": "<div style='width: 90px; height: 50px; overflow: scroll'>" + "word " * 99 + "</div>",
    "what a locale decides": "<q>quoted</q><input type=date><input type=number value=1.5><details><summary>s</summary>",
    "no scripts": "<noscript><p>Without</noscript><script>document.write('with')</script>",
    "right to left": "<html dir=rtl><p>\u05d0\u05d1\u05d2 <b>abc</b><div style='width: 2000px'>x</div>",
    "one that leaves marks": "<meta name=referrer content=no-referrer><body link=red><a href=x>link</a>",
    "an animation": "<style>p { animation: a 9s infinite } @keyframes a { to { height: 9px } }</style><p>x",
}


@pytest.fixture(scope="module")
def driven() -> Iterator[Renderer]:
    """A renderer whose browser is Playwright's."""
    with pytest.MonkeyPatch.context() as patch, Renderer() as renderer:
        patch.setattr(cdp_driver, "IS_SUPPORTED", False)
        renderer.render(Page(content="<p>Text"))
        patch.undo()
        yield renderer


@pytest.fixture(scope="module")
def piped() -> Iterator[Renderer]:
    """A renderer whose browser is one of our own."""
    with Renderer() as renderer:
        yield renderer


def contexts(renderer: Renderer) -> int:
    """How many contexts its browser has, besides its own."""
    session = CdpSession(connection_of(renderer))
    answer = renderer._worker.run(session.send("Target.getBrowserContexts"), 20)
    return len(answer["browserContextIds"])


def driver_of(renderer: Renderer) -> Driver:
    return renderer._worker.renderer._process.driver


def connection_of(renderer: Renderer) -> CdpConnection:
    driver = driver_of(renderer)
    assert isinstance(driver, CdpDriver)
    assert driver.connection is not None
    return driver.connection


def assert_same(one: Snapshot, other: Snapshot) -> None:
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name in ("styles", "texts", "attr_value", "tags", "title", "language", "width", "height", "noscript", "build"):
        assert getattr(one, name) == getattr(other, name), name


class TestSameSnapshots:
    """A browser that Playwright drives serves all pages, so that one renderer stays with it."""

    @pytest.mark.parametrize("html", ODD.values(), ids=ODD.keys())
    def test_odd_pages(self, piped: Renderer, driven: Renderer, html: str) -> None:
        page = Page(content=html, url="http://example.org/a/b.html")
        assert_same(piped.render(page).snapshot, driven.render(page).snapshot)
        assert isinstance(driver_of(piped), CdpDriver)
        assert isinstance(driver_of(driven), PlaywrightDriver)

    @pytest.mark.parametrize("path", FIXTURES[::4], ids=lambda path: path.stem)
    def test_fixtures(self, piped: Renderer, driven: Renderer, path: Path) -> None:
        page = Page(content=path.read_bytes())
        assert_same(piped.render(page).snapshot, driven.render(page).snapshot)


LOADING = 10
"""Seconds; a page that waits for what never loads is read after 15."""
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
    "no scripts": "<script src=a.js></script><noscript><p>Without</noscript>",
}


class TestSameVisits:
    """Pages with sub-resources are navigated to: over a pipe as by Playwright."""

    @pytest.mark.parametrize("html", WITH_PARTS.values(), ids=WITH_PARTS.keys())
    def test_odd_pages(self, piped: Renderer, driven: Renderer, html: str) -> None:
        page = Page(content=html, url="http://example.org/a/b.html", resources=PARTS)
        one, other = piped.render(page), driven.render(page)
        assert_same(one.snapshot, other.snapshot)
        assert one.snapshot.timings["render"] < LOADING
        assert (one.served, one.missed) == (other.served, other.missed)
        assert isinstance(driver_of(piped), CdpDriver)

    def test_every_page_has_a_context_of_its_own(self, piped: Renderer) -> None:
        """Nothing of a page is left, neither in the browser nor among those who listen to it."""
        page = Page(content="<p>x", url="http://example.org/", resources={})
        piped.render(page)
        connection = connection_of(piped)
        before = {session for session, _ in connection._handlers}, contexts(piped)
        for _ in range(3):
            piped.render(page)
        assert ({session for session, _ in connection._handlers}, contexts(piped)) == before


class TestReuse:
    def test_a_picture_changes_no_later_page(self, driven: Renderer) -> None:
        page = Page(content=ODD["media features"])
        before = driven.render(page).snapshot
        assert driven.render(page, screenshot=True).screenshot
        assert_same(driven.render(page).snapshot, before)

    def test_fonts_stay_when_the_tab_is_navigated(self, piped: Renderer, driven: Renderer) -> None:
        """Pages that leave marks have the tab navigated for the next one."""
        text = Page(content="<p>serif<pre>fixed</pre><p style='font-family: sans-serif'>sans")
        for each in (piped, driven):
            each.render(Page(content=ODD["one that leaves marks"]))
        assert_same(piped.render(text).snapshot, driven.render(text).snapshot)


class TestChoice:
    def test_a_picture_is_playwrights(self) -> None:
        with Renderer() as renderer:
            renderer.render(Page(content="<p>One."))
            assert isinstance(driver_of(renderer), CdpDriver)
            assert renderer.render(Page(content="<p>Two."), screenshot=True).screenshot
            assert isinstance(driver_of(renderer), PlaywrightDriver)
            renderer.render(Page(content="<p>Three."))
            assert isinstance(driver_of(renderer), PlaywrightDriver)

    def test_one_browser_takes_pages_with_and_without_parts(self) -> None:
        with Renderer() as renderer:
            renderer.render(Page(content="<p>One."))
            first = driver_of(renderer)
            for resources in ({}, None):
                renderer.render(Page(content="<p>Two.", resources=resources))
                assert driver_of(renderer) is first

    def test_scripts_are_playwrights(self, scripting: Renderer) -> None:
        scripting.render(Page(content="<p>One."))
        assert isinstance(driver_of(scripting), PlaywrightDriver)


class TestLaunch:
    def test_failure_is_one_line_with_what_the_browser_said(self, tmp_path: Path) -> None:
        broken = tmp_path / "chromium"
        broken.write_text("#!/bin/sh\necho error while loading shared libraries: libnss3.so >&2\nexit 127\n")
        broken.chmod(0o755)
        with Renderer(chromium=broken) as renderer, pytest.raises(BrowserError, match=r"doctor.*libnss3") as caught:
            renderer.render(Page(content="<p>Text"))
        assert "\n" not in str(caught.value)

    def test_silence_is_a_failure(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cdp_driver, "_START_SECONDS", 0.3)
        mute = tmp_path / "chromium"
        mute.write_text("#!/bin/sh\nexec sleep 60\n")
        mute.chmod(0o755)
        with Renderer(chromium=mute) as renderer, pytest.raises(BrowserError, match="no answer within"):
            renderer.render(Page(content="<p>Text"))

    def test_no_descriptor_but_the_pipe_is_handed_on(self, piped: Renderer) -> None:
        piped.render(Page(content="<p>Text"))
        pid = piped._worker.renderer._process.pid
        if sys.platform != "linux":
            pytest.skip("asks /proc")
        inherited = {str(Path(f"/proc/{pid}/fd/{fd}").readlink()) for fd in (0, 1)}
        assert inherited == {"/dev/null"}


class TestSettings:
    def test_window_of_another_size(self) -> None:
        html = "<style>@media (orientation: portrait) { p { width: 50vw } }</style><p id=x>x"
        with Renderer(RenderSettings(width=400, height=800)) as renderer:
            found = renderer.render(Page(content=html)).snapshot
        assert found.box[-1, 2] == 200
