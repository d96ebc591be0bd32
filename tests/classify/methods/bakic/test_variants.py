from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import get
from vclean.classify.methods.bakic import segment_extractor, variant_a, variant_b
from vclean.classify.methods.bakic.document_vector import COLUMNS, Parts
from vclean.classify.methods.base import TrainingPage, decide
from vclean.features.blocks import extract_blocks

NAMES = [column.name for column in COLUMNS]
STORY = "It rained all day in the valley, and nobody minded at all, for it was warm and the ferry came on time."
MENU = "<div>" + "<p><a href=/>Home page</a></p>" * 4 + "</div>"
ARTICLE = f"<div><h1>Rain</h1><p>{STORY}</p><p>{STORY}</p></div>"
PAGE = f"<body>{MENU}{ARTICLE}<div>© 2026 All rights</div>"
GOLD = f"Rain\n{STORY}\n{STORY}"


def blocks(html=PAGE):
    return extract_blocks(snapshot(html))


def lesson(html=PAGE, text=GOLD):
    return TrainingPage(GoldPage(text=text), blocks(html))


def vector(html):
    """The document vector by name."""
    return dict(zip(NAMES, Parts.whole(blocks(html)).vectors()[0].tolist(), strict=True))


def keeps(*rows):
    """An extractor that keeps the blocks of some rows."""
    return lambda found: decide(found, np.isin(np.arange(len(found)), rows))


@pytest.fixture
def extractors(monkeypatch):
    """Four extractors: the second is right about articles, the first about pages with a table."""
    found = keeps(0), keeps(4, 5, 6), keeps(), keeps(7)

    def kept(page):
        return np.stack([[label.is_content for label in extract(page).labels] for extract in found])

    monkeypatch.setattr(variant_a, "EXTRACTORS", found)
    monkeypatch.setattr(variant_a, "extractor_masks", kept)
    monkeypatch.setattr(variant_b, "extractor_masks", kept)


class TestVectors:
    def test_there_are_37(self):
        assert len(COLUMNS) == 37
        assert Parts.whole(blocks()).vectors().shape == (1, 37)

    def test_by_hand(self):
        """The lengths of the source without blanks, and texts of 4, 2 and, in a link, 4 characters."""
        found = vector("<p>abcd</p><p>ab</p><a href='http://a.org/b'>link</a>")
        tags = len("<html></html><body></body><p></p><p></p>")
        link = len('<a href="http://a.org/b"></a>')
        assert found["tag_length"] == pytest.approx((tags + link) / (tags + link + 10))
        assert found["link_tag_length"] == pytest.approx(link / (tags + link + 10))
        assert (found["text_mean"], found["text_median"]) == (0.75, 0.75)
        assert found["text_longest"] == pytest.approx(4 / 6)
        assert found["p_count"] == 1
        assert found["div_count"] == 0

    def test_counts_are_relative_to_the_largest(self):
        found = vector("<div><p>a<p>b<p>c<p>d</div><h2>e</h2>")
        assert (found["p_count"], found["div_count"], found["h2_count"]) == (1, 0.25, 0.25)

    @pytest.mark.parametrize(
        ("characters", "name"),
        [(500, "below_1000"), (5000, "below_10000"), (1_000_000, "large"), (100_001, "below_1000000")],
    )
    def test_one_size_class(self, characters, name):
        found = vector(f"<p>{'x' * characters}</p>")
        assert [size for size in NAMES[:6] if found[size]] == [name]

    def test_only_links(self):
        found = vector("<a href=/>one</a>")
        assert found["text_mean"] == found["text_median"] == found["text_longest"] == 0


class TestSegments:
    def test_the_page_is_split_at_div_and_table(self):
        parts = Parts.segments(blocks(f"<body>{MENU}<p>loose</p>{MENU}<table><tr><td>cell</table>"))
        menu, loose, other, cell = (parts.of_block[at] for at in (0, 4, 5, 9))
        assert len({menu, loose, other, cell}) == 4
        assert parts.of_block.tolist() == [menu] * 4 + [loose] + [other] * 4 + [cell]

    def test_inside_what_holds_over_half_of_the_text(self):
        parts = Parts.segments(blocks(f"<div><div>{STORY}</div><div>{STORY}</div></div><div>a<div>b</div></div>"))
        assert len(set(parts.of_block.tolist())) == 3
        assert parts.of_block[2] == parts.of_block[3]

    def test_half_is_not_over_half(self):
        parts = Parts.segments(blocks("<div><div>ab</div>cd</div><div>abcd</div>"))
        assert parts.of_block[0] == parts.of_block[1] != parts.of_block[2]

    def test_what_no_smaller_one_has_is_one_segment(self):
        parts = Parts.segments(blocks(f"<div><p>{STORY}</p><div>x</div><p>{STORY}</p></div>"))
        assert parts.of_block[0] == parts.of_block[2] != parts.of_block[1]

    def test_inside_other_elements_too(self):
        parts = Parts.segments(blocks(f"<form><div>{STORY}</div><div>{STORY}</div></form>"))
        assert parts.of_block[0] != parts.of_block[1]


