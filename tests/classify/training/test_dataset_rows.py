from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.training.dataset import WEIGHT_CAP, page_rows
from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.features.groups import RaggedArray
from vclean.features.names.hashed_tokens import BUCKETS
from vclean.labels import LABELS, UNKNOWN, Label

CONTINUATION = LABELS.index(Label.CONTINUATION)
HTML = "<ul class=menu><li>Home<li>News</ul><h1>The cat</h1><p>It sat on the mat all day.<p>Copyright"
GOLD = GoldPage(
    corpus="news",
    id="7",
    text="The cat\nIt sat on the mat all day.",
    markup="<h>The cat\n<p>It sat on the mat all day.",
)


def rows_of(html: str = HTML, gold: GoldPage = GOLD):
    return page_rows(gold, "example.org", extract_blocks(snapshot(html)))


class TestPageRows:
    def test_labels(self) -> None:
        rows = rows_of()
        assert [LABELS[code] for code in rows.label] == [
            Label.OTHER, Label.OTHER, Label.HEADING, Label.PARAGRAPH, Label.OTHER,
        ]  # fmt: skip
        assert rows.content.tolist() == [False, False, True, True, False]
        assert rows.share.tolist() == [0, 0, 1, 1, 0]

    def test_gold_without_labels(self) -> None:
        rows = rows_of(gold=GoldPage(text="The cat\nIt sat on the mat all day."))
        assert rows.label.tolist() == [4, 4, UNKNOWN, UNKNOWN, 4]

    def test_unmarked_item_in_markdown_has_no_label(self) -> None:
        html = "<h1>The cat</h1><ul><li>It sat on the mat.<li>It slept all day.</ul><p>Then it ate."
        text = "The cat\nIt sat on the mat.\nIt slept all day.\nThen it ate."
        unmarked = rows_of(html, GoldPage(text=text, markdown="# " + text))
        assert unmarked.label.tolist() == [0, UNKNOWN, UNKNOWN, 1]
        marked = rows_of(html, GoldPage(text=text, markdown="# " + text.replace("It ", "- It ", 1)))
        assert marked.label.tolist() == [0, 2, UNKNOWN, 1]

    def test_unmarked_heading_in_markdown_has_no_label(self) -> None:
        html = "<h1>The cat</h1><p>It sat on the mat."
        text = "The cat\nIt sat on the mat."
        assert rows_of(html, GoldPage(text=text, markdown=text)).label.tolist() == [UNKNOWN, 1]
        assert rows_of(html, GoldPage(text=text, markup="<p>The cat\n<p>It sat on the mat.")).label.tolist() == [1, 1]

    @pytest.mark.parametrize(
        ("html", "code"),
        [
            ("<p>It sat.<p>Then it ate.", UNKNOWN),
            ("<div>It sat.<p>An advertisement.</p>Then it ate.</div>", CONTINUATION),
            ("<div>It sat.<br><br>Then it ate.</div>", CONTINUATION),
            ("<ul><li><p>It sat.<p>Then it ate.</ul>", CONTINUATION),
            ("<ul><li>It sat.<li>Then it ate.</ul>", UNKNOWN),
            ("<table><tr><td>It sat.<td>Then it ate.</table>", CONTINUATION),
        ],
    )
    def test_two_blocks_on_a_line_of_markdown(self, html: str, code: int) -> None:
        """Check that only the second block in a container is a continuation."""
        line = "It sat. Then it ate."
        assert rows_of(html, GoldPage(text=line, markdown=line)).label[-1] == code

    def test_names_the_page(self) -> None:
        rows = rows_of()
        assert (rows.corpus, rows.id, rows.site, rows.rendered) == ("news", "7", "example.org", False)
        assert page_rows(GOLD, "", extract_blocks(laid_out(HTML))).rendered

    def test_shapes(self) -> None:
        rows = rows_of()
        assert len(rows) == 5
        assert rows.base.shape == (5, len(matrix.COLUMNS))
        assert len(rows.path.start) == len(rows.word.start) == 6
        assert rows.path.values.max() >= BUCKETS > rows.word.values.max()

    def test_weights_are_roots_of_words_up_to_a_limit(self) -> None:
        rows = rows_of("<p>one<p>one two three four<p>" + "word " * 1000)
        assert rows.weight.tolist() == [1, 2, np.float32(WEIGHT_CAP**0.5)]
        assert rows.weight.dtype == np.float32

    def test_page_without_blocks(self) -> None:
        rows = rows_of("<p>")
        assert len(rows) == len(rows.weight) == 0
        assert rows.base.shape == (0, len(matrix.COLUMNS))
        assert rows.path.start.tolist() == rows.word.start.tolist() == [0]


class TestConcatenate:
    @given(st.lists(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=4), min_size=1, max_size=5))
    def test_rows_are_concatenated(self, tables: list[list[list[int]]]) -> None:
        parts = [
            RaggedArray(np.cumsum([0, *map(len, rows)]), np.array([b for row in rows for b in row], dtype=np.int32))
            for rows in tables
        ]
        whole = RaggedArray.concatenate(parts)
        bounds = zip(whole.start, whole.start[1:], strict=False)
        assert [whole.values[a:b].tolist() for a, b in bounds] == [row for rows in tables for row in rows]
        assert whole.start.dtype == np.int64
