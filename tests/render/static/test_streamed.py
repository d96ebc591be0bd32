import pytest
from helpers.pages import snapshot

from vclean.features.visibility.text_visibility import text_visibility
from vclean.page import Page
from vclean.render.browser.renderer import Renderer

STREAMED = (
    '<!doctype html><body><h1>Tide</h1><!--$?--><template id="B:0"></template><p>Loading</p><!--/$--><p>Foot</p>'
    '<div hidden id="S:0"><p>High at noon.</p><template id="B:1a"></template></div> tail '
    '<div hidden id="S:1a"><p>Low at six.</p></div><script>$RC("B:0","S:0")</script>'
)
PLACED = ["Tide", "High at noon.", "Low at six.", "Loading", "Foot", "tail"]


def texts(page):
    return [text.strip() for text in page.texts if text.strip()]


def test_parts_are_in_their_places():
    page = snapshot(STREAMED)
    assert texts(page) == PLACED
    assert not text_visibility(page).visibility.any()


@pytest.mark.parametrize(
    "html",
    [
        '<p>One</p><div hidden id="S:x"><p>Two</p></div>',
        '<p>One</p><p hidden id="S:1">Two</p>',
        '<p>One</p><div hidden id="T:1"><p>Two</p></div>',
    ],
)
def test_other_elements_stay_hidden(html):
    page = snapshot(html)
    assert text_visibility(page).visibility.tolist() == [0, 2]


def test_part_without_a_placeholder_stays():
    page = snapshot('<p>One</p><div hidden id="S:1"><p>Two</p></div><p>Three</p>')
    assert (texts(page), text_visibility(page).visibility.any()) == (["One", "Two", "Three"], False)


def test_placeholder_inside_its_part_stays():
    page = snapshot('<p>One</p><div hidden id="S:1"><p>Two</p><template id="B:1"></template></div>')
    assert texts(page) == ["One", "Two"]


@pytest.mark.browser
def test_browser_reads_the_same():
    with Renderer() as renderer:
        page = renderer.render(Page(content=STREAMED)).snapshot
    assert texts(page) == PLACED
    assert not text_visibility(page).visibility.any()
