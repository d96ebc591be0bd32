"""Check why the clean text of a page is empty, in all outputs that report it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.pages import result, snapshot

import vclean
from vclean.labels import EmptyReason
from vclean.output.reports import describe_empty, empty_reason
from vclean.result import Result


def explanation(page: Result) -> str:
    reason = empty_reason(page)
    assert reason is not None
    return describe_empty(page, reason)


def with_scripts_run(page: Result) -> Result:
    ran = replace(page.columns.snapshot, settings={"scripts": True})
    return replace(page, columns=replace(page.columns, snapshot=ran))


class TestEmptyReason:
    @pytest.mark.parametrize(
        ("html", "labels", "reason"),
        [
            ("<p>It rained.", "p", None),
            ("<body><img src=a.png>", "", EmptyReason.NO_TEXT),
            ("<body><SCRIPT src=a></SCRIPT>", "", EmptyReason.NEEDS_SCRIPTS),
            ("<p>Loading<script>draw()</script>", "o", EmptyReason.NEEDS_SCRIPTS),
            ("<p>" + "Menu " * 100 + "<script>draw()</script>", "o", EmptyReason.BOILERPLATE),
            ("<p>Home<p>About", "oo", EmptyReason.BOILERPLATE),
            ("<frameset><frame src=a></frameset>", "", EmptyReason.FRAMESET),
            ("<p hidden>One<p style='display: none'>Two", "oo", EmptyReason.HIDDEN),
            ("<p hidden>One<p>Two", "oo", EmptyReason.BOILERPLATE),
        ],
    )
    def test_reasons(self, html: str, labels: str, reason: EmptyReason | None) -> None:
        assert empty_reason(result(snapshot(html), labels)) is reason

    def test_scripts_that_ran_are_no_reason(self) -> None:
        page = with_scripts_run(result(snapshot("<body><script>1</script>"), ""))
        assert empty_reason(page) is EmptyReason.NO_TEXT
        assert explanation(page) == "no text: the page has none, even after its scripts ran"


class TestDescribeEmpty:
    @pytest.mark.parametrize(
        ("html", "labels", "expected"),
        [
            ("<body><img src=a.png>", "", "no text: the page has none"),
            ("<body><script>1</script>", "", "no text: the page has only scripts"),
            ("<p>Wait<script>1</script>", "o", "no text: the page has 1 block of boilerplate, and scripts"),
            ("<p>Home<p>About", "oo", "no text: all 2 blocks were labelled boilerplate"),
            ("<p>Home", "o", "no text: the only block was labelled boilerplate"),
            ("<p hidden>Home", "o", "no text: the only block of the page cannot be seen by readers"),
            ("<frameset></frameset>", "", "no text: the page is a frameset; clean its frames: it names none"),
        ],
    )
    def test_lines(self, html: str, labels: str, expected: str) -> None:
        assert explanation(result(snapshot(html), labels)) == expected

    def test_a_frameset_names_its_frames(self) -> None:
        html = "<frameset><frame src=menu.html><frame name=x><frame src=/main.html></frameset>"
        assert explanation(result(snapshot(html, "https://example.org/a/"), "")).endswith(
            "clean its frames: https://example.org/a/menu.html, https://example.org/main.html"
        )


class TestResult:
    def test_notes_are_repairs_and_the_reason(self) -> None:
        page = vclean.clean("<iframe/><script>1</script>", method="text")
        assert page.empty_reason is EmptyReason.NEEDS_SCRIPTS
        assert page.notes == (
            "the source was repaired: no end of <iframe>",
            "no text: the page has only scripts",
        )

    def test_json_has_both(self) -> None:
        record = vclean.clean("<iframe/><script>1</script>", method="text").to_dict()
        assert record["empty"] == "needs-scripts"
        assert record["notes"][1] == "no text: the page has only scripts"

    def test_an_ordinary_page_has_none(self) -> None:
        page = vclean.clean("<p>It rained.", method="text")
        assert (page.empty_reason, page.notes) == (None, ())
