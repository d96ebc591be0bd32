from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.site_documents import Fingerprints, compute_fingerprints
from vclean.classify.content.site_evidence import (
    MIN_SHARE,
    WEIGHTS,
    RepetitionCounts,
    add_evidence,
    host,
    log_odds,
    repeated_blocks,
)
from vclean.features.blocks import extract_blocks


def prints(html: str) -> Fingerprints:
    return compute_fingerprints(extract_blocks(snapshot(html)))


def shares(*pages: str) -> list[list[float]]:
    """Return the shares of the other pages with each block of the first page."""
    site = RepetitionCounts()
    for page in pages:
        site.add("x", prints(page))
    values: list[list[float]] = site.shares("x", prints(pages[0])).tolist()
    return values


class TestHost:
    @pytest.mark.parametrize(
        ("url", "site"),
        [
            ("https://WWW.Example.org:8080/a", "example.org"),
            ("http://blog.example.org/", "blog.example.org"),
            ("file:///home/x/page.html", ""),
            ("", ""),
            ("http://[broken", ""),
        ],
    )
    def test_host_of_url(self, url: str, site: str) -> None:
        assert host(url) == site


class TestRepetitionCounts:
    """Shares of the site's other pages with the text of a block, and with text and path."""

    def test_shares_of_other_pages(self) -> None:
        page, other = "<i>Home</i><p>one", "<i>Home</i><p>two"
        assert shares(page, other, "<p>three", other + "!") == [[pytest.approx(2 / 3), pytest.approx(2 / 3)], [0, 0]]

    def test_equal_text_with_another_path(self) -> None:
        assert shares("<p>Home", "<section><p>Home</section><p>x") == [[1, 0]]

    def test_counts_a_text_once_per_page(self) -> None:
        assert shares("<p>x<p>x", "<p>y<p>z") == [[0, 0], [0, 0]]

    def test_counts_equal_pages_once(self) -> None:
        assert shares("<p>x<p>1 view", "<p>x<p>2 view", "<p>y") == [[0, 0], [0, 0]]

    def test_single_page(self) -> None:
        assert shares("<p>x") == [[0, 0]]

    def test_number_of_distinct_pages(self) -> None:
        site = RepetitionCounts()
        for text in ("a", "b", "a"):
            site.add("x", prints(f"<p>{text}"))
        assert site.pages("x") == 2

    def test_evidence_is_a_weighted_sum(self) -> None:
        site = RepetitionCounts()
        for page in ("<p>Home<p>1x", "<p>Home<p>y"):
            site.add("x", prints(page))
        evidence = site.evidence("x", prints("<p>Home<p>1x"))
        assert evidence.log_odds.dtype == np.float32
        assert evidence.log_odds.tolist() == pytest.approx([sum(WEIGHTS), 0])

    def test_page_with_other_digits_or_classes_than_its_copy(self) -> None:
        """Check the blocks of a page that is not counted, because its texts are those of another page."""
        site = RepetitionCounts()
        for page in ("<p>Home<p>x", "<p class=a>Home<p>x", "<p>Home<p>y"):
            site.add("x", prints(page))
        assert site.shares("x", prints("<p class=a>Home<p>x")).tolist() == [[1, 0], [0, 0]]

    def test_repetition_is_evidence_against_content(self) -> None:
        assert max(WEIGHTS) < 0


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
        site = RepetitionCounts()
        for page in blocks:
            site.add("x", compute_fingerprints(page))
        evidence = [site.evidence("x", compute_fingerprints(page)) for page in blocks]
        return [
            [text for text, repeated in zip(page.text, each.repeated.tolist(), strict=True) if repeated]
            for page, each in zip(blocks, evidence, strict=True)
        ]

    def test_leaves_out_a_repeated_sentence(self) -> None:
        pages = [f"<h1>{number}</h1><p>{own_text(number)}<p>{APPEAL}" for number in range(12)]
        assert self.left_out(*pages) == [[APPEAL]] * 12

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

    def test_texts_with_other_digits_stay(self) -> None:
        pages = [
            f"<p>{own_text(number)}<p>The high today will be {number} degrees, with light wind." for number in range(5)
        ]
        assert self.left_out(*pages) == [[]] * 5

    def test_leaves_out_the_heading_and_the_button_of_an_appeal(self) -> None:
        appeal = f"<div><h3>Support us</h3><p>{APPEAL}<p><a href=/>Donate</a></div>"
        pages = [f"<p>{own_text(number)}{appeal}<p>{own_text(number + 100)}" for number in range(4)]
        assert self.left_out(*pages) == [["Support us", APPEAL, "Donate"]] * 4

    def test_headings_of_other_text_stay(self) -> None:
        pages = [f"<p>{APPEAL}<h2>Ingredients</h2><p>{own_text(number)}" for number in range(4)]
        assert self.left_out(*pages) == [[APPEAL]] * 4

    def test_short_texts_stay(self) -> None:
        pages = [f"<h2>Method</h2><p>{own_text(number)}<p>Preheat the oven." for number in range(4)]
        assert self.left_out(*pages) == [[]] * 4

    def test_values_in_a_list_stay(self) -> None:
        rating = "<p>Four reviews with an average rating of five out of five stars"
        pages = [f"<p>{own_text(number)}{rating}<p>{own_text(number + 100)}{rating}" for number in range(4)]
        assert self.left_out(*pages) == [[]] * 4

    def test_counts_documents(self) -> None:
        site = RepetitionCounts()
        pages = [prints(f"<p>{own_text(number)}<p>{APPEAL}") for number in range(5)]
        for page in pages:
            site.add("x", page)
        evidence = site.evidence("x", pages[0])
        assert (evidence.documents.tolist(), evidence.total) == ([1, 5], 5)

    def test_page_without_blocks(self) -> None:
        assert repeated_blocks(np.zeros(0, dtype=bool), prints("<p>")).tolist() == []


class TestAddEvidence:
    def test_adds_to_the_log_odds(self) -> None:
        probability = add_evidence(np.array([0.5, 0.5, 0.8], dtype=np.float32), np.array([0, np.log(3), -np.log(4)]))
        assert probability.dtype == np.float32
        assert probability.tolist() == pytest.approx([0.5, 0.75, 0.5])

    @given(st.lists(st.floats(0, 1, width=32), min_size=1), st.floats(-9, 9, width=32))
    def test_preserves_order_and_stays_uncertain(self, values: list[float], shift: float) -> None:
        ranked = np.array(sorted(values), dtype=np.float32)
        probability = add_evidence(ranked, np.full(len(ranked), shift, dtype=np.float32))
        assert (np.diff(probability) >= 0).all()
        assert ((probability > 0) & (probability < 1)).all()

    def test_log_odds_are_finite(self) -> None:
        low, middle, high = log_odds(np.array([0, 0.5, 1], dtype=np.float32)).tolist()
        assert middle == 0
        assert high == pytest.approx(-low, rel=1e-4)
        assert 6 < high < 8
