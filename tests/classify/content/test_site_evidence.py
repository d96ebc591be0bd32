from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.site_evidence import (
    WEIGHTS,
    Fingerprints,
    RepetitionCounts,
    add_evidence,
    compute_fingerprints,
    host,
    log_odds,
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


class TestFingerprints:
    @pytest.mark.parametrize(
        ("one", "other"),
        [("Page 3 of 17", "page 12 of 9"), ("Straße", "STRASSE"), ("a\u00a0 b", "a b"), ("٣ items", "7 items")],
    )
    def test_equal_texts(self, one: str, other: str) -> None:
        assert prints(f"<p>{one}").text == prints(f"<p>{other}").text

    @pytest.mark.parametrize("other", ["Homes", "Ho me", "Home.", "домой"])
    def test_different_texts(self, other: str) -> None:
        assert prints("<p>Home").text != prints(f"<p>{other}").text

    @pytest.mark.parametrize("other", ["<div>Home</div>", "<p class=b>Home", "<section><p>Home"])
    def test_path_changes_one_fingerprint(self, other: str) -> None:
        one, two = prints("<p class=a>Home"), prints(other)
        assert one.text == two.text
        assert one.text_and_path != two.text_and_path

    def test_ignores_the_order_of_classes(self) -> None:
        assert prints("<p class='a b'>Home").text_and_path == prints("<p class='b a'>Home").text_and_path

    def test_is_independent_of_the_machine(self) -> None:
        assert prints("<p>Home 1").text.tolist() == [13811577758366293376]

    def test_one_fingerprint_per_block(self) -> None:
        fingerprints = prints("<p>a<p>b<p>a")
        assert (len(fingerprints.text), len(np.unique(fingerprints.text))) == (3, 2)
        assert len(prints("<p></p>").text_and_path) == 0


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
        assert evidence.dtype == np.float32
        assert evidence.tolist() == pytest.approx([sum(WEIGHTS), 0])

    def test_repetition_is_evidence_against_content(self) -> None:
        assert max(WEIGHTS) < 0


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
