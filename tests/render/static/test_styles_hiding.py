"""What inline styles and the `<style>` elements of a page hide."""

import time

import pytest

from vclean.page import Page
from vclean.render.snapshot import Hidden
from vclean.render.static.parse import parse
from vclean.render.static.styles import MAX_CHARACTERS, effect_of, unescape


def technique(style: str, display: str = "block") -> Hidden:
    effect = effect_of(style)
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
        ("position:absolute;left:-9999px", Hidden.OFF_PAGE),
        ("position: fixed; top: -100em", Hidden.OFF_PAGE),
        ("position: relative; left: -999px", Hidden.OFF_PAGE),
        ("transform: translateX(-9999px)", Hidden.OFF_PAGE),
        ("translate: 0 -9999px", Hidden.OFF_PAGE),
        ("filter: opacity(1%)", Hidden.FILTER),
        ("text-indent: -9999px", Hidden.CLIPPED),
        ("height: 4px; overflow: hidden", Hidden.CLIPPED),
        ("height: 0; overflow: auto", Hidden.CLIPPED),
        ("position:absolute; clip: rect(0 0 0 0)", Hidden.CLIPPED),
        ("position:absolute; clip: rect(1px, 1px, 1px, 1px)", Hidden.CLIPPED),
        ("clip-path: inset(50%)", Hidden.CLIPPED),
        ("clip-path: circle(0 at 50% 50%)", Hidden.CLIPPED),
        ("max-height:0;overflow:clip;padding:0", Hidden.CLIPPED),
        ("width: 1px; height: 1px; overflow-x: hidden", Hidden.CLIPPED),
        ("transform: scale(0)", Hidden.TRANSFORM),
        ("transform: translateX(2px) scaleY(.01)", Hidden.TRANSFORM),
        ("font-size: 0", Hidden.FONT_SIZE),
        ("font-size: 3px", Hidden.FONT_SIZE),
        ("font-size: .05em", Hidden.FONT_SIZE),
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
        "left: -9999px",
        "position: absolute; left: -40px",
        "filter: opacity(10%)",
        "height: 9px; overflow: auto",
        "position: absolute; left: calc(-9999px + 100vw)",
        "text-indent: -2em",
        "clip: rect(0 0 0 0)",
        "position:absolute; clip: rect(0, 90px, 20px, 0)",
        "position:absolute; clip: auto",
        "clip-path: inset(10%)",
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


@pytest.mark.parametrize("part", ["/*", "a:url(", "'", "\\", "a:b;", "opacity:0", "transform:scale(", "clip:rect(0 "])
def test_hostile_styles_take_linear_time(part: str) -> None:
    started = time.process_time()
    effect_of(part * 100_000)
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
    assert effect_of(style).letters == letters


BODY = "<p class='x y' id=z>one<p>two"


def hidden(css: str, body: str = BODY, style: str = "<style>") -> list[str]:
    """Return the texts that are hidden."""
    page = parse(Page(content=f"<!doctype html>{style}{css}</style><body>{body}"))
    return [text for text, code in zip(page.texts, page.text_hidden.tolist(), strict=True) if code]


@pytest.mark.parametrize(
    "css",
    [
        ".x{display:none}",
        "#z { color: red; display : none !important }",
        "a, p.y , b { display: none }",
        "/* .x{} */ .x { display: none }",
        "<!-- .x { display: none } -->",
        "@media screen { .x { display: none } }",
        ".x { display: none } @media print { .x { display: block } }",
        ".x { display: none } .x::before { display: block } .q { display: flex } p { display: block }",
        ".x { display: none } .x { color: red } .open .q { display: block }",
        "@import 'a.css'; .x { display: none }",
        ".x.y { display: none }",
        "p.x { visibility: hidden }",
        ".x { visibility: collapse }",
        "@media only screen { @media all { .x { display: none } } }",
        "/* a */.x/**/{/*b*/display/**/:none}",
        "DIV { DISPLAY: block } .x { DISPLAY: NONE }",
    ],
)
def test_simple_rules_hide(css: str) -> None:
    assert hidden(css) == ["one"]


@pytest.mark.parametrize(
    "css",
    [
        "@media print { .x { display: none } }",
        "@media (max-width: 600px) { .x { display: none } }",
        ".no-js .x { display: none }",
        "[class] { display: none }",
        "div.x { display: none }",
        ".x:hover { display: none }",
        ".x::after { display: none }",
        "@keyframes a { .x { display: none } }",
        ".q { .x { display: none } }",
        ".x { display: none; display: block }",
        "p { display: none }",
        "@layer a { .x { display: none } }",
        "@supports (display: grid) { .x { display: none } }",
        ".x:not(.open) { display: none }",
        ".x { opacity: 0 }",
        ".x { visibility: hidden; transition: visibility 1s }",
        ".x { visibility: hidden } .q { visibility: visible }",
    ],
)
def test_other_rules_are_left_to_rendering(css: str) -> None:
    assert hidden(css) == []


@pytest.mark.parametrize(
    "body",
    [
        "<p class=x style='Display: block'>one",
        "<p class=x>one<script>toggle('x')</script>",
        "<p class='x y'>one<script>document.querySelector('.y').show()</script>",
        "<p class=x id=menu>one<script>show(menu)</script>",
        "<p class=x id=menu>one<a onclick=\"show('menu')\">more</a>",
        "<p class=x id=menu>one<a href=\"javascript:show('menu')\">more</a>",
    ],
)
def test_elements_that_a_script_may_show_are_not_hidden(body: str) -> None:
    assert hidden(".x { display: none }", body) == []


def test_escaped_names() -> None:
    body = "<p class='md:hidden sm:flex'>one<p class='hidden md:flex'>two<p class='hidden'>three"
    css = r".md\:hidden { display: none } .hidden { display: none } .md\:flex { display: flex }"
    assert hidden(css, body) == ["one", "three"]


@pytest.mark.parametrize(
    "html",
    [
        "<html class=loading><style>.loading { display: none }</style><p>one",
        "<style>.loading { display: none }</style><body class=loading><p>one",
    ],
)
def test_states_of_the_page_hide_nothing(html: str) -> None:
    assert not parse(Page(content=html)).text_hidden.any()


def test_what_changes_nothing() -> None:
    assert hidden(".x { display: none }", "<p class=x>one<script>max(x2, 'x-y')</script>") == ["one"]
    assert hidden(".x { display: none }", style="<style media=screen>") == ["one"]
    assert hidden(".x { display: none }", style="<style media=print>") == []
    assert hidden(".x { display: none }" + " " * (MAX_CHARACTERS - 100)) == ["one"]
    assert hidden(".x { display: none }" + " " * MAX_CHARACTERS) == []


@pytest.mark.parametrize(
    "css",
    [
        ".a { display: none }" + "[" * 100_000 + "{ display: block }",
        ".a { display: none }" + ":not(" * 20_000 + "{ display: block }",
        "@media screen {" * 4_000 + ".a { display: block }" * 2_000 + ".a { display: none }",
        "".join(f".c{number} {{ display: none }}" for number in range(5_000)),
        ".a.b { display: none }" * 5_000,
        "display: none;" * 8_000,
        "{" * 100_000 + "display: none",
        "/*" * 50_000 + ".a { display: none }",
    ],
)
def test_hostile_style_sheets_take_little_time(css: str) -> None:
    started = time.process_time()
    hidden(css, "<p class=a>one" * 1_000)
    assert time.process_time() - started < 3
