from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.output.code import CodeLanguages, language_name


def languages(html: str) -> list[str]:
    """Return the languages of the `pre` and `code` elements of a page, in document order."""
    page = snapshot(html)
    of_page = CodeLanguages(page)
    return [of_page.of(element) for element in range(len(page)) if page.tags[page.tag[element]] in ("pre", "code")]


class TestLanguageName:
    @pytest.mark.parametrize(
        ("name", "language"),
        [("JS", "javascript"), ("python3", "python"), ("sh", "bash"), ("c++", "cpp"),
         ("C#", "csharp"), ("rust", "rust"),
         ("klingon", "klingon"), ("text", ""), ("", "")],
    )  # fmt: skip
    def test_names(self, name: str, language: str) -> None:
        assert language_name(name) == language


class TestCode:
    @pytest.mark.parametrize(
        "attributes",
        [
            "class=language-python", "class='hl lang-py'", "class='brush: python; title: x'",
            "class='prettyprint lang-py'",
            "class='hljs python'", "class='sourceCode python'", "class='highlight python'", "class=lang:python",
            "data-lang=python", "data-language=Python", "class=highlight-source-python", "class=highlight-python3",
            "class='CodeMirror cm-s-default cm-lang-python'",
        ],
    )  # fmt: skip
    def test_classes_and_attributes(self, attributes: str) -> None:
        assert languages(f"<pre {attributes}>x") == ["python"]

    def test_unknown_language_in_the_form_of_the_standard(self) -> None:
        assert languages("<pre><code class=language-klingon>x") == ["", "klingon"]

    @pytest.mark.parametrize(
        "name",
        ["python", "c", "highlight", "hljs copy", "highlight basic", "my-language-c", "language-", "language-a`b",
         "lang", "highlight-box", "language-text", "brush: none", "wp-block-code go"],
    )  # fmt: skip
    def test_ordinary_classes_are_no_language(self, name: str) -> None:
        assert languages(f"<pre class='{name}'>x") == [""]


class TestAround:
    @pytest.mark.parametrize(
        "html",
        [
            "<div class='highlight highlight-source-shell'><pre>x",
            "<div class='highlight-bash notranslate'><div class=highlight><pre><span></span>x",
            "<div class='language-sh highlighter-rouge'><div class=highlight><pre class=highlight><code>x",
            "<figure class=highlight data-lang=bash><pre>x",
            "<figure class='highlight bash'><pre>x",
            "<div class=codehilite data-language=bash><pre>x",
            "<div class=highlight-bash><table><tr><td><pre>1</pre><td><pre>x",
        ],
    )
    def test_wrappers(self, html: str) -> None:
        assert set(languages(html)) <= {"bash", ""}
        assert languages(html)[0] == "bash"

    @pytest.mark.parametrize(
        "html",
        [
            "<div class=lang-cs><pre>x", "<div data-lang=pl><pre>x", "<div class=highlight-box><pre>x",
            "<div class='highlight klingon'><pre>x", "<div class=language-python><pre>a</pre><pre>b</pre><pre>c",
            "<body class=language-python><pre>x", "<main class=language-python><pre>x",
        ],
    )  # fmt: skip
    def test_other_elements(self, html: str) -> None:
        assert not any(languages(html))

    def test_code_inside_decides(self) -> None:
        assert languages("<div class=language-sh><pre><code class=language-js>x") == ["", "javascript"]

    def test_inline_code_is_on_its_own(self) -> None:
        assert languages("<div class=language-python><p><code>x</code>") == [""]
