"""Screenshots, and comparisons of pixels, without the overlays of a page."""

import io
from collections.abc import Iterator

import numpy as np
import pytest
from helpers.browser import png_url
from helpers.overlay_pages import NO_OVERLAYS, NOTE, OVERLAYS, SENTENCE, page
from numpy.typing import NDArray
from PIL import Image

from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Hidden
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

BLUE = (0, 0, 255)
WALL = ".b { position: fixed; inset: 0; background: #00f }"
INSISTING = f"""{WALL} .b {{ opacity: 1 !important; transition: opacity 9s; animation: k 1s both }}
.b p {{ visibility: visible !important }} @keyframes k {{ to {{ opacity: 1 }} }}"""
BODY = "<article>{article}</article><div class=b>{note}</div>"


def documents(html: str) -> list[Page]:
    """Return a page for the tab of documents, and one that the browser navigates to."""
    return [Page(content=html), Page(content=html, resources={}, url="https://example.org/")]


@pytest.fixture(scope="module")
def hiding() -> Iterator[Renderer]:
    with Renderer(RenderSettings(hide_overlays=True)) as shared:
        yield shared


def pixels(renderer: Renderer, document: Page) -> NDArray[np.uint8]:
    png = renderer.render(document, screenshot=True).screenshot
    assert png is not None
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def blue_share(image: NDArray[np.uint8]) -> float:
    return float((image[:768] == BLUE).all(axis=2).mean())


class TestScreenshot:
    @pytest.mark.parametrize("kind", [0, 1])
    def test_without_overlays(self, kind: int, hiding: Renderer, renderer: Renderer) -> None:
        document = documents(page(WALL, BODY))[kind]
        plain = documents(page("", "<article>{article}</article>"))[kind]
        assert blue_share(pixels(renderer, document)) > 0.9
        assert np.array_equal(pixels(hiding, document), pixels(renderer, plain))

    @pytest.mark.parametrize("name", list(OVERLAYS)[1::4])
    def test_layout_and_snapshot_stay(self, name: str, hiding: Renderer, renderer: Renderer) -> None:
        document = Page(content=OVERLAYS[name])
        hidden, shown = pixels(hiding, document), pixels(renderer, document)
        assert hidden.shape == shown.shape
        assert not np.array_equal(hidden, shown)
        first, second = (each.render(document, screenshot=True).snapshot for each in (hiding, renderer))
        assert first.texts == second.texts
        assert np.array_equal(first.box, second.box)
        assert np.array_equal(first.hidden, second.hidden)

    @pytest.mark.parametrize("name", list(NO_OVERLAYS)[::5])
    def test_other_elements_stay(self, name: str, hiding: Renderer, renderer: Renderer) -> None:
        document = Page(content=NO_OVERLAYS[name])
        assert np.array_equal(pixels(hiding, document), pixels(renderer, document))

    @pytest.mark.parametrize(
        ("css", "body"),
        [
            (INSISTING, BODY),
            # Fields of a form have names of its properties.
            (WALL, "<article>{article}</article><form class=b><input name=style type=hidden><p>{note}</p></form>"),
        ],
    )
    def test_overlays_that_resist(self, css: str, body: str, hiding: Renderer) -> None:
        assert blue_share(pixels(hiding, Page(content=page(css, body)))) == 0

    def test_backdrop_of_a_modal_dialog(self) -> None:
        css = "dialog::backdrop { background: #00f }"
        body = "<article>{article}</article><dialog>{note}</dialog>"
        script = "<script>document.querySelector('dialog').showModal()</script>"
        settings = RenderSettings(scripts="on", settle=0.3, hide_overlays=True)
        with Renderer(settings) as renderer:
            assert blue_share(pixels(renderer, Page(content=page(css, body) + script))) == 0


class TestPixels:
    """A text on an image is compared without the overlay above it."""

    @pytest.mark.parametrize("kind", [0, 1])
    @pytest.mark.parametrize("screenshot", [False, True])
    @pytest.mark.parametrize(("color", "hidden"), [((255, 255, 255), Hidden.NO), ((20, 20, 20), Hidden.COLOR)])
    def test_text_below_an_overlay(
        self, kind: int, *, screenshot: bool, color: tuple[int, int, int], hidden: Hidden, renderer: Renderer
    ) -> None:
        css = f'{WALL} h1 {{ color: rgb(20, 20, 20); background: url("{png_url(8, 8, color)}") }}'
        title = "The heron stands in the shallow water"
        document = documents(page(css, BODY).replace("<h1>The heron", f"<h1>{title}"))[kind]
        snapshot = renderer.render(document, screenshot=screenshot).snapshot
        assert snapshot.text_hidden[list(snapshot.texts).index(title)] == hidden
        assert {int(snapshot.text_hidden[row]) for row, words in enumerate(snapshot.texts) if SENTENCE in words} == {0}
        assert any(NOTE in words for words in snapshot.texts)

    def test_one_page_after_the_other(self, renderer: Renderer) -> None:
        """Render tall pages and short ones in turn: screenshots of tall parts change the size of the screen."""
        dark = png_url(8, 8, (20, 20, 20))
        style = f"""<style>p {{ color: rgb(250, 250, 250); background: url("{dark}"); margin: 0 }}
        @media (max-device-width: 1000px) {{ p {{ margin-top: 700px }} }}</style>"""
        heights = {"3000px": 200, "90vh": 1, "2000px": 200, "50vh": 1}
        pages = [Page(content=f"{style}<div style='height: {height}'></div><p>{SENTENCE * count}")
                 for height, count in heights.items()]  # fmt: skip
        found = [renderer.render(each).snapshot.text_hidden.tolist() for each in pages]
        assert found == [[Hidden.NO]] * len(pages)
