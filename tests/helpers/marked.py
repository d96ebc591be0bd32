"""Build small hand-marked pages with a layout, for tests of training."""

from __future__ import annotations

from helpers.painted import painted
from vclean.classify.corpora.marked import strip_marks

WORDS = ("river", "ferry", "bridge", "rope", "village", "winter", "council", "bell")


def marked_html(number):
    """Return a page with a header, a menu, articles and a footer, with their boxes, and with marks of both levels."""
    height, count = 150, 2 + number % 3
    articles = "".join(
        f"""<div class=post data-block=2 data-block-type=Article title="200 {100 + row * height} 800 {height}">
        <h2 title="200 {100 + row * height} 800 40">The {WORDS[(number + row) % 8]}</h2>
        <p title="200 {150 + row * height} 800 90">The {WORDS[row]} was here, and so were {number} others, they said
        when it was over and everybody had gone home again.</p></div>"""
        for row in range(count)
    )
    bottom = 100 + count * height
    items = "".join(
        f'<li title="0 {120 + 30 * row} 150 25"><a href=/{word}>{word}</a>'
        for row, word in enumerate(WORDS[: 3 + number % 4])
    )
    return f"""<html><body title="0 0 1000 {bottom + 60}"><div id=page title="0 0 1000 {bottom + 60}">
    <div id=head data-block=1 data-block-type=Header title="0 0 1000 80"><h1 title="0 0 500 80">Site {number}</h1>
    <p title="600 0 300 80">About ferries</p></div>
    <ul id=menu data-block=1 data-block-type=Menu title="0 100 180 {count * height}">{items}</ul>
    <div id=main data-block=1 data-block-type=Content title="200 100 800 {count * height}">{articles}</div>
    <div id=foot data-block=1 data-block-type=Footer title="0 {bottom} 1000 60"><p title="0 {bottom} 400 60">Imprint</p>
    <p title="500 {bottom} 400 60">Copyright {number}</p></div></div></body></html>"""


def marked_page(number):
    """Return the page without marks, laid out, and its marks."""
    stripped, marks = strip_marks(marked_html(number))
    return painted(stripped, 1000, 1000), marks


def by_id(page, name):
    """Return the element with an id."""
    return next(node for node, value in page.attributes("id").items() if value == name)
