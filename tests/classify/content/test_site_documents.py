from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content.site_documents import (
    MAX_VERSIONS,
    Fingerprints,
    compute_fingerprints,
    document_numbers,
)
from vclean.features.blocks import extract_blocks


def prints(html: str) -> Fingerprints:
    return compute_fingerprints(extract_blocks(snapshot(html)))


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

    def test_exact_texts_keep_case_and_digits(self) -> None:
        assert prints("<p>Page 3").exact != prints("<p>Page 4").exact
        assert prints("<p>a\u00a0 b").exact == prints("<p>a b").exact

    def test_length_of_sentences(self) -> None:
        fingerprints = prints("<p>Home<p>It rained all day in the valley of Saltby.<p>" + "水" * 40)
        assert fingerprints.length.tolist() == [0, 42, 40]

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

    def numbers(self, *pages: str) -> list[int]:
        return document_numbers([prints(page) for page in pages]).tolist()

    def test_different_pages(self) -> None:
        assert self.numbers(body("ferry"), body("bridge"), body("school")) == [0, 1, 2]

    def test_print_version(self) -> None:
        page = f"<nav>Home</nav><h1>Ferry</h1>{body('ferry')}<p>Copyright of all texts and images by the Saltby Post."
        print_version = (
            f"<h1>Ferry</h1>{body('ferry')}<p>Printed from the site of the Saltby Post, on the first of May."
        )
        assert self.numbers(page, print_version, body("bridge")) == [0, 0, 1]

    def test_versions_without_headline(self) -> None:
        assert self.numbers(body("ferry"), f"<p>Print{body('ferry')}", body("bridge")) == [0, 0, 1]

    def test_syndicated_body_under_the_same_headline(self) -> None:
        one, other = (f"<h1>Ferry</h1>{body(name, 2)}{body('ferry', 6)}" for name in ("north", "south"))
        assert self.numbers(one, other) == [0, 0]

    def test_common_texts_of_different_pages(self) -> None:
        """Check pages with a common text of half their length, and other headlines."""
        pages = [f"<h1>{name}</h1>{body(name)}{body('appeal')}" for name in ("ferry", "bridge", "school")]
        assert self.numbers(*pages) == [0, 1, 2]

    def test_the_name_of_the_site_is_no_headline(self) -> None:
        pages = [
            f"<h1>Saltby Post</h1><h2>{name}</h2>{body(name, 2)}{body('appeal', 6)}"
            for name in ("ferry", "bridge", "school")
        ]
        assert self.numbers(*pages) == [0, 1, 2]

    @pytest.mark.parametrize(("count", "same"), [(MAX_VERSIONS, True), (MAX_VERSIONS + 1, False)])
    def test_number_of_versions(self, count: int, same: bool) -> None:
        versions = [f"<p>{chr(97 + number)}{body('ferry')}" for number in range(count)]
        assert (len(set(self.numbers(*versions))) == 1) is same

    def test_pages_without_sentences(self) -> None:
        assert self.numbers("<p>a", "<p>a", "<p>") == [0, 1, 2]

    def test_dtype(self) -> None:
        assert document_numbers([prints("<p>a")]).dtype == np.int32
