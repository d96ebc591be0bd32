from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import result, snapshot

from vclean.features.blocks import extract_blocks
from vclean.output.code import Code, line_numbers

CODE = "<pre>a = 1\nb = 2\n\nprint(a + b)\n</pre>"


def code(html: str) -> list[tuple[str, str]]:
    """Return the language and the text of the code blocks of a page."""
    found = Code(extract_blocks(snapshot(html)))
    return [(found.language(root), found.text(root)) for root in found.roots.tolist()]


class TestText:
    @pytest.mark.parametrize(
        ("html", "text"),
        [
            ("<pre>def f():\n    pass\n</pre>", "def f():\n    pass"),
            ("<pre><code><i>a</i>(<i>b</i>)\n<i>c</i>\n\n<i>d</i></code></pre>", "a(b)\nc\n\nd"),
            ("<pre><div>a</div><div>b</div></pre>", "a\nb"),
            ("<pre>a<br>b</pre>", "a\nb"),
            ("<pre><div><b>a:</b> x\n</div><div>  <b>b</b></div></pre>", "a: x\n  b"),
            ("<pre><div>a<br></div><div><i>  </i>b<br></div><div><i>  </i>c<br></div></pre>", "a\n  b\n  c"),
            ("<pre><code>import a</code><code>require a</code></pre>", "import a\nrequire a"),
            ("<pre>$ <code>a</code> | <code>b</code></pre>", "$ a | b"),
            ("<pre>a\u00a0b</pre>", "a b"),
            ("<pre>x = <i class=num>42</i></pre>", "x = 42"),
            ("<pre><button>Copy</button>a</pre>", "a"),
            ("<pre><i class=gp>$ </i>ls\nx\n<i class=gp>&gt;&gt;&gt; </i>1</pre>", "ls\nx\n>>> 1"),
            ("<pre><div><i>1</i><p>a</p></div><div><i>2</i><p>b</p></div></pre>", "a\nb"),
            ("<div><code style='white-space: pre'>\na\n  b</code></div>", "a\n  b"),
            ("<article><code class='hl block'>\n  <i>m</i> <i>:=</i> <i>1</i>\n</code></article>", "m := 1"),
            ("<div class=code-block data-lang=xml>&lt;a/&gt;</div>", "<a/>"),
            ("<div class=syntaxhighlighter><div><code>a</code></div><div><code>b</code> x</div></div>", "a\nb x"),
            ("<table class=hljs><tr><td><p>1<p>2<td><p><code>f()</code><p><code>g()</code></table>", "f()\ng()"),
        ],
    )
    def test_lines(self, html: str, text: str) -> None:
        assert [lines for _, lines in code(f"<p>Before.</p>{html}<p>After.</p>")] == [text]

    @pytest.mark.parametrize("names", ["highlight", "code-block ad", "hi hj hk hl", "sqs-block code-block", "prism"])
    def test_class_of_a_highlighter_alone_does_not_make_code(self, names: str) -> None:
        assert code(f"<div class='{names}'><h2>Rain</h2><p>It <code>rained</code> all day long.</p></div>") == []

    def test_toolbar_is_left_out_and_names_the_language(self) -> None:
        toolbar = "<div><span>Python</span><button>Copy code</button></div>"
        blocks = extract_blocks(snapshot(f"<p>Text.</p><div>{toolbar}<pre>x = 1</pre></div>"))
        found = Code(blocks)
        assert found.language(int(found.roots[0])) == "python"
        left_out = [text for text, flag in zip(blocks.snapshot.texts, found.texts.tolist(), strict=True) if flag]
        assert left_out == ["Python", "Copy code", "x = 1"]


