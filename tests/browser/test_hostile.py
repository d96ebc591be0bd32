"""Pages that attack the renderer: each ends in time, and the next page works."""

import time
from collections.abc import Iterator

import pytest

from vclean.errors import DeadlineError, LimitError
from vclean.page import Page
from vclean.render.browser import Renderer
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

DEADLINE = 3.0
SLACK = 3.5


@pytest.fixture(scope="module")
def plain() -> Iterator[Renderer]:
    with Renderer(RenderSettings(deadline=DEADLINE)) as shared:
        yield shared


@pytest.fixture(scope="module")
def scripted() -> Iterator[Renderer]:
    with Renderer(RenderSettings(deadline=DEADLINE, scripts=True, settle=1.0)) as shared:
        yield shared


def bounded(renderer: Renderer, html: str, error: type[Exception] | tuple[type[Exception], ...] | None = None) -> float:
    """Render within the deadline, to a snapshot or to `error`; then render another page."""
    started = time.monotonic()
    if error is None:
        renderer.render(Page(content=html))
    else:
        with pytest.raises(error):
            renderer.render(Page(content=html))
    took = time.monotonic() - started
    assert renderer.render(Page(content="<p>Next.")).snapshot.texts == ["Next."]
    assert took < DEADLINE + SLACK
    return took


class TestWithoutScripts:
    def test_selector_bomb(self, plain: Renderer) -> None:
        rule = "a:has(~ b) ~ a:has(~ c) ~ a:has(~ d) ~ a:has(~ e) { color: red }"
        bounded(plain, f"<style>{rule}</style>" + "<a></a>" * 20_000, DeadlineError)

    def test_100_000_nested_elements(self, plain: Renderer) -> None:
        """The parser of Chromium nests 512 levels, then goes on beside them."""
        bounded(plain, "<div>" * 100_000 + "deep", DeadlineError)

    def test_50_megabytes(self, plain: Renderer) -> None:
        assert bounded(plain, "<p>word</p>" * 4_800_000, LimitError) < 1

    def test_30_megabytes_of_text(self, plain: Renderer) -> None:
        bounded(plain, "<p>" + "word " * 6_000_000, DeadlineError)

    def test_200_000_nodes(self, plain: Renderer) -> None:
        bounded(plain, "<b></b>" * 200_000, (LimitError, DeadlineError))

    def test_refresh(self, plain: Renderer) -> None:
        bounded(plain, "<meta http-equiv=refresh content='0;url=about:blank'><p>Here.")


class TestWithScripts:
    def test_endless_loop(self, scripted: Renderer) -> None:
        bounded(scripted, "<script>for (;;);</script>", DeadlineError)

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

    def test_tampered_builtins(self, scripted: Renderer) -> None:
        """The page's scripts cannot get at what reads the page."""
        html = """<p>True.</p><script>JSON.stringify = () => '{}'; Element.prototype.getBoundingClientRect = null;
        window.getComputedStyle = null; Array.prototype.push = () => { throw 1 }; document.title = '\\ud800'</script>"""
        snapshot = scripted.render(Page(content=html)).snapshot
        assert snapshot.texts == ["True."]
        assert snapshot.title == "\ufffd"
