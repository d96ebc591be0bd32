"""Length and language of the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean

import pytest
from helpers.documents import PAGES, WRITTEN, name, prose, read

LINES = 250
"""Lines of a page, at most."""
TABLE_LINES = 300
"""Lines of a page that a program writes, at most."""
WORDS = 18
"""Words of a sentence, mean over a document."""

UNCLEAR = re.compile(r"\b(told|tells?|says?|said|nobody|verdicts?|knobs?|taught|teach|lessons?)\b", re.IGNORECASE)
"""Words that make readers read twice; docs/glossary.md has better ones."""


def sentences(path: Path) -> list[str]:
    """Return the sentences of a document, without tables, headings, images and code."""
    paragraphs = re.split(r"\n\s*\n", re.sub(r"<[^>]+>", "", prose(path)))
    text = [each.strip() for each in paragraphs if not each.lstrip().startswith(("|", "#", "![", "    "))]
    parts = [part for each in text for part in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*\[])|\n *[-*] ", each)]
    return [part for part in parts if len(part.split()) > 1]


@pytest.mark.parametrize("path", WRITTEN, ids=name)
class TestStyle:
    def test_sentences_are_short(self, path: Path) -> None:
        lengths = [len(sentence.split()) for sentence in sentences(path)]
        assert not lengths or fmean(lengths) < WORDS

    def test_words_are_plain(self, path: Path) -> None:
        text = re.sub(r"`[^`]*`|^ {4}.*$", "", prose(path), flags=re.MULTILINE)
        assert UNCLEAR.findall(text) == []


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_pages_are_short(path: Path) -> None:
    assert len(read(path).splitlines()) <= (TABLE_LINES if path.parent.name == "tables" else LINES)
