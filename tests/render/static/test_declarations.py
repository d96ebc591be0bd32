"""How declarations hide an element, without a layout."""

import time

import pytest

from vclean.render.snapshot import Hidden
from vclean.render.static.declarations import effect_of, parse_declarations, unescape


def technique(style: str, display: str = "block") -> Hidden:
    effect = effect_of(parse_declarations(style))
    return effect.hides(display) or effect.letters or Hidden.NO


@pytest.mark.parametrize(
    ("style", "code"),
    [
        ("display:none", Hidden.DISPLAY),
        ("DISPLAY: NONE !important; display: block", Hidden.DISPLAY),
        ("d\\69 splay/**/:/* x */none", Hidden.DISPLAY),
        ("content-visibility: hidden", Hidden.DISPLAY),
        ("opacity:0%", Hidden.OPACITY),
        ("opacity: .01", Hidden.OPACITY),
        ("filter: opacity(0)", Hidden.FILTER),
        ("filter: blur(24px)", Hidden.FILTER),
        ("position:absolute;left:-9999px", Hidden.OFF_PAGE),
        ("position: fixed; top: -100em", Hidden.OFF_PAGE),
        ("position: relative; left: -999px", Hidden.OFF_PAGE),
        ("position: absolute; right: -9999px", Hidden.OFF_PAGE),
        ("position: fixed; left: 150vw", Hidden.OFF_PAGE),
        ("position: fixed; bottom: 120%", Hidden.OFF_PAGE),
        ("position: absolute; left: 9999px", Hidden.OFF_PAGE),
        ("transform: translateX(-9999px)", Hidden.OFF_PAGE),
        ("translate: 0 -9999px", Hidden.OFF_PAGE),
        ("float: left; margin-left: -9999px", Hidden.OFF_PAGE),
        ("filter: opacity(1%)", Hidden.FILTER),
        ("text-indent: -9999px", Hidden.CLIPPED),
        ("text-indent: 110%; white-space: nowrap; overflow: hidden", Hidden.CLIPPED),
        ("height: 4px; overflow: hidden", Hidden.CLIPPED),
        ("height: 0; overflow: auto", Hidden.CLIPPED),
        ("rotate: y 90deg", Hidden.TRANSFORM),
        ("position:absolute; clip: rect(0 0 0 0)", Hidden.CLIPPED),
        ("position:absolute; clip: rect(1px, 1px, 1px, 1px)", Hidden.CLIPPED),
        ("position:fixed; clip: rect(auto, 0, auto, 0)", Hidden.CLIPPED),
        ("clip-path: inset(50%)", Hidden.CLIPPED),
        ("clip-path: inset(0 100% 0 0)", Hidden.CLIPPED),
        ("clip-path: inset(0 60% 0)", Hidden.CLIPPED),
        ("clip-path: circle(0 at 50% 50%)", Hidden.CLIPPED),
        ("clip-path: polygon(0 0, 0 0, 0 0)", Hidden.CLIPPED),
        ("height: 0; overflow: hidden", Hidden.CLIPPED),
        ("max-height:0;overflow:clip;padding:0", Hidden.CLIPPED),
        ("width: 1px; height: 1px; overflow-x: hidden", Hidden.CLIPPED),
        ("transform: scale(0)", Hidden.TRANSFORM),
        ("transform: translateX(2px) scaleY(.01)", Hidden.TRANSFORM),
        ("scale: 2%", Hidden.TRANSFORM),
        ("transform: rotateY(90deg)", Hidden.TRANSFORM),
        ("font-size: 0", Hidden.FONT_SIZE),
        ("font-size: 3px", Hidden.FONT_SIZE),
        ("font-size: .05em", Hidden.FONT_SIZE),
        ("font: 0/0 a", Hidden.FONT_SIZE),
        ("zoom: 5%", Hidden.FONT_SIZE),
        ("letter-spacing: -1em", Hidden.SPACING),
    ],
)
def test_hide(style: str, code: Hidden) -> None:
    assert technique(style) == code


@pytest.mark.parametrize(
    "style",
    [
        "display: none; display: block",
        "display: block !important; display: none",
        "background: url('a;display:none')",
        "content: 'display:none;opacity:0'",
        "opacity: .5",
        "opacity: zero",
        "filter: blur(2px)",
        "left: -9999px",
        "position: absolute; left: -40px",
        "position: absolute; left: -100%",
        "position: absolute; top: 25000px",
        "margin-left: -9999px; padding-left: 9999px",
        "margin-left: -40px",
        "rotate: 90deg",
        "filter: opacity(10%)",
        "text-indent: 110%; overflow: hidden",
        "text-indent: 2em; white-space: nowrap; overflow: hidden",
        "height: 9px; overflow: auto",
        "position: absolute; left: calc(-9999px + 100vw)",
        "text-indent: -2em",
        "clip: rect(0 0 0 0)",
        "position:absolute; clip: rect(0, 90px, 20px, 0)",
        "position:absolute; clip: auto",
        "clip-path: inset(10%)",
        "clip-path: circle(40%)",
        "clip-path: polygon(0 0, 100% 0, 100% 100%)",
        "height: 0",
        "height: 0; overflow: hidden; padding-bottom: 56%",
        "height: 0; overflow: hidden; min-height: 100%",
        "width: 0; overflow: hidden; flex: 1",
        "height: 20px; overflow: hidden",
        "transform: scale(.5)",
        "transform: translate3d(-2400px, 0, 0)",
        "font-size: 9px",
        "font-size: small",
        "font-size: 50%",
        "font: 12px/0 Arial",
        "font: bold",
        "zoom: 1",
        "letter-spacing: -.02em",
        "letter-spacing: -3px",
    ],
)
def test_show(style: str) -> None:
    assert technique(style) == Hidden.NO


@pytest.mark.parametrize("style", ["height: 0; overflow: hidden", "transform: scale(0)", "text-indent: -9999px"])
def test_inline_boxes_have_no_size_transform_and_indent(style: str) -> None:
    assert technique(style, "inline") == Hidden.NO
    assert technique(f"{style}; position: absolute", "inline")
    assert technique(f"{style}; float: left", "inline")


def test_cells_grow_with_their_contents() -> None:
    assert technique("width: 1px; overflow: hidden", "table-cell") == Hidden.NO


def test_replaces_escapes() -> None:
    assert unescape(r"\64isplay \000064 x \2f y \110000 z") == "display dx /y \ufffdz"


@pytest.mark.parametrize("part", ["/*", "a:url(", "'", "\\", "a:b;", "font:1", "transform:scale(", "("])
def test_hostile_styles_take_linear_time(part: str) -> None:
    started = time.process_time()
    effect_of(parse_declarations(part * 100_000))
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("style", "letters"),
    [
        ("color: transparent", Hidden.COLOR),
        ("color: teal; background: teal", Hidden.COLOR),
        ("-webkit-text-fill-color: transparent", Hidden.COLOR),
        ("color: #000; background-color: #fff", None),
        ("color: transparent; text-shadow: 0 0 2px black", None),
        ("color: transparent; -webkit-background-clip: text; background: red", None),
        ("color: inherit; background: inherit", None),
    ],
)
def test_letters_that_are_not_painted(style: str, letters: Hidden | None) -> None:
    assert effect_of(parse_declarations(style)).letters == letters