class TestLanguage:
    @pytest.mark.parametrize(
        ("attributes", "language"),
        [
            ("class=language-python", "python"), ("class='hl lang-py'", "py"), ("class='brush: python; x'", "python"),
            ("class='prettyprint lang-py'", "py"), ("class='hljs python'", "python"), ("class=lang:python", "python"),
            ("data-lang=python", "python"), ("data-language=Python", "python"), ("language=tsx", "tsx"),
            ("class=highlight-source-shell", "shell"), ("class=highlight-python3", "python3"),
            ("class='CodeMirror cm-s-default cm-lang-python'", "python"), ("class=language-klingon", "klingon"),
            ("class=python", ""), ("class='hljs copy'", ""),
            ("class=my-language-c", ""),
            ("class=language-", ""), ("class=language-a`b", ""), ("class=language-text", ""), ("class=lang", ""),
            ("class='brush: none'", ""), ("class=highlight-box", ""), ("class='wp-block-code go'", ""),
        ],
    )  # fmt: skip
    def test_of_classes_and_attributes(self, attributes: str, language: str) -> None:
        assert code(f"<pre {attributes}>x") == [(language, "x")]

    @pytest.mark.parametrize(
        ("html", "language"),
        [
            ("<div class='highlight highlight-source-shell'><pre>x", "shell"),
            ("<div class='highlight-bash notranslate'><div class=highlight><pre><span></span>x", "bash"),
            ("<div class='language-sh highlighter-rouge'><div class=highlight><pre class=highlight><code>x", "sh"),
            ("<figure class=highlight data-lang=bash><pre>x", "bash"),
            ("<figure class='highlight bash'><pre>x", "bash"),
            ("<div class=language-sh><pre><code class=language-js>x", "js"),
            ("<div class=lang-cs><pre>x", ""), ("<div data-lang=pl><pre>x", ""),
            ("<div class=highlight-box><pre>x", ""),
            ("<div class='highlight klingon'><pre>x", ""), ("<main class=language-python><pre>x", ""),
        ],
    )  # fmt: skip
    def test_of_elements_around(self, html: str, language: str) -> None:
        assert code(html) == [(language, "x")]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<table><tr><td><pre>1\n2\n3\n4</pre><td>{CODE}</table>", ["1\n2\n3\n4"]),
        (f"<table><tr><td><pre><b>7</b><br><b>8</b><br><b>9</b></pre><td>{CODE}</table>", ["7", "8", "9"]),
        ("<table><tr><td><pre>1</pre><td><pre>echo hello</pre></table>", ["1"]),
        ("<pre><div><i>1</i><p>a</p></div><div><i>2</i><p>b</p></div><div><i>3</i></div></pre>", ["1", "2", "3"]),
        ("<pre><i>1</i>a = [1, 2]\n<i>2</i>b = 3\n</pre>", ["1", "2"]),
        ("<p>1</p><p>2</p>", []),
        ("<pre>1\n2\n3</pre>", []),
        ("<pre>3</pre><pre>a</pre>", []),
        ("<pre>1\n2\n3</pre><p>Next</p><pre>a\nb\nc\nd\ne</pre>", []),
        ("<pre>[<i>1</i>, <i>2</i>, <i>3</i>]</pre>", []),
        ("<pre><i>1</i>a\n<i>3</i>b\n</pre>", []),
        ("<pre><i>1</i>\n<i>2</i>\n<i>3</i>\n</pre>", []),
        ("<pre><i>1</i>a\nb\nc\nd\n<i>2</i>e</pre>", []),
    ],
)
def test_line_numbers_are_found(html: str, expected: list[str]) -> None:
    blocks = extract_blocks(snapshot(html))
    pre = np.flatnonzero(blocks.snapshot.is_tag(("pre",)))
    assert [blocks.snapshot.texts[text].strip() for text in line_numbers(blocks, pre).tolist()] == expected


class TestTabs:
    TABS = "<ul role=tablist><li role=tab aria-controls={}>npm<li role=tab aria-controls={}>Yarn</ul>"
    PANELS = "<div><div role=tabpanel id=p1><pre>a</pre></div><div role=tabpanel id=p2 hidden><pre>b</pre></div></div>"

    @pytest.mark.parametrize(
        ("html", "names"),
        [
            (TABS.format("", "") + PANELS, ["npm", "Yarn"]),
            (TABS.format("p2", "p1") + PANELS, ["Yarn", "npm"]),
            (TABS.format("", "") + "<div role=tabpanel><pre>a</pre></div>", []),
            (f"<ul><li>npm<li>Yarn</ul>{PANELS}", []),
        ],
    )
    def test_names(self, html: str, names: list[str]) -> None:
        found = Code(extract_blocks(snapshot(f"<p>Before.</p>{html}<p>After.</p>")))
        assert [found.tabs[root] for root in sorted(found.tabs)] == names

    def test_markdown_has_the_name_before_the_code(self) -> None:
        page = snapshot(f"<p>Before.</p>{self.TABS.format('', '')}{self.PANELS}<p>After.</p>")
        text = result(page, "p" * len(extract_blocks(page))).to_markdown()
        assert text == "Before.\n\n**npm**\n\n```\na\n```\n\n**Yarn**\n\n```\nb\n```\n\nAfter.\n"
