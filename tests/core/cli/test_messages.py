from __future__ import annotations

from dataclasses import replace

import pytest

from vclean.api import clean
from vclean.cli.batch import has_scripts, unexpected, why_empty
from vclean.labels import Label
from vclean.page import Page


def explanation(html: str | bytes, **page: object) -> str:
    document = Page(content=html, **page)  # type: ignore[arg-type]
    return why_empty(clean(document, method="text"), scripted=has_scripts(document))


class TestUnexpected:
    @pytest.mark.parametrize(
        ("error", "start"),
        [(ValueError("odd\n thing"), "unexpected ValueError: odd thing;"), (MemoryError(), "unexpected MemoryError;")],
    )
    def test_one_line(self, error: Exception, start: str) -> None:
        assert unexpected(error).startswith(start)


class TestWhyEmpty:
    @pytest.mark.parametrize("html", ["<body><SCRIPT>draw()</SCRIPT>", b"<body><script src=app.js></script>"])
    def test_only_scripts(self, html: str | bytes) -> None:
        assert explanation(html) == "no text: the page has only scripts; try --render --js"

    def test_only_scripts_of_a_page_that_was_rendered(self) -> None:
        page = Page(content="<body><script>1</script>")
        result = clean(page, method="text")
        rendered = replace(result.columns, snapshot=replace(result.columns.snapshot, rendered=True))
        assert why_empty(replace(result, columns=rendered), scripted=True).endswith("; try --js")

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
        assert "all 2 blocks were taken for boilerplate" in why_empty(result, scripted=False)

    def test_scripts_that_were_run(self) -> None:
        page = Page(content="<body><script>1</script>")
        result = clean(page, method="text")
        ran = replace(result.columns.snapshot, settings={"scripts": True})
        result = replace(result, columns=replace(result.columns, snapshot=ran))
        assert why_empty(result, scripted=True) == "no text: the page shows none, even with its scripts run"


class TestHasScripts:
    @pytest.mark.parametrize(("html", "found"), [("<SCRIPT src=a>", True), (b"<script>1", True), ("<p>script", False)])
    def test_in_the_source(self, html: str | bytes, found: bool) -> None:
        assert has_scripts(Page(content=html)) is found

    def test_a_live_page_may_have_them(self) -> None:
        assert has_scripts(Page(url="https://example.org/", live=True))
