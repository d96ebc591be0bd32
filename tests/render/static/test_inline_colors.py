"""Which texts have the color of what is behind them, by inline styles and attributes."""

import time

import pytest

from vclean.page import Page
from vclean.render.snapshot import Hidden
from vclean.render.static.inline_colors import read_color
from vclean.render.static.parse import parse

SHEET = "<link rel=stylesheet href=a.css>"


def unreadable(body: str, head: str = SHEET) -> list[str]:
    """Return the texts whose color hides them."""
    page = parse(Page(content=f"<!doctype html>{head}{body}"))
    codes = page.text_hidden.tolist()
    return [text.strip() for text, code in zip(page.texts, codes, strict=True) if code == Hidden.COLOR]


@pytest.mark.parametrize(
    "body",
    [
        "<p style='color: transparent'>x",
        "<p style='color: rgba(0, 0, 0, .01)'>x",
        "<p style='-webkit-text-fill-color: transparent; color: red'>x",
        "<p style='COLOR: WHITE; BACKGROUND: #fff'>x",
        "<p class=a style='color: #fdfdfd; background-color: rgb(255 255 255)'>x",
        "<div style='background: teal'><p><b style='color: #008080'>x",
        "<table bgcolor=black><tr><td><font color='#000'>x",
        "<body bgcolor=ffffff><p style='color: #fff'>x",
        "<p style='color: #fff; background: #fff'><i>x",
    ],
)
def test_texts_in_the_color_behind_them(body: str) -> None:
    assert unreadable(body) == ["x"]


@pytest.mark.parametrize(
    "body",
    [
        "<p style='color: white'>x",
        "<p style='color: white; background: #234'>x",
        "<p style='color: white; background: #fff url(a.png)'>x",
        "<p style='color: white; background: linear-gradient(#000, #000)'>x",
        "<div style='background: #fff'><div class=dark><b style='color: #fff'>x",
        "<div style='background: #fff'><p class=dark style='color: #fff'>x",
        "<div style='background: #fff'><p style='color: #fff; position: absolute'>x",
        "<div style='background: #fff'><td background=a.png style='color: #fff'>x",
        "<p style='color: transparent; background-clip: text'>x",
        "<p style='color: transparent; text-shadow: 0 0 1px #000'>x",
        "<p style='color: var(--a); background: #fff'>x",
        "<p style='color: #fff; background: #fff'><a href=b>x</a>",
        "<p style='color: #fff; background: #fff'><b style='color: #000'>x</b>",
        "<p style='color: #fff; background: #fff'><b style='background: #000'>x</b>",
        "<p style='color: #fff; background: #fff'><b class=dark>x</b>",
        "<p style='color: #0f0; background: #f0f'>x",
        "<button style='color: #fff'>x",
    ],
)
def test_others_can_be_read(body: str) -> None:
    assert unreadable(body) == []


def test_a_page_without_style_sheets_is_white() -> None:
    white = "<p class=a style='color: #fff'>x"
    assert unreadable(white, "<style>p { margin: 0 }</style>") == ["x"]
    assert unreadable(white, "<style>p { background: #000 }</style>") == []


def test_colors() -> None:
    assert read_color("#0f08") == (0, 255, 0, 136 / 255)
    assert read_color(" Navy") == (0, 0, 128, 1)
    assert read_color("rgba(1, 2, 3, .5)") == (1, 2, 3, 0.5)
    assert read_color("#12345") is None


def test_many_colored_elements_take_little_time() -> None:
    started = time.process_time()
    unreadable("<font color=red style='background:#fff'>x" * 1_000 + "<p style='color:#fff'><i>x</i>" * 20_000)
    assert time.process_time() - started < 3
