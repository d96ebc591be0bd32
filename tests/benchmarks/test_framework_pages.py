from __future__ import annotations

import re

from helpers.benchmarks import imported_benchmark


def test_pages_have_each_sentence_once_and_no_links_to_libraries() -> None:
    with imported_benchmark("framework_pages.pages") as module:
        pages = list(module.pages())
    assert len(pages) == 100
    assert {label for page in pages for label in page.sentences.values()} == set(module.CLASSES)
    sentences = [sentence for page in pages for sentence in page.sentences]
    assert len(sentences) == len(set(sentences))
    for page in pages:
        assert [page.html.count(sentence) for sentence in page.sentences] == [1] * len(page.sentences), page.name
        assert not re.search(r"⟦|⟧|<script src=|<link rel=\"stylesheet\"", page.html), page.name
