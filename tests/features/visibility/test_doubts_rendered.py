"""Texts on images: which of them need pixels."""

import asyncio
from collections.abc import Iterator

import pytest

from vclean.features.visibility.painted import doubtful_texts
from vclean.page import Page
from vclean.render.browser.async_renderer import AsyncRenderer
from vclean.render.browser.renderer import Renderer
from vclean.render.examiner import Examiner
from vclean.render.snapshot import Snapshot
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

BLANK = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
DRAWING = "<svg style='position: absolute; left: 0; top: 0' width=900 height=400 viewBox='0 0 900 400'>{}</svg>"
TEXT = "<p style='position: absolute; left: 20px; top: 180px; margin: 0'>The lock keeper counts the barges."


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as shared:
        yield shared


def clear_tags(page: Snapshot) -> list[str]:
    return [page.tags[page.tag[element]] for element in page.clear.tolist()]


@pytest.mark.parametrize(
    "shapes",
    [
        "",
        "<rect width=900 height=100>",
        "<path d='M0 0H900V400H0Z M10 10V390H890V10Z' fill-rule=evenodd>",
        "<rect width=900 height=400 fill=none stroke=black>",
        "<g transform='translate(0 300)'><rect width=900 height=100></g>",
        "<defs><rect width=900 height=400></defs>",
    ],
)
def test_drawing_without_shape_at_the_text_is_clear(renderer: Renderer, shapes: str) -> None:
    page = renderer.render(Page(content=f"<!doctype html>{DRAWING.format(shapes)}{TEXT}")).snapshot
    assert clear_tags(page) == ["svg"]
    assert doubtful_texts(page) == {}


@pytest.mark.parametrize(
    "shapes",
    [
        "<rect width=900 height=400>",
        "<line x1=0 y1=190 x2=900 y2=190 stroke=black stroke-width=40>",
        "<g transform='translate(0 100)'><rect width=900 height=200></g>",
        "<defs><rect id=r width=900 height=400></rect></defs><use href=#r>",
        "<filter id=f x=-9 y=-9 width=99 height=99><feFlood></feFlood></filter><rect width=9 height=9 filter=url(#f)>",
    ],
)
def test_drawing_with_shape_at_the_text_is_not(renderer: Renderer, shapes: str) -> None:
    page = renderer.render(Page(content=f"<!doctype html>{DRAWING.format(shapes)}{TEXT}")).snapshot
    assert clear_tags(page) == []
    assert len(doubtful_texts(page)) == 1


def test_placeholder_of_an_image_is_clear(renderer: Renderer) -> None:
    images = f"<img src='{BLANK}' style='position: absolute; left: 0; top: 0; width: 900px; height: 400px'>"
    page = renderer.render(Page(content=f"<!doctype html>{images}{TEXT}")).snapshot
    assert clear_tags(page) == ["img"]
    assert len(page.image) == 1
    assert doubtful_texts(page) == {}


def test_images_below_an_opaque_box_leave_no_doubt(renderer: Renderer) -> None:
    shape = DRAWING.format("<rect width=900 height=400>")
    box = "<div style='position: absolute; left: 10px; top: {}px; width: 500px; height: 90px; background: {}'></div>"
    full, half = box.format(150, "#fff"), box.format(100, "#fff")
    glass = box.format(150, "#fffc")
    doubts = [
        len(doubtful_texts(renderer.render(Page(content=f"<!doctype html>{shape}{over}{TEXT}")).snapshot))
        for over in (full, half, glass)
    ]
    assert doubts == [0, 1, 1]


def test_slow_comparison_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(*_: object) -> Snapshot:
        await asyncio.sleep(60)
        raise AssertionError

    monkeypatch.setattr(AsyncRenderer, "_examined", wait)
    settings = RenderSettings(deadline=20)
    with Renderer(settings, examiner=Examiner(lambda _: {0: 9}, lambda _: ())) as renderer:
        page = renderer.render(Page(content="<!doctype html><p>One sentence")).snapshot
        assert page.text_hidden.tolist() == [0]
        assert renderer.render(Page(content="<!doctype html><p>Two")).snapshot.texts == ["Two"]
