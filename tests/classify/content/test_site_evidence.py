from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.site_evidence import (
    MIN_SHARE,
    WEIGHTS,
    Fingerprints,
    Site,
    SitePages,
    add_evidence,
    document_numbers,
)
from vclean.features.blocks import BlockColumns, extract_blocks


def prints(html: str) -> Fingerprints:
    return Fingerprints(extract_blocks(snapshot(html)))


def log_odds_of_first(*pages: str) -> list[float]:
    """Return the log odds from the other pages for each block of the first page."""
    site = Site()
    for page in pages:
        site.add(prints(page))
    values: list[float] = site.evidence(prints(pages[0])).log_odds.tolist()
    return values


class TestSite:
    """Evidence from the site's other pages with the text of a block, and with text and path."""

    def test_shares_of_other_pages(self) -> None:
        text, path = WEIGHTS
        page, other = "<i>Home</i><p>one", "<i>Home</i><p>two"
        pages = (page, other, "<p>three", "<div>Home</div><p>four", other + "!")
        assert log_odds_of_first(*pages) == [pytest.approx(text * 3 / 4 + path * 2 / 4), 0]

    def test_equal_pages_count_once(self) -> None:
        assert log_odds_of_first("<p>a", "<p>a") == [0]


APPEAL = "Dear readers, please help us with the price of a cup of coffee each month."


def own_text(number: int) -> str:
    """Return a sentence that is longer than the appeal and differs in its words between pages."""
    word = "".join(chr(ord("a") + int(digit)) for digit in f"{number:04d}")
    return f"The {word} of Saltby was opened by its mayor on the first {word} of the year, before three hundred guests."


class TestRule:
    """Blocks that the rule for repetition leaves out."""

    def left_out(self, *pages: str) -> list[list[str]]:
        """Return the texts of each page that the rule leaves out."""
        blocks = [extract_blocks(snapshot(page)) for page in pages]
        site = Site()
        for page in blocks:
            site.add(Fingerprints(page))
        evidence = [site.evidence(Fingerprints(page)) for page in blocks]
        return [
            [text for text, repeated in zip(page.text, each.repeated.tolist(), strict=True) if repeated]
            for page, each in zip(blocks, evidence, strict=True)
        ]

    def test_needs_three_documents(self) -> None:
        pages = [f"<p>{own_text(number)}<p>{APPEAL}" for number in range(3)]
        assert self.left_out(*pages[:2]) == [[]] * 2
        assert self.left_out(*pages) == [[APPEAL]] * 3

    def test_needs_a_good_part_of_the_site(self) -> None:
        pages = [f"<p>{own_text(number)}" for number in range(11)]
        with_appeal = [f"{page}<p>{APPEAL}" for page in pages]
        assert MIN_SHARE == 0.5
        assert self.left_out(*with_appeal[:6], *pages[6:])[0] == [APPEAL]
        assert self.left_out(*with_appeal[:5], *pages[5:])[0] == []

    def test_headings_of_other_text_stay(self) -> None:
        pages = [f"<p>{APPEAL}<h2>Ingredients</h2><p>{own_text(number)}" for number in range(4)]
        assert self.left_out(*pages) == [[APPEAL]] * 4


class TestAddEvidence:
    @given(st.lists(st.floats(0, 1, width=32), min_size=1), st.floats(-9, 9, width=32))
    def test_preserves_order_and_stays_uncertain(self, values: list[float], shift: float) -> None:
        ranked = np.array(sorted(values), dtype=np.float32)
        probability = add_evidence(ranked, np.full(len(ranked), shift, dtype=np.float32))
        assert (np.diff(probability) >= 0).all()
        assert ((probability > 0) & (probability < 1)).all()

    def test_log_odds_are_finite(self) -> None:
        probability = add_evidence(np.array([0, 0.5, 1], dtype=np.float32), np.zeros(3, dtype=np.float32))
        assert probability.tolist() == pytest.approx([0.001, 0.5, 0.999])


class TestFingerprints:
    def test_is_independent_of_the_machine(self) -> None:
        assert prints("<p>Home 1").text.tolist() == [13811577758366293376]

    def test_headings(self) -> None:
        assert prints("<h1>a</h1><p>b<h4>c</h4>").heading.tolist() == [True, False, True]


def body(name: str, count: int = 4) -> str:
    """Return paragraphs that only pages with this name have."""
    return "".join(
        f"<p>The {name} of Saltby was number {number} in the list that the council drew up after the flood."
        for number in range(count)
    )


class TestDocumentNumbers:
    """Versions of a document."""

    def test_the_name_of_the_site_is_no_headline(self) -> None:
        pages = [
            f"<h1>Saltby Post</h1><h2>{name}</h2>{body(name, 2)}{body('appeal', 6)}"
            for name in ("ferry", "bridge", "school")
        ]
        assert document_numbers([prints(page) for page in pages]).tolist() == [0, 1, 2]


MENU = "<div class=menu><a href=/>Home</a></div>"


def page(text: str, url: str = "https://example.org/1") -> BlockColumns:
    return extract_blocks(snapshot(f"{MENU}<p>{text}</p>", url))


def evidence_for(*pages: BlockColumns) -> list[list[float]]:
    """Return the log odds for the blocks of each page."""
    with SitePages[int]() as buffer:
        for number, blocks in enumerate(pages):
            buffer.add(blocks, number)
        return [evidence.log_odds.tolist() for _, _, evidence in buffer]


class TestSitePages:
    def test_pages_without_url_are_one_site(self) -> None:
        assert evidence_for(page("one", ""), page("two", ""))[1][0] < -1

    def test_page_without_blocks(self) -> None:
        assert evidence_for(extract_blocks(snapshot("<p></p>")), page("one"))[0] == []
