from __future__ import annotations

from dataclasses import replace

import pytest

from vclean.api import clean
from vclean.cli.batch import describe_unexpected, explain_empty, has_scripts
from vclean.labels import Label
from vclean.page import Page


def explanation(html: str | bytes, **page: object) -> str:
    document = Page(content=html, **page)  # type: ignore[arg-type]
    return explain_empty(clean(document, method="text"), scripted=has_scripts(document))


class TestDescribeUnexpected:
    @pytest.mark.parametrize(
        ("error", "start"),
        [(ValueError("odd\n thing"), "unexpected ValueError: odd thing;"), (MemoryError(), "unexpected MemoryError;")],
    )
    def test_one_line(self, error: Exception, start: str) -> None:
        assert describe_unexpected(error).startswith(start)


class TestExplainEmpty:
    @pytest.mark.parametrize("html", ["<body><SCRIPT>draw()</SCRIPT>", b"<body><script src=app.js></script>"])
    def test_only_scripts(self, html: str | bytes) -> None:
        assert explanation(html) == "no text: the page has only scripts; try --render --js"

    def test_only_scripts_of_a_page_that_was_rendered(self) -> None:
        page = Page(content="<body><script>1</script>")
        result = clean(page, method="text")
        rendered = replace(result.columns, snapshot=replace(result.columns.snapshot, rendered=True))
        assert explain_empty(replace(result, columns=rendered), scripted=True).endswith("; try --js")

    def test_a_frameset_names_its_frames(self) -> None:
        html = "<frameset><frame src=menu.html><frame name=x><frame src=/main.html></frameset>"
        assert explanation(html, url="https://example.org/a/").endswith(
            "clean its frames: https://example.org/a/menu.html, https://example.org/main.html"
        )

    def test_a_frameset_without_frames(self) -> None:
        assert explanation("<frameset></frameset>").endswith("it names none")

    def test_nothing_at_all(self) -> None:
        assert explanation("<body><img src=a.png>") == "no text: the page has none"

    def test_only_boilerplate(self) -> None:
        page = Page(content="<p>one<p>two")
        result = clean(page, method="text")
        result = replace(result, prediction=replace(result.prediction, labels=[Label.OTHER] * 2))
        assert "all 2 blocks were labelled boilerplate" in explain_empty(result, scripted=False)

    def test_scripts_that_ran(self) -> None:
        page = Page(content="<body><script>1</script>")
        result = clean(page, method="text")
        ran = replace(result.columns.snapshot, settings={"scripts": True})
        result = replace(result, columns=replace(result.columns, snapshot=ran))
        assert explain_empty(result, scripted=True) == "no text: the page has none, even after its scripts ran"


class TestHasScripts:
    @pytest.mark.parametrize(
        ("html", "expected"), [("<SCRIPT src=a>", True), (b"<script>1", True), ("<p>script", False)]
    )
    def test_in_the_source(self, html: str | bytes, expected: bool) -> None:
        assert has_scripts(Page(content=html)) is expected

    def test_live_page_may_have_scripts(self) -> None:
        assert has_scripts(Page(url="https://example.org/", live=True))
