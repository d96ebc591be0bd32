"""Elements that style sheets hide by other properties than `display`."""

from __future__ import annotations

import time

import pytest

from vclean.page import Page
from vclean.render.snapshot import Hidden
from vclean.render.static.parse import parse

BODY = "<p class='x y' id=z>one<p>two"


def techniques(css: str, body: str = BODY) -> dict[str, str]:
    """Return the technique of each hidden text."""
    page = parse(Page(content=f"<!doctype html><style>{css}</style><body>{body}"))
    pairs = zip(page.texts, page.text_hidden.tolist(), strict=True)
    return {text: Hidden(code).technique for text, code in pairs if code}


@pytest.mark.parametrize(
    ("declarations", "technique"),
    [
        ("visibility: hidden", "visibility"),
        ("VISIBILITY: HIDDEN", "visibility"),
        ("visibility: collapse", "visibility"),
        ("opacity: 0", "opacity"),
        ("opacity:0.0", "opacity"),
        ("position: absolute; left: -9999px", "off-page"),
        ("text-indent: -9999px", "clipped"),
        ("position: absolute; clip: rect(0 0 0 0)", "clipped"),
        ("clip-path: inset(50%)", "clipped"),
        ("height: 0; overflow: hidden", "clipped"),
        ("font-size: 0", "font-size"),
        ("transform: scale(0)", "transform"),
        ("opacity: .01", "opacity"),
        ("font-size: 3px", "font-size"),
        ("zoom: .05", "font-size"),
        ("letter-spacing: -1em", "spacing"),
        ("filter: opacity(0)", "filter"),
        ("rotate: x 90deg", "transform"),
        ("position: fixed; top: 120vh", "off-page"),
        ("position: absolute; left: -200em", "off-page"),
    ],
)
def test_properties_that_hide(declarations: str, technique: str) -> None:
    assert techniques(f".x {{ {declarations} }}") == {"one": technique}


@pytest.mark.parametrize(
    "css",
    [
        ".x { visibility: visible }",
        ".x { opacity: .4 }",
        ".x { font-size: 10px }",
        ".x { opacity: 0; transition: opacity 1s }",
        ".x { opacity: 0; animation: appear 1s forwards }",
        ".x { opacity: 0 } .x.shown { opacity: 1 }",
        ".x { opacity: 0 } .y { opacity: 1 }",
        ".x { opacity: 0 } .y { animation: appear 1s forwards }",
        ".x { visibility: hidden } .q .x { visibility: visible }",
        ".x { visibility: hidden } .x:hover { visibility: visible }",
        ".x { position: absolute; left: -9999px } .x.open { left: 0 }",
        ".x { transform: scale(0) } #z { transform: none }",
        "@media print { .x { opacity: 0 } }",
    ],
)
def test_elements_that_may_be_shown_are_not_hidden(css: str) -> None:
    assert techniques(css) == {}


def test_scripts_that_name_the_element() -> None:
    body = "<p class='x'>one<script>document.querySelector('.x').style.opacity = 1</script>"
    assert techniques(".x { opacity: 0 }", body) == {}


@pytest.mark.parametrize("selector", ["[data-k]", "[data-k=q]", "[data-k^='q']", "section [data-k]"])
def test_attributes_select(selector: str) -> None:
    body = "<section><p data-k=q>one<p>two</section>"
    assert techniques(f"{selector} {{ display: none }}", body) == {"one": "display"}


@pytest.mark.parametrize("attribute", ["v-cloak", "x-cloak", "data-aos=fade-up", "ng-cloak"])
def test_attributes_that_scripts_take_away(attribute: str) -> None:
    name = attribute.partition("=")[0]
    assert techniques(f"[{name}] {{ display: none }}", f"<p {attribute}>one<p>two") == {}


def test_letters_in_what_a_reader_opens_stay_hidden() -> None:
    body = "<details><summary>More</summary><p class=x>one</p><p>two</p></details>"
    assert techniques(".x { font-size: 0 }", body) == {"one": "font-size", "two": "display"}


def test_focus_shows_nothing_at_first() -> None:
    css = ".x { position: absolute; left: -9999px } .x:focus { left: 0 }"
    assert techniques(css, "<a class=x href='#m'>Skip</a><p>two") == {"Skip": "off-page"}


def test_visible_elements_inside() -> None:
    body = "<div class=x>one <b class=q>two</b></div>"
    assert techniques(".x { visibility: hidden } .q { visibility: visible }", body) == {}
    assert set(techniques(".x { visibility: hidden } .r { visibility: visible }", body)) == {"one ", "two"}


@pytest.mark.parametrize("rule", [".q { font-size: 16px }", "b { font: 1rem Arial }", ".x > * { font-size: 14px }"])
def test_letters_inside_with_a_size(rule: str) -> None:
    body = "<div class=x>one <b class=q>two</b></div>"
    assert techniques(f".x {{ font-size: 0 }} {rule}", body) == {}
    assert set(techniques(".x { font-size: 0 } .r { font-size: 16px }", body)) == {"one ", "two"}


def test_rules_of_one_element_are_read_together() -> None:
    assert techniques(".x { height: 0; overflow: hidden } .y { opacity: 0 }") == {"one": "opacity"}


@pytest.mark.parametrize(
    "css",
    [
        "".join(f".c{number} {{ opacity: 0 }}" for number in range(5_000)) + ".a { opacity: 0 }",
        ".a { visibility: hidden }" + "b .q { visibility: visible }" * 4_000,
        ".a { opacity: 0 }" + ".a:not(" * 10_000,
    ],
)
def test_hostile_style_sheets_take_little_time(css: str) -> None:
    started = time.process_time()
    techniques(css, "<p class=a>one" * 1_000)
    assert time.process_time() - started < 3
