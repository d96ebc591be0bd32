"""Which texts have the color of what is behind them, by the style sheets of a page."""

from __future__ import annotations

import time

import pytest

from vclean.page import Page
from vclean.render.snapshot import Hidden
from vclean.render.static.parse import parse

BODY = "<div class=w><p id=z class='x y'>one</p></div><p>two"


def unreadable(css: str, body: str = BODY, head: str = "") -> list[str]:
    """Return the texts whose color hides them."""
    page = parse(Page(content=f"<!doctype html>{head}<style>{css}</style><body>{body}"))
    codes = page.text_hidden.tolist()
    return [text.strip() for text, code in zip(page.texts, codes, strict=True) if code == Hidden.COLOR and text.strip()]


@pytest.mark.parametrize(
    "css",
    [
        ".x { color: #fff }",
        ".x { color: white }",
        ".x { color: hsl(0 0% 99%) }",
        ".x { color: #f0f0f0 }",
        ".x { color: transparent }",
        ".x { color: rgba(0, 0, 0, .01) }",
        ".x { color: #000; -webkit-text-fill-color: #fff }",
        ".w { color: #fff }",
        "body { background: #222 } #z { color: #232323 }",
        ".w { background: teal } .x { color: #008080 }",
        ".w { background: #000; background-color: #fff } .x { color: #fff }",
        ".x { color: red; background: red }",
        "div > p { color: #fff }",
        ".x { color: #fff } p { color: #000 }",
        ".x { color: #000 } .x.y { color: #fff }",
        ".x { color: #fff } @media print { .x { color: #000 } }",
        "@layer a { .x { color: #000 } } .w p { color: #fff }",
    ],
)
def test_texts_in_the_color_behind_them(css: str) -> None:
    assert unreadable(css) == ["one"]


@pytest.mark.parametrize(
    "css",
    [
        ".x { color: #555 }",
        ".x { color: #fff; background: #234 }",
        "body { background: #222 } .x { color: #fff }",
        "html { background: #222 } .x { color: #fff }",
        ".w { background: url(a.jpg) } .x { color: #fff }",
        ".w { background: linear-gradient(#000, #333) } .x { color: #fff }",
        ".w { background: var(--dark) } .x { color: #fff }",
        ".w::before { content: ''; background: #000 } .x { color: #fff }",
        ".w { position: relative } .x { color: #fff }",
        ".x { color: #fff; box-shadow: inset 0 0 0 99px #123 }",
        ".x { color: #fff; display: none }",
        ".x { color: #fff; float: left }",
        ".x { color: #fff; margin-top: -60px }",
        ".x { color: #fff; margin: -60px 0 0 }",
        ".x { color: #fff; grid-area: 1 / 1 }",
        ".x { color: #fff; mix-blend-mode: difference }",
        ".x { color: #fff; animation: blink 1s }",
        ".x { color: transparent; text-shadow: 0 0 1px #000 }",
        ".x { color: transparent; background-clip: text }",
        ".x { color: #fff } .x:hover { color: #000 }",
        ".x { color: #fff } .w:hover .x { background: #000 }",
        ".x { color: #fff } p#z { color: #000 }",
        ".x { color: #fff } p { color: #000 !important }",
        ".x { color: #fff } body.light .x { color: #000 }",
        ".x { color: #fff } @media (prefers-color-scheme: dark) { .w { background: #000 } }",
        ".x { color: #fff } .w:not(.a, .b c) { background: #000 }",
        ":root { color-scheme: dark } .x { color: #fff }",
        ".x { color: #fff } .q { z-index: -1 }",
        ".x { color: #fff } .q { margin-bottom: -90px }",
        "@import url(a.css); .x { color: #fff }",
    ],
)
def test_texts_that_may_be_readable(css: str) -> None:
    assert unreadable(css) == []


@pytest.mark.parametrize(
    "body",
    [
        "<p class=x style='background: #000'>one",
        "<p class=x style='color: #000'>one",
        "<div data-bg='a.jpg'><p class=x>one</div>",
        "<table background=a.png><tr><td class=x>one</table>",
        "<table bgcolor=black><tr><td class=x>one</table>",
        "<button class=x>one</button>",
        "<p class=x><a href=b>one</a>",
    ],
)
def test_attributes_and_inline_styles_win(body: str) -> None:
    assert unreadable(".x { color: #fff }", body) == []


def test_files_may_have_other_colors() -> None:
    assert unreadable(".x { color: #fff }", head="<link rel=stylesheet href=a.css>") == []


def test_scripts_that_name_the_element() -> None:
    assert (
        unreadable(".x { color: #fff }", "<p class=x>one<script>document.querySelector('.x').className = ''</script>")
        == []
    )


def test_only_what_inherits_the_color() -> None:
    body = "<div class=w>one <b class=q>two</b> <i>three</i></div>"
    assert unreadable(".w { color: #fff } .q { color: #000 }", body) == ["one", "three"]


@pytest.mark.parametrize(
    "css",
    [
        ".x { color: #fff }" + "div div p { color: #fff }" * 1_500,
        ".x { color: #fff }" + ".w:not(" * 5_000,
        "* { color: #fff }" * 2_000,
    ],
)
def test_hostile_style_sheets_take_little_time(css: str) -> None:
    started = time.process_time()
    unreadable(css, "<div>" * 50 + "<p class=x>one" * 2_000)
    assert time.process_time() - started < 3
