"""Pages that attack the renderer: each ends in time, and the next page works."""

import contextlib
import time
from collections.abc import Iterator

import pytest

from vclean.errors import DeadlineError, LimitError
from vclean.page import Page
from vclean.render.browser import Renderer
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

DEADLINE = 3.0
BOUND = 30.0
"""Seconds, on a busy machine too; without the defence it would be minutes, or for ever."""


@pytest.fixture(scope="module")
def plain() -> Iterator[Renderer]:
    with Renderer(RenderSettings(deadline=DEADLINE)) as shared:
        yield shared


@pytest.fixture(scope="module")
def scripted() -> Iterator[Renderer]:
    with Renderer(RenderSettings(deadline=DEADLINE, scripts=True, settle=0.5)) as shared:
        yield shared


class Nothing:
    """Resources that are all missing."""

    def get(self, url: str) -> None:
        return None


def bounded(renderer: Renderer, html: str, *errors: type[Exception]) -> None:
    """Render in bounded time, to a snapshot (fast machines are done before the deadline) or an error; then the next."""
    started = time.monotonic()
    with contextlib.suppress(*errors):
        renderer.render(Page(content=html))
    took = time.monotonic() - started
    assert renderer.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]
    assert took < BOUND


class TestWithoutScripts:
    def test_selector_bomb(self, plain: Renderer) -> None:
        rule = "a:has(~ b) ~ a:has(~ c) ~ a:has(~ d) ~ a:has(~ e) { color: red }"
        bounded(plain, f"<style>{rule}</style>" + "<a></a>" * 20_000, DeadlineError)

    def test_100_000_nested_elements(self, plain: Renderer) -> None:
        """The parser of Chromium nests 512 levels, then goes on beside them."""
        bounded(plain, "<div>" * 100_000 + "deep", DeadlineError)

    def test_50_megabytes(self, plain: Renderer) -> None:
        with pytest.raises(LimitError):
            plain.render(Page(content="<p>word</p>" * 4_800_000))

    def test_20_megabytes_of_text(self, plain: Renderer) -> None:
        bounded(plain, "<p>" + "word " * 4_000_000, DeadlineError)

    def test_200_000_nodes(self, plain: Renderer) -> None:
        bounded(plain, "<b></b>" * 200_000, LimitError, DeadlineError)

    def test_refresh(self, plain: Renderer) -> None:
        bounded(plain, "<meta http-equiv=refresh content='0;url=about:blank'><p>Here.")


class TestClobbering:
    """Names in a page shadow properties of its document and its forms, never what the page is read with."""

    NAMES = (
        "adoptedStyleSheets appendChild assignedNodes attributes body childNodes children createRange data defaultView"
        " documentElement firstChild fonts getAnimations getAttribute getAttributeNames getBoundingClientRect"
        " getElementsByTagName images isConnected lang length localName nextSibling nodeType open ownerDocument"
        " parentNode querySelector querySelectorAll scrollingElement scrollWidth shadowRoot style tagName textContent"
        " title"
    )  # fmt: skip

    @pytest.fixture(params=["img", "form", "embed", "object", "iframe"])
    def clobbering(self, request: pytest.FixtureRequest) -> str:
        named = "".join(f"<{request.param} name={name} id={name}></{request.param}>" for name in self.NAMES.split())
        inputs = "".join(f"<input name={name}>" for name in self.NAMES.split())
        return f"<title>True</title><p>Before.</p>{named}<form><b>Inside.</b>{inputs}</form><p id=x>After."

    def test_tree_and_title(self, renderer: Renderer, clobbering: str) -> None:
        found = renderer.render(Page(content=clobbering)).snapshot
        assert found.texts == ["Before.", "Inside.", "After."]
        assert found.title == "True"
        assert len(found) == 6 + 2 * len(self.NAMES.split())

    @pytest.mark.parametrize("clobbering", ["img"], indirect=True)
    def test_with_resources(self, renderer: Renderer, clobbering: str) -> None:
        found = renderer.render(Page(content=clobbering, resources=Nothing())).snapshot
        assert found.texts == ["Before.", "Inside.", "After."]

    @pytest.mark.parametrize("clobbering", ["form"], indirect=True)
    def test_with_scripts(self, scripting: Renderer, clobbering: str) -> None:
        found = scripting.render(Page(content=clobbering)).snapshot
        assert found.texts == ["Before.", "Inside.", "After."]

    def test_noscript_and_lazy_content_in_a_form(self, renderer: Renderer) -> None:
        html = "<form><input name=childNodes><noscript><p>" + "word " * 99 + "</noscript></form>"
        lazy = "<div style='content-visibility: auto'><p style='height: 500px'></div>"
        found = renderer.render(Page(content=f"<img name=adoptedStyleSheets>{html}{lazy * 10}")).snapshot
        assert found.noscript
        assert found.height > 5000

    def test_frames_of_a_frameset(self, renderer: Renderer) -> None:
        frames = "".join(f"<frame name={name}>" for name in self.NAMES.split())
        found = renderer.render(Page(content=f"<frameset>{frames}</frameset>")).snapshot
        assert len(found) == 2 + frames.count("<frame")


