from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.features.visibility import text_visibility
from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Snapshot


def words_of(page: Snapshot) -> list[str]:
    return [text.strip() for text in page.texts if text.strip()]


def words(html: str) -> str:
    return " ".join(" ".join(snapshot(f"<!doctype html><body>{html}").texts).split())


@pytest.mark.parametrize("mode", ["open", "closed", "Open"])
def test_shadow_root_replaces_children(mode: str) -> None:
    assert words(f"<div>Light<template shadowrootmode={mode}><p>Shadow</p></template><b>too</b></div>") == "Shadow"


@pytest.mark.parametrize(
    ("shadow", "expected"),
    [
        ("<p>Before</p><slot></slot>", "Before One two three"),
        ("<slot>Fallback</slot><p>After</p>", "One two three After"),
        ("<slot name=s>Fallback</slot>", "named"),
        ("<slot></slot><slot name=s></slot>", "One two three named"),
        ("<slot name=other>Fallback</slot>", "Fallback"),
        ("<slot></slot><slot>second</slot>", "One two three second"),
        ("<slot>No children</slot>", "No children"),
    ],
)
def test_children_are_in_their_slots(shadow: str, expected: str) -> None:
    light = "One <b>two</b> three<i slot=s>named</i>" if expected != "No children" else " "
    assert words(f"<div> <template shadowrootmode=open>{shadow}</template>{light}</div>") == expected


@pytest.mark.browser
@pytest.mark.parametrize("mode", ["open", "closed"])
def test_browser_reads_shadow_roots_the_same(mode: str, renderer: Renderer) -> None:
    shadow = f"<template shadowrootmode={mode}><h2>Tide</h2><slot>none</slot></template>"
    html = f"<!doctype html><body><div>{shadow}<p>High at noon.</p></div>"
    rendered = renderer.render(Page(content=html)).snapshot
    assert words_of(rendered) == words_of(snapshot(html)) == ["Tide", "High at noon."]


STREAMED = (
    '<!doctype html><body><h1>Tide</h1><!--$?--><template id="B:0"></template><p>Loading</p><!--/$--><p>Foot</p>'
    '<div hidden id="S:0"><p>High at noon.</p><template id="B:1a"></template></div> tail '
    '<div hidden id="S:1a"><p>Low at six.</p></div><script>$RC("B:0","S:0")</script>'
)
PLACED = ["Tide", "High at noon.", "Low at six.", "Loading", "Foot", "tail"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (STREAMED, PLACED),
        ('<p>One</p><div hidden id="S:1"><p>Two</p></div><p>Three</p>', ["One", "Two", "Three"]),
        ('<p>One</p><div hidden id="S:1"><p>Two</p><template id="B:1"></template></div>', ["One", "Two"]),
    ],
    ids=["streamed", "without a placeholder", "placeholder inside"],
)
def test_parts_are_in_their_places(html, expected):
    page = snapshot(html)
    assert words_of(page) == expected
    assert not text_visibility(page).any()


@pytest.mark.browser
def test_browser_reads_the_same(renderer):
    page = renderer.render(Page(content=STREAMED)).snapshot
    assert words_of(page) == PLACED
    assert not text_visibility(page).any()
