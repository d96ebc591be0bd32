"""Snapshots that lack the text of their source: found, and read in another way."""

from __future__ import annotations

import time

import pytest

from vclean.page import Page
from vclean.render import completeness
from vclean.render.browser.renderer import Renderer
from vclean.render.completeness import is_short, source_length, text_length
from vclean.render.decode import read_document
from vclean.render.snapshot import Snapshot
from vclean.render.static.parse import parse

TEXT = "".join(f"<p>On day {day} it rained on the hills, and the streams rose." for day in range(40))
LOST = {
    "unclosed video": "<p>One</p><video src='a'>" + TEXT,
    "unclosed template": "<p>One</p><template>" + TEXT,
    "unclosed math": "<p>One</p><math><mi>x" + TEXT,
    "unclosed foreign object": "<p>One</p><svg><foreignObject>" + TEXT,
    "one closed, one not": "<p>One</p><canvas></canvas><canvas>" + TEXT,
    "script": "<p>One</p><script src='a'>" + TEXT + "<script>x()</script>",
    "style": "<style>p { color: red }</head><body><p>One</p>" + TEXT + "<style>p {}</style>",
}
"""Sources of which browser and parser lose most."""

LOST_BY_BROWSER = {
    "self-closed object": "<p>One</p><object data='a' />" + TEXT,
    "self-closed canvas": "<p>One</p><canvas/>" + TEXT,
}
LOST_BY_PARSER = {
    "unclosed image": "<p>One</p><svg><path d=''>" + TEXT,
    "audio in a paragraph": "<p>One<audio>" + TEXT,
    "markup in a formula": "<p>One</p><math><annotation-xml><div>x</div>" + TEXT,
}
COMPLETE = [
    TEXT,
    "<p>One</p><video src='a'>Your browser shows no videos.</video>" + TEXT,
    "<script>let page = '<p>It rained.'</script><p>One" + "<script>x = '" + "y" * 9000 + "'</script>",
    "<p>One</p><script type='text/html'>" + TEXT + "</script>",
    "<p>One</p><template>" + TEXT + "</template>",
    "<p>One</p><object data='a'>" + TEXT + "</object>",
    "<p>One</p><!-- " + TEXT + " -->",
    "<p>One</p><select>" + "<option>It rained" * 200 + "</select>",
    "<p>One</p><textarea>" + TEXT + "</textarea>",
]
"""Sources of which nothing is lost: what is not shown has an end tag."""

READ_BY_PARSER = LOST | LOST_BY_PARSER
READ_BY_BROWSER = LOST | LOST_BY_BROWSER


def text_of(snapshot: Snapshot) -> str:
    return "".join("".join(snapshot.texts).split())


def is_whole(snapshot: Snapshot) -> bool:
    text = text_of(snapshot)
    return text.startswith("One") and all(f"Onday{day}it" in text for day in range(40))


class TestParsing:
    @pytest.mark.parametrize("kind", READ_BY_PARSER)
    def test_keeps_the_text_and_says_so(self, kind: str) -> None:
        snapshot = parse(Page(content=READ_BY_PARSER[kind]))
        assert is_whole(snapshot)
        assert len(snapshot.notes) == 1
        assert snapshot.notes[0].startswith("parsing lost text")

    @pytest.mark.parametrize("kind", LOST_BY_BROWSER)
    def test_needs_no_other_reading_where_only_browsers_lose_text(self, kind: str) -> None:
        snapshot = parse(Page(content=LOST_BY_BROWSER[kind]))
        assert is_whole(snapshot)
        assert snapshot.notes == ()

    @pytest.mark.parametrize("source", COMPLETE)
    def test_leaves_complete_pages_alone(self, source: str) -> None:
        assert parse(Page(content=source)).notes == ()

    def test_states_how_much_was_left(self) -> None:
        snapshot = parse(Page(content=LOST["unclosed video"]))
        note = f"parsing lost text, 3 of {text_length(snapshot):,} characters were left: "
        assert snapshot.notes == (note + "elements without an end tag were closed",)


@pytest.mark.browser
class TestRendering:
    def test_keeps_the_text_and_says_so(self, renderer: Renderer) -> None:
        for kind, source in READ_BY_BROWSER.items():
            rendering = renderer.render(Page(content=source), screenshot=kind == "unclosed video")
            snapshot = rendering.snapshot
            assert is_whole(snapshot), kind
            assert snapshot.rendered, kind
            assert snapshot.notes[0].startswith("rendering lost text"), kind
            assert bool(rendering.screenshot) == (kind == "unclosed video")

    def test_leaves_complete_pages_alone(self, renderer: Renderer) -> None:
        for source in (*COMPLETE, *LOST_BY_PARSER.values()):
            assert renderer.render(Page(content=source)).snapshot.notes == (), source[:80]

    def test_scripts_that_remove_the_text_do_not_run_again(self, scripting: Renderer) -> None:
        source = TEXT.replace("<p>", "<p>One. ", 1) + "<script>document.body.textContent = 'Error'</script>"
        snapshot = scripting.render(Page(content=source)).snapshot
        assert is_whole(snapshot)
        assert snapshot.notes[0].endswith("rendered again without scripts")

    def test_notices_of_loading_are_not_the_page(self, scripting: Renderer) -> None:
        source = "<p>Please wait until the page is loaded.<script>document.body.textContent = 'Rain'</script>"
        assert scripting.render(Page(content=source)).snapshot.texts == ["Rain"]

    def test_event_handlers_do_not_run_again(self, scripting: Renderer) -> None:
        source = f"<body onload=\"document.body.textContent = 'Error'\"><p>One</p>{TEXT}"
        assert is_whole(scripting.render(Page(content=source)).snapshot)


class TestIsShort:
    def test_long_pages_are_not_searched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(completeness, "source_length", lambda _: pytest.fail("searched"))
        source = TEXT * 2
        assert not is_short(parse(Page(content=source)), source)

    def test_compares_short_pages_with_their_source(self) -> None:
        snapshot = parse(Page(content="<p>It rained."))
        assert not is_short(snapshot, "<p>It rained.")
        assert is_short(snapshot, "<p>It rained.<p>It rained.")


class TestSourceLength:
    @pytest.mark.parametrize(
        "source",
        ["One", "<p>O n e", "<!-- x --><i>One</i>", "<style>x</style>One", "<SCRIPT>a < b</SCRIPT>One<!-- x", "One<a "],
    )
    def test_counts_text(self, source: str) -> None:
        assert source_length(source) == len("One")

    @pytest.mark.parametrize("part", ["<", "<!--", "<script", "<script> <", "<style>", "<p ", "<title", "<script><p"])
    def test_time_is_linear(self, part: str) -> None:
        start = time.process_time()
        source_length(part * (400_000 // len(part)))
        assert time.process_time() - start < 5


@pytest.mark.parametrize("source", [*READ_BY_PARSER.values(), *LOST_BY_BROWSER.values()])
def test_no_specific_repair_covers_these_pages(source: str) -> None:
    assert read_document(Page(content=source), 10**6).notes == ()
