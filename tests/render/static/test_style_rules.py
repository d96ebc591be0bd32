"""Which elements the `<style>` elements of a page hide."""

import time

import pytest

from vclean.page import Page
from vclean.render.static.parse import parse
from vclean.render.static.style_rules import MAX_CHARACTERS

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
        "@media (monochrome) { .x { display: none } }",
        ".no-js .x { display: none }",
        "body.q .x { display: none }",
        "[class] { display: none }",
        "body p { display: none }",
        "@layer a { .x { display: none } } p { display: block }",
        ":where(.x) { display: none } p { display: block }",
        "div.x { display: none }",
        ".x:hover { display: none }",
        ".x::after { display: none }",
        "@keyframes a { .x { display: none } }",
        ".q { .x { display: none } }",
        ".x { display: none; display: block }",
        "p { display: none }",
        "@layer a { .x { display: none } }",
        "@supports (display: grid) { .x { display: none } }",
        "body .x { display: none }",
        "p[class] { display: none }",
        ".x:not(.open) { display: none }",
        ".x { opacity: 0 }",
        ".x { font-size: 0 }",
        ".x { color: white; background: white }",
        ".x { visibility: hidden; transition: visibility 1s }",
        ".x { visibility: hidden } .q { visibility: visible }",
    ],
)
def test_other_rules_are_left_to_rendering(css: str) -> None:
    assert hidden(css) == []


@pytest.mark.parametrize(
    "rule",
    [
        ".y { display: block }",
        "#z { display: block }",
        ".x.open { display: block }",
        ".open > .x { display: flex }",
        ".x:target { display: block }",
        ".q:checked~.x { display: block }",
        "@media (min-width: 600px) { .x { display: block } }",
        "@supports (display: grid) { .x { display: grid } }",
        ".q p { display: block }",
        "p { display: block !important }",
        "p[class] { display: block }",
        "[id] { display: block }",
        "* { display: block !important }",
        ".q { & .x { display: block } }",
        ".q { color: red; & .x { display: block } }",
    ],
)
def test_rules_that_may_show_an_element_win(rule: str) -> None:
    assert hidden(f".x {{ display: none }} {rule}") == []
    assert hidden(f"{rule} .x {{ display: none }}") == []


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


@pytest.mark.parametrize("tag", ["html", "body"])
def test_states_of_the_page_hide_nothing(tag: str) -> None:
    css = "<style>.loading { display: none }</style>"
    html = f"<html class=loading>{css}<p>one" if tag == "html" else f"{css}<body class=loading><p>one"
    assert not parse(Page(content=html)).text_hidden.any()


def test_important_wins_over_inline_style() -> None:
    assert hidden(".x { display: none !important }", "<p class=x style='display: block'>one") == ["one"]


def test_other_words_of_scripts_change_nothing() -> None:
    assert hidden(".x { display: none }", "<p class=x>one<script>max(x2, 'x-y')</script>") == ["one"]


@pytest.mark.parametrize("style", ["<style media=print>", "<style type=text/less>"])
def test_sheets_that_do_not_apply(style: str) -> None:
    assert hidden(".x { display: none }", style=style) == []


@pytest.mark.parametrize("tag", ["template", "noscript"])
def test_sheets_in_elements_that_are_not_part_of_the_page(tag: str) -> None:
    assert hidden("", f"<{tag}><style>.x {{ display: none }}</style></{tag}>{BODY}") == []


def test_media_attribute() -> None:
    assert hidden(".x { display: none }", style="<style media=screen>") == ["one"]


def test_descendants_are_hidden() -> None:
    assert hidden(".x { display: none }", "<div class=x>a<p style='display: block'>b</div>c") == ["a", "b"]


def test_long_style_sheets_are_not_read() -> None:
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