class TestShare:
    def test_by_words(self):
        parts = Parts.segments(blocks("<div><p>a b c</p><p>d</p></div><div>e f g h i</div>"))
        found = parts.share(np.array([1, 0, 1]))[parts.of_block]
        assert found.tolist() == [0.75, 0.75, 1]


class TestSegmentExtractor:
    def test_what_is_interesting(self):
        example = segment_extractor.example(lesson())
        assert example.columns.shape == (3, 37)
        assert sorted(example.interesting.tolist()) == [False, False, True]
        assert example.weight[example.interesting].tolist() == pytest.approx([43**0.5], abs=0.2)

    def test_it_learns(self):
        pytest.importorskip("sklearn")
        model = segment_extractor.train([segment_extractor.example(lesson())] * 20)
        prediction = segment_extractor.load(model)(blocks(f"{PAGE}<p hidden>{STORY}</p>"))
        assert "".join(prediction.labels)[:8] == "oooohppo"
        assert prediction.labels[-1] == "o"
        assert prediction.probability.dtype == np.float32
        assert segment_extractor.train([segment_extractor.example(lesson())] * 20) == model

    def test_where_nothing_is_interesting_the_likeliest_is(self):
        model = segment_extractor.train([segment_extractor.example(lesson(text=""))])
        assert segment_extractor.load(model)(blocks("<p>One</p>")).labels == ["p"]


class TestKept:
    @pytest.fixture(autouse=True)
    def libraries(self):
        pytest.importorskip("boilerpy3")
        pytest.importorskip("readability")

    def test_as_the_extractors_do_one_by_one(self):
        page = blocks(f"{MENU}<div><h1>Rain</h1>{f'<p>{STORY} {STORY}</p>' * 5}</div>")
        one_by_one = [[label.is_content for label in extract(page).labels] for extract in variant_a.EXTRACTORS]
        assert variant_a.extractor_masks(page).tolist() == one_by_one
        assert variant_a.extractor_masks(page).any(axis=1).all()

    def test_a_page_is_extracted_once_for_both_hybrids(self):
        page = blocks()
        assert variant_a.extractor_masks(page) is variant_a.extractor_masks(page)
        assert variant_a.extractor_masks(page) is not variant_a.extractor_masks(blocks())


class TestVariantA:
    def test_how_good_the_extractors_are(self, extractors):
        assert variant_a.example(lesson()).f1.argmax() == 1
        assert variant_a.example(lesson()).f1[1] == 1

    def test_it_learns_which_fits(self, extractors):
        pytest.importorskip("sklearn")
        table = "<table><tr><td>Gold</td><td>Other</td></tr></table>"
        examples = [variant_a.example(lesson()), variant_a.example(lesson(table, "Gold"))] * 10
        model = variant_a.train(examples)
        assert variant_a.train(examples) == model
        run = variant_a.load(model)
        assert "".join(run(blocks()).labels) == "oooohppo"
        assert "".join(run(blocks(table)).labels) == "po"


class TestVariantB:
    def test_the_share_that_each_extractor_kept(self, extractors):
        parts = Parts.segments(blocks())
        found = variant_b.columns(parts)[parts.of_block]
        assert found.shape == (8, 41)
        assert found[:, 37:].tolist() == [[0.25, 0, 0, 0]] * 4 + [[0, 1, 0, 0]] * 3 + [[0, 0, 0, 1]]

    def test_it_learns_whom_to_trust(self, extractors):
        pytest.importorskip("sklearn")
        model = variant_b.train([variant_b.example(lesson())] * 20)
        assert "".join(variant_b.load(model)(blocks()).labels) == "oooohppo"


class TestShipped:
    @pytest.mark.parametrize("name", ["bakic-a", "bakic-b", "bakic-segment"])
    def test_an_article(self, name):
        if name != "bakic-segment":
            pytest.importorskip("boilerpy3")
            pytest.importorskip("readability")
        paragraphs = f"<p>{STORY} {STORY} {STORY}</p>" * 6
        labels = get(name)(blocks(f"{MENU}<div><h1>Rain</h1>{paragraphs}</div>")).labels
        assert labels[5:] == ["p"] * 6
