from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.output.code import line_numbers

CODE = "<pre>a = 1\nb = 2\n\nprint(a + b)\n</pre>"


def numbers(html: str) -> list[str]:
    blocks = extract_blocks(snapshot(html))
    return [blocks.snapshot.texts[text].strip() for text in line_numbers(blocks).tolist()]


class TestLineNumbers:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            (f"<table><tr><td><pre>1\n2\n3\n4</pre><td>{CODE}</table>", ["1\n2\n3\n4"]),
            (f"<table><tr><td><pre><b>7</b><br><b>8</b><br><b>9</b></pre><td>{CODE}</table>", ["7", "8", "9"]),
            ("<table><tr><td><pre>1</pre><td><pre>echo hello</pre></table>", ["1"]),
            ("<pre><div><i>1</i><p>a</p></div><div><i>2</i><p>b</p></div><div><i>3</i></div></pre>", ["1", "2", "3"]),
            ("<pre><i>1</i>a = [1, 2]\n<i>2</i>b = 3\n</pre>", ["1", "2"]),
        ],
    )
    def test_are_found(self, html: str, expected: list[str]) -> None:
        assert numbers(html) == expected

    @pytest.mark.parametrize(
        "html",
        [
            "<p>1</p><p>2</p>",
            "<pre>1\n2\n3</pre>",
            "<pre>3</pre><pre>a</pre>",
            "<pre>1\n2\n3</pre><p>Next</p><pre>a\nb\nc\nd\ne</pre>",
            "<pre>[<i>1</i>, <i>2</i>, <i>3</i>]</pre>",
            "<pre><i>1</i>a\n<i>3</i>b\n</pre>",
            "<pre><i>1</i>\n<i>2</i>\n<i>3</i>\n</pre>",
            "<pre><i>1</i>a\nb\nc\nd\n<i>2</i>e</pre>",
        ],
    )
    def test_numbers_of_the_code_stay(self, html: str) -> None:
        assert numbers(html) == []
