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
    """The shares of the blocks of the first page among the others."""
    site = RepetitionCounts()
    for page in pages:
        site.add("x", prints(page))
    found: list[list[float]] = site.shares("x", prints(pages[0])).tolist()
    return found


class TestFingerprints:
    @pytest.mark.parametrize(
        ("one", "other"),
        [("Page 3 of 17", "page 12 of 9"), ("Straße", "STRASSE"), ("a\u00a0 b", "a b"), ("٣ items", "7 items")],
    )
    def test_texts_that_count_as_the_same(self, one: str, other: str) -> None:
        assert prints(f"<p>{one}").text == prints(f"<p>{other}").text

    @pytest.mark.parametrize("other", ["Homes", "Ho me", "Home.", "домой"])
    def test_texts_that_do_not(self, other: str) -> None:
        assert prints("<p>Home").text != prints(f"<p>{other}").text

    @pytest.mark.parametrize("other", ["<div>Home</div>", "<p class=b>Home", "<section><p>Home"])
    def test_the_place_counts_beside_the_text(self, other: str) -> None:
        one, two = prints("<p class=a>Home"), prints(other)
        assert one.text == two.text
        assert one.text_and_path != two.text_and_path

    def test_the_order_of_classes_does_not(self) -> None:
        assert prints("<p class='a b'>Home").text_and_path == prints("<p class='b a'>Home").text_and_path

    def test_the_same_on_every_machine(self) -> None:
        assert prints("<p>Home 1").text.tolist() == [13811577758366293376]

    def test_one_a_block(self) -> None:
        found = prints("<p>a<p>b<p>a")
        assert (len(found.text), len(np.unique(found.text))) == (3, 2)
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
    def test_of_an_address(self, url: str, site: str) -> None:
        assert host(url) == site


class TestRepetition:
    """What share of the site's other pages has a block's text, and has it at the same place."""

    def test_of_the_other_pages(self) -> None:
        page, other = "<i>Home</i><p>one", "<i>Home</i><p>two"
        assert shares(page, other, "<p>three", other + "!") == [[pytest.approx(2 / 3), pytest.approx(2 / 3)], [0, 0]]

    def test_the_same_text_elsewhere(self) -> None:
        assert shares("<p>Home", "<section><p>Home</section><p>x") == [[1, 0]]

    def test_twice_on_a_page_counts_once(self) -> None:
        assert shares("<p>x<p>x", "<p>y<p>z") == [[0, 0], [0, 0]]

    def test_the_same_page_again_counts_once(self) -> None:
        assert shares("<p>x<p>1 view", "<p>x<p>2 view", "<p>y") == [[0, 0], [0, 0]]

    def test_a_page_alone(self) -> None:
        assert shares("<p>x") == [[0, 0]]

    def test_how_many_different_pages(self) -> None:
        site = RepetitionCounts()
        for text in ("a", "b", "a"):
            site.add("x", prints(f"<p>{text}"))
        assert site.pages("x") == 2

    def test_the_evidence_is_the_weighted_sum(self) -> None:
        site = RepetitionCounts()
        for page in ("<p>Home<p>1x", "<p>Home<p>y"):
            site.add("x", prints(page))
        evidence = site.evidence("x", prints("<p>Home<p>1x"))
        assert evidence.dtype == np.float32
        assert evidence.tolist() == pytest.approx([sum(WEIGHTS), 0])

    def test_repetition_speaks_against_content(self) -> None:
        assert max(WEIGHTS) < 0


class TestWithEvidence:
    def test_is_added_to_the_log_odds(self) -> None:
        found = add_evidence(np.array([0.5, 0.5, 0.8], dtype=np.float32), np.array([0, np.log(3), -np.log(4)]))
        assert found.dtype == np.float32
        assert found.tolist() == pytest.approx([0.5, 0.75, 0.5])

    @given(st.lists(st.floats(0, 1, width=32), min_size=1), st.floats(-9, 9, width=32))
    def test_the_order_is_kept_and_nothing_becomes_certain(self, values: list[float], shift: float) -> None:
        ranked = np.array(sorted(values), dtype=np.float32)
        found = add_evidence(ranked, np.full(len(ranked), shift, dtype=np.float32))
        assert (np.diff(found) >= 0).all()
        assert ((found > 0) & (found < 1)).all()

    def test_log_odds_are_finite(self) -> None:
        low, middle, high = log_odds(np.array([0, 0.5, 1], dtype=np.float32)).tolist()
        assert middle == 0
        assert high == pytest.approx(-low, rel=1e-4)
        assert 6 < high < 8
