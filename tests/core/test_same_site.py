"""Test repetition on the pages of a site, end to end: pages, the shipped model, `clean_many` and `--same-site`."""

from __future__ import annotations

from random import Random

import pytest

from vclean.api import Cleaner
from vclean.classify.explain.reasons import Rule
from vclean.page import Page

COUNT = 12
APPEAL = (
    "Dear readers, our newspaper depends on your help: if every reader gave the price of a cup of coffee each month, "
    "we could pay our reporters for years to come."
)
_NOUNS = [
    "ferry", "valley", "river", "council", "bridge", "harbour", "market", "winter", "school", "engine", "garden",
    "mayor", "train", "storm", "museum", "library", "orchard", "festival", "barley", "pilot",
]  # fmt: skip


def paragraphs(number):
    """Return the paragraphs of the article with a number; no two articles share one."""
    random = Random(number)
    return [
        " ".join(["The", *random.choices(_NOUNS, k=18), "and", *random.choices(_NOUNS, k=12)]) + "." for _ in "1234"
    ]


def text(number, inserted=""):
    """Return the headline and paragraphs of an article, with something in the middle."""
    parts = [f"<p>{each}</p>" for each in paragraphs(number)]
    return "".join([f"<h1>The {_NOUNS[number]} of Saltby</h1>", *parts[:2], inserted, *parts[2:]])


def article(number):
    """Return a page of a newspaper with the appeal in the middle of its article."""
    return f"""<html lang=en><title>{_NOUNS[number]} - Saltby Post</title><body>
        <nav><a href=/>Home</a> <a href=/news>News</a></nav>
        <main><article>{text(number, f"<p>{APPEAL}</p>")}</article></main>
        <footer><p>Copyright Saltby Post</p></footer>"""


PRINTED = f"<html lang=en><title>Print</title><body>{text(3)}<p>Print this page</p>"
SYNDICATED = f"""<html lang=en><title>{_NOUNS[3]} - Saltby Sunday</title><body>
    <div class=top><a href=/s>Sunday</a></div>
    <div class=story><p>Our colleagues of the daily edition went to see it, and wrote this report.</p>{text(3)}</div>
    <p>This report appeared first in the daily edition of the Saltby Post.</p>"""
"""Page of another section with the text of an article, and another introduction and notice."""


def clean(*pages, same_site=True, explain=False):
    documents = [Page(content=html, url=f"https://example.org/{number}.html") for number, html in enumerate(pages)]
    with Cleaner(explain=explain) as cleaner:
        return list(cleaner.clean_many(documents, same_site=same_site))


@pytest.fixture(scope="module")
def site():
    return [article(number) for number in range(COUNT)]


class TestAppeal:
    """One appeal in the articles of twelve pages."""

    def test_is_kept_without_the_comparison(self, site):
        assert sum(APPEAL in result.to_text() for result in clean(*site, same_site=False)) == COUNT

    def test_reason_names_the_rule(self, site):
        result, *_ = clean(*site[:3], explain=True)
        (appeal,) = result.blocks.filter(lambda block: block.text == APPEAL)
        assert appeal.reasons[0].rule == Rule.SITE
        assert appeal.reasons[0].text == "left out because it repeats: 3 of the 3 pages of the site have it"
        others = [block for block in result.blocks if block.text in paragraphs(0)]
        assert not any(reason.rule == Rule.SITE for block in others for reason in block.reasons)


class TestSharedBody:
    """A body on two pages of a site stays on both."""

    @pytest.mark.parametrize("others", [COUNT, 0])
    def test_three_versions(self, site, others):
        """Check three versions among other pages, and a site of nothing else."""
        results = clean(*site[:others], article(3), PRINTED, SYNDICATED)[-3:]
        assert all(text in result.to_text() for result in results for text in paragraphs(3))
