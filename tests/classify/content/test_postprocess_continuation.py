from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content.postprocess import join_continuations, predecessors
from vclean.features.blocks import extract_blocks
from vclean.labels import Label


def predecessors_of(html: str) -> list[int]:
    return predecessors(extract_blocks(snapshot(html))).tolist()


def joined(labels: str, predecessor: list[int]) -> str:
    return "".join(join_continuations([Label(letter) for letter in labels], np.array(predecessor, dtype=np.int32)))


class TestPredecessors:
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
    def test_finds_interrupted_sentences(self, between: str) -> None:
        *_, last = predecessors_of(f"<div>The rope was strong and the {between} river was slow.</div>")
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
    def test_finds_nothing_else(self, html: str) -> None:
        assert set(predecessors_of(html)) == {-1}

    def test_sentence_in_three_parts(self) -> None:
        assert predecessors_of("<div>one <p>X</p> two <p>Y</p> three</div>") == [-1, -1, 0, -1, 2]


class TestJoinContinuations:
    @pytest.mark.parametrize(
        ("labels", "predecessor", "expected"),
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
    def test_relabels_paragraphs_after_their_predecessor(
        self, labels: str, predecessor: list[int], expected: str
    ) -> None:
        """Check that content in between, and headings, prevent a continuation."""
        assert joined(labels, predecessor) == expected
