from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content.postprocess import join_continuations, predecessors
from vclean.features.blocks import extract_blocks
from vclean.labels import Label


def found(html: str) -> list[int]:
    return predecessors(extract_blocks(snapshot(html))).tolist()


def rejoined(labels: str, forerunner: list[int]) -> str:
    return "".join(join_continuations([Label(letter) for letter in labels], np.array(forerunner, dtype=np.int32)))


class TestForerunners:
    @pytest.mark.parametrize(
        "between",
        [
            "<aside>Buy now</aside>",
            "<div style='float: right'><img src=i><p>Photo</p></div>",
            "<iframe src=x></iframe>",
            "<br><br><p>Buy now</p><br>",
            "<ul><li>one<li>two</ul>",
        ],
    )
    def test_a_sentence_broken_in_two(self, between: str) -> None:
        *_, last = found(f"<div>The rope was strong and the {between} river was slow.</div>")
        assert last == 0

    @pytest.mark.parametrize(
        "html",
        [
            "<div>The rope was strong. <p>Buy</p> and the river slow.</div>",
            '<div>"The rope was strong." <p>Buy</p> and the river slow.</div>',
            "<div>The rope was <p>Buy</p> Strong and new.</div>",
            "<div>The rope was <p>Buy</p> 12 metres long.</div>",
            "<div>The rope was <br><br> strong and new.</div>",
            "<div>The rope was</div><p>Buy</p><div>strong and new.</div>",
            "<div><p>The rope was</p> strong and new.</div>",
            "<div>絵を<p>広告</p>描いた</div>",
        ],
    )
    def test_anything_else(self, html: str) -> None:
        assert set(found(html)) == {-1}

    def test_three_parts(self) -> None:
        assert found("<div>one <p>X</p> two <p>Y</p> three</div>") == [-1, -1, 0, -1, 2]

    def test_no_blocks(self) -> None:
        assert found("<p>") == []


class TestRejoin:
    @pytest.mark.parametrize(
        ("labels", "forerunner", "expected"),
        [
            ("pop", [-1, -1, 0], "poc"),
            ("popop", [-1, -1, 0, -1, 2], "pococ"),
            ("lop", [-1, -1, 0], "loc"),
            ("ppp", [-1, -1, 0], "ppp"),
            ("hop", [-1, -1, 0], "hop"),
            ("oop", [-1, -1, 0], "oop"),
            ("poh", [-1, -1, 0], "poh"),
            ("pol", [-1, -1, 0], "pol"),
            ("poo", [-1, -1, 0], "poo"),
            ("pop", [-1, -1, -1], "pop"),
            ("", [], ""),
        ],
    )
    def test_only_a_paragraph_right_after_its_forerunner(
        self, labels: str, forerunner: list[int], expected: str
    ) -> None:
        """What is kept in between would be continued in its place, and nothing continues a heading."""
        assert rejoined(labels, forerunner) == expected