class TestWithScripts:
    def test_endless_loop(self, scripted: Renderer) -> None:
        with pytest.raises(DeadlineError):
            scripted.render(Page(content="<script>for (;;);</script>"))
        assert scripted.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]

    def test_dialogs(self, scripted: Renderer) -> None:
        bounded(
            scripted,
            "<script>alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'; location = '/x'</script>",
        )

    def test_popups(self, scripted: Renderer) -> None:
        bounded(scripted, "<script>for (let i = 0; i < 50; i++) window.open('about:blank', 'w' + i)</script>")

    def test_navigation_storm(self, scripted: Renderer) -> None:
        bounded(scripted, "<p>Here.<script>setInterval(() => { location = '/' + Math.random() }, 1)</script>")

    def test_growing_page(self, scripted: Renderer) -> None:
        bounded(
            scripted,
            "<p>Here.<script>setInterval(() => document.body.append(document.createElement('b')), 1)</script>",
        )

    def test_restless_page(self, scripted: Renderer) -> None:
        """A page that goes from copy to copy of itself is read in between."""
        again = "location = URL.createObjectURL(new Blob([document.documentElement.outerHTML], { type: 'text/html' }))"
        html = f"<p>Here.<script>setInterval(() => {{ {again} }}, 30)</script>"
        assert scripted.render(Page(content=html)).snapshot.texts == ["Here."]

    def test_page_without_a_root(self, scripting: Renderer) -> None:
        found = scripting.render(Page(content="<p>Here.<script>document.documentElement.remove()</script>")).snapshot
        assert len(found) == 1
        assert found.texts == []

    def test_form_for_a_root(self, scripting: Renderer) -> None:
        html = """<script>const form = document.createElement('form');
        form.innerHTML = '<input name=scrollWidth><input name=childNodes><input name=lang>Inside.';
        document.replaceChild(form, document.documentElement)</script>"""
        assert scripting.render(Page(content=html)).snapshot.texts == ["Inside."]

    def test_foreign_elements_named_like_ours(self, scripting: Renderer) -> None:
        html = """<p>Here.<script>for (const name of ['details', 'slot', 'form'])
        document.body.append(document.createElementNS('urn:x', name))</script>"""
        assert scripting.render(Page(content=html)).snapshot.tags[-3:] == ("details", "slot", "form")

    def test_tampered_builtins(self, scripting: Renderer) -> None:
        """The page's scripts cannot get at what reads the page."""
        html = """<p>True.</p><script>JSON.stringify = () => '{}'; Element.prototype.getBoundingClientRect = null;
        window.getComputedStyle = null; Array.prototype.push = () => { throw 1 }; document.title = '\\ud800';
        for (const name of ['Map', 'Set', 'Symbol', 'CSSStyleSheet', 'Int32Array', 'btoa']) window[name] = null;
        Object.defineProperty(Node.prototype, 'childNodes', { get: () => [] });
        Object.prototype.get = () => 'lie'; Function.prototype.call = Function.prototype.bind = () => 'lie';
        document.getAnimations = document.createRange = null;</script>"""
        snapshot = scripting.render(Page(content=html)).snapshot
        assert snapshot.texts == ["True."]
        assert snapshot.box[-1][2] > 1000
        assert snapshot.title == "\ufffd"
