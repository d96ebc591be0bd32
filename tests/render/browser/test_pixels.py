"""Tests of the comparison of a page painted with and without some of its texts."""

import base64
import io
from collections.abc import Iterator

import pytest
from PIL import Image

from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Hidden, Snapshot


def image_style(color: tuple[int, int, int]) -> str:
    """Return the style of a background image in one color."""
    file = io.BytesIO()
    Image.new("RGB", (4, 4), color).save(file, "PNG")
    return f"background-image: url(data:image/png;base64,{base64.b64encode(file.getvalue()).decode()})"


IMAGE = image_style((10, 20, 30))
HIDDEN = f"<p style='color: rgb(10, 20, 30); {IMAGE}'>Words in the color of the image"
SHOWN = f"<p style='color: rgb(255, 255, 255); {IMAGE}'>White words on the image"
TECHNIQUES = {"Words in the color of the image": "color", "White words on the image": ""}


def doubt_sentences(page: Snapshot) -> dict[int, int]:
    """Doubt all texts about the image."""
    return {text: Hidden.COLOR for text, words in enumerate(page.texts) if "image" in words}


def techniques(page: Snapshot) -> dict[str, str]:
    """Return what hides each text about the image."""
    codes = page.text_hidden.tolist()
    return {page.texts[text].strip(): Hidden(codes[text]).technique for text in doubt_sentences(page)}


@pytest.fixture(scope="module")
def examiner() -> Iterator[Renderer]:
    with Renderer(examine=doubt_sentences) as shared:
        yield shared


@pytest.mark.browser
class TestUnseenTexts:
    def test_texts_that_make_no_difference(self, examiner: Renderer) -> None:
        rendering = examiner.render(Page(content=f"<!doctype html>{HIDDEN}{SHOWN}"))
        assert techniques(rendering.snapshot) == TECHNIQUES

    def test_skipped_parts_keep_their_height(self, examiner: Renderer) -> None:
        skipped = (
            "<div style='height: 3000px'></div><div style='content-visibility: auto'><hr style='height: 300px'></div>"
        )
        rendering = examiner.render(Page(content=f"<!doctype html>{skipped}{HIDDEN}{SHOWN}"))
        assert techniques(rendering.snapshot) == TECHNIQUES
