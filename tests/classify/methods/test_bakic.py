from __future__ import annotations

from contextlib import nullcontext as does_not_raise

import numpy as np
import pytest
from helpers.methods import letters, training_page
from helpers.pages import snapshot

from vclean.classify.methods import bakic
from vclean.classify.methods.bakic import COLUMNS, SEGMENT_EXTRACTOR, VARIANT_A, VARIANT_B, Parts, extractor_masks
from vclean.classify.methods.base import prediction_from_mask
from vclean.errors import DeadlineError, VcleanError
from vclean.features.blocks import extract_blocks

STORY = "It rained all day in the valley, and nobody minded at all, for it was warm and the ferry came on time."
MENU = "<div>" + "<p><a href=/>Home page</a></p>" * 4 + "</div>"
ARTICLE = f"<div><h1>Rain</h1><p>{STORY}</p><p>{STORY}</p></div>"
PAGE = f"<body>{MENU}{ARTICLE}<div>© 2026 All rights</div>"
GOLD = f"Rain\n{STORY}\n{STORY}"


def blocks(html=PAGE):
    return extract_blocks(snapshot(html))


def keeps(*rows):
    """Return an extractor that keeps the blocks of some rows."""
    return lambda blocks_of_page: prediction_from_mask(blocks_of_page, np.isin(np.arange(len(blocks_of_page)), rows))


@pytest.fixture
def extractors(monkeypatch):
    """Replace the extractors: the second is right about articles, the first about pages with a table."""
    extractors_by_row = keeps(0), keeps(4, 5, 6), keeps(), keeps(7)
    monkeypatch.setattr(bakic, "EXTRACTORS", extractors_by_row)


class TestVectors:
    def test_agrees_with_manual_computation(self):
        """Compute from the source without blanks, with texts of 4, 2 and, in a link, 4 characters."""
        (vector,) = Parts.whole(blocks("<p>abcd</p><p>ab</p><a href='http://a.org/b'>link</a>")).vectors()
        assert len(vector) == 37
        result = dict(zip(COLUMNS, vector.tolist(), strict=True))
        tags = len("<html></html><body></body><p></p><p></p>")
        link = len('<a href="http://a.org/b"></a>')
        assert result["tag_length"] == pytest.approx((tags + link) / (tags + link + 10))
        assert result["link_tag_length"] == pytest.approx(link / (tags + link + 10))
        assert (result["text_mean"], result["text_median"]) == (0.75, 0.75)
        assert result["text_longest"] == pytest.approx(4 / 6)
        assert result["p_count"] == 1
        assert result["div_count"] == 0


class TestSegments:
    def test_does_not_split_elements_with_half_of_the_text(self):
        parts = Parts.segments(blocks("<div><div>ab</div>cd</div><div>abcd</div>"))
        assert parts.of_block[0] == parts.of_block[1] != parts.of_block[2]


class TestShare:
    def test_mean_is_weighted_by_words(self):
        parts = Parts.segments(blocks("<div><p>a b c</p><p>d</p></div><div>e f g h i</div>"))
        result = parts.share(np.array([1, 0, 1]))[parts.of_block]
        assert result.tolist() == [0.75, 0.75, 1]


class TestSegmentExtractor:
    def test_keeps_the_most_probable_segment_if_none_is_interesting(self):
        model = SEGMENT_EXTRACTOR.train([SEGMENT_EXTRACTOR.make_example(training_page(PAGE, ""))])
        assert SEGMENT_EXTRACTOR.load(model)(blocks("<p>One</p>")).labels == ["p"]


class TestExtractorMasks:
    @pytest.mark.parametrize(
        ("error", "outcome"), [(VcleanError, does_not_raise()), (DeadlineError, pytest.raises(DeadlineError))]
    )
    def test_failing_library_keeps_nothing_before_the_deadline(self, monkeypatch, error, outcome):
        def fail(page):
            raise error("no good")

        monkeypatch.setattr(bakic, "EXTRACTORS", (keeps(1), fail))
        with outcome:
            assert extractor_masks(blocks("<p>One<p>Two")).tolist() == [[False, True], [False, False]]


class TestVariantA:
    def test_selects_the_best_extractor(self, extractors):
        pytest.importorskip("sklearn")
        table = "<table><tr><td>Gold</td><td>Other</td></tr></table>"
        pages = training_page(PAGE, GOLD), training_page(table, "Gold")
        examples = [VARIANT_A.make_example(page) for page in pages]
        assert examples[0][1][0].tolist().index(1) == 1
        run = VARIANT_A.load(VARIANT_A.train(examples * 10))
        assert [letters(run(page.blocks)) for page in pages] == ["oooohppo", "po"]


class TestVariantB:
    def test_uses_the_reliable_extractor(self, extractors):
        pytest.importorskip("sklearn")
        model = VARIANT_B.train([VARIANT_B.make_example(training_page(PAGE, GOLD))] * 20)
        assert letters(VARIANT_B.load(model)(blocks())) == "oooohppo"
