from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import columns as columns_of
from helpers.pages import laid_out, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content import stacking
from vclean.features.block import linguistic, neighbourhood, structural, visual
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import COLUMNS, block_values, extract
from vclean.features.page_context import PageContext

PAGE = """<html lang=en><title>A page</title><body class=home>
<nav><ul><li><a href=x>Home</a><li><a href=y>News</a></ul></nav>
<article id=main><h1>A page about ferries</h1>
<p>The ferry crosses the river every hour, and when the water is high it does not cross at all.</p>
<pre>a = 1\n  b = 2</pre><p hidden>Hidden text</p></article><footer>© 2026 Example</footer></body>"""

MARKUP = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "<br><br>", "<td>", "<h1>", "</h1>", "<ul><li>", "</ul>",
         "<img>", "<details>", "<p hidden>", "<a href=x>", "</a>", "--", "One.", "two 12", "中", "$5", "Read more"]
    ),
    max_size=20,
).map(lambda pieces: "<body>" + "".join(pieces))  # fmt: skip

MAY_BE_NAN = {column.name for column in visual.COLUMNS} | {
    "upper", "capitalised_words", "stop_words", "stop_word_count", "sentences", "sentence_length", "ends_sentence",
    "actions", "bylines", "boilerplate", "copyrights", "class_stop_words",
}  # fmt: skip
"""Columns that are NaN without rendering, or for some scripts or languages."""


def matrix_of(page):
    features = extract(extract_blocks(page))
    path, word = (np.linspace(low, 1, len(features.base), dtype=np.float32) for low in (-1, 0))
    return stacking.stack_columns(features, path, word)


class TestExtract:
    def test_a_page_without_blocks(self):
        features = extract(extract_blocks(snapshot("<p></p>")))
        assert features.base.shape == (0, len(COLUMNS))
        assert features.layout.begin.shape == (0, neighbourhood.LEVELS)
        assert len(features.word_tokens.start) == 1


class TestBlockValues:
    @given(MARKUP)
    def test_columns_of_any_page(self, html):
        """Check that all columns have finite values, and shares and flags are 0 to 1, with and without rendering."""
        for page in (snapshot(html), laid_out(html)):
            matrix = matrix_of(page)
            assert matrix.shape == (len(extract_blocks(page)), len(stacking.COLUMNS))
            assert not np.isinf(matrix).any()
            context = PageContext(extract_blocks(page))
            values = block_values(context) if len(context) else {}
            for column in (*linguistic.COLUMNS, *structural.COLUMNS, *visual.COLUMNS) if values else ():
                value = np.asarray(values[column.name], dtype=np.float64)
                known = value[~np.isnan(value)]
                assert value.shape == (len(context),), column.name
                assert np.isfinite(known).all(), column.name
                assert len(known) == len(value) or column.name in MAY_BE_NAN, column.name
                if column.unit in ("share", "flag") and not column.name.endswith("_place"):
                    assert ((known >= 0) & (known <= 1 + 1e-6)).all(), column.name


class TestLimits:
    def test_counts_of_long_pages_are_limited(self):
        """Check that the last paragraph has the same counts on a page of 500 and of 1,000 paragraphs."""
        pages = [
            snapshot(f"<div>{'<p>The ferry crosses the river every hour.</p>' * count}</div>") for count in (500, 1000)
        ]
        first, second = (columns_of(page) for page in pages)
        for name in ("page_words", "page_blocks", "words_before", "up3_blocks", "class_blocks"):
            assert first[name][-1] == second[name][-1], name


class TestStackColumns:
    @pytest.mark.parametrize("page", [snapshot, laid_out])
    def test_is_deterministic(self, page):
        assert matrix_of(page(PAGE)).tobytes() == matrix_of(page(PAGE)).tobytes()
