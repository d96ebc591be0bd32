from __future__ import annotations

import logging

import pytest
from helpers.pages import snapshot

from vclean.classify.methods import all_facts, get, libraries
from vclean.errors import DeadlineError, VcleanError
from vclean.features.blocks import extract_blocks

SENTENCE = "It rained all day in the valley, and nobody who lived there minded it at all, for it was warm and calm."
MENU = "<div class=menu><ul>" + "".join(f"<li><a href=/{n}>Link {n}</a></li>" for n in "abcdefgh") + "</ul></div>"
PARAGRAPHS = "".join(f"<p>{letter} {SENTENCE} {SENTENCE}</p>" for letter in "ABCDEF")
ARTICLE = f"<div class=article><h1>Rain in the valley</h1>{PARAGRAPHS}</div>"
FOOTER = "<div><p>Copyright by the owners of the valley</p></div>"
PAGE = f"<html><head><title>Rain in the valley</title></head><body>{MENU}{ARTICLE}{FOOTER}</body></html>"
METHODS = [facts for facts in all_facts() if facts.place.startswith("libraries:")]


@pytest.mark.parametrize("facts", METHODS, ids=lambda facts: facts.name)
class TestMethods:
    @pytest.fixture(autouse=True)
    def installed(self, facts):
        if facts.library:
            pytest.importorskip(facts.library)

    def test_the_article_and_not_the_menu(self, facts):
        blocks = extract_blocks(snapshot(PAGE))
        prediction = get(facts.name)(blocks)
        kept = [text for text, label in zip(blocks.text, prediction.labels, strict=True) if label.is_content]
        assert sum(SENTENCE in text for text in kept) >= 5
        assert sum("Link" in text for text in kept) <= 1
        assert set(prediction.probability.tolist()) == {0, 1}

    @pytest.mark.parametrize("html", ["One", "<p>One</p>", "<img alt=A>One", "<p>\x08One\ud800</p>", "<svg>x</svg>One"])
    def test_odd_pages(self, facts, html, caplog, capfd):
        """A library may find nothing on them, but it neither fails nor speaks."""
        assert len(get(facts.name)(extract_blocks(snapshot(html))).labels) == 1
        assert not caplog.records
        assert capfd.readouterr() == ("", "")

    def test_logging_is_as_it_was(self, facts):
        get(facts.name)(extract_blocks(snapshot("One")))
        assert logging.root.manager.disable == logging.NOTSET


class TestFailures:
    BLOCKS = extract_blocks(snapshot("One"))

    def test_an_error_of_the_library_is_one_line(self, monkeypatch):
        def fail(html, **options):
            raise RuntimeError("no good\nat all")

        monkeypatch.setattr(libraries, "_plain", fail)
        with pytest.raises(VcleanError, match=r"^the library fails on this page \(RuntimeError: no good\): choose"):
            libraries.resiliparse(self.BLOCKS)
        assert logging.root.manager.disable == logging.NOTSET

    def test_a_deadline_passes_through(self, monkeypatch):
        def late(html, **options):
            raise DeadlineError("too late")

        monkeypatch.setattr(libraries, "_plain", late)
        with pytest.raises(DeadlineError):
            libraries.resiliparse(self.BLOCKS)


class TestReadabilityAndBoilerpipe:
    @pytest.fixture(autouse=True)
    def installed(self):
        pytest.importorskip("boilerpy3")
        pytest.importorskip("readability")

    @pytest.mark.parametrize("html", [PAGE, "One", f"{FOOTER}{ARTICLE}{ARTICLE}{MENU}"])
    def test_what_each_of_them_keeps_alone(self, html):
        blocks = extract_blocks(snapshot(html))
        alone = (libraries.readability, libraries.boilerpipe_default, libraries.boilerpipe_article)
        expected = [extract(blocks).probability.astype(bool).tolist() for extract in alone]
        assert [kept.tolist() for kept in libraries.readability_and_boilerpipe(blocks)] == expected

    def test_a_library_that_fails_keeps_nothing(self, monkeypatch):
        monkeypatch.setattr(libraries, "_readability", lambda html: 1 / 0)
        kept = libraries.readability_and_boilerpipe(extract_blocks(snapshot(PAGE)))
        assert [found.any() for found in kept] == [False, True, True]

    def test_both_of_boilerpipe_count_when_it_fails(self, monkeypatch):
        monkeypatch.setattr(libraries, "_boilerpipe_both", lambda html: 1 / 0)
        kept = libraries.readability_and_boilerpipe(extract_blocks(snapshot(PAGE)))
        assert [found.any() for found in kept] == [True, False, False]

    def test_a_deadline_passes_through(self, monkeypatch):
        def late(html):
            raise DeadlineError("too late")

        monkeypatch.setattr(libraries, "_boilerpipe_both", late)
        with pytest.raises(DeadlineError):
            libraries.readability_and_boilerpipe(extract_blocks(snapshot(PAGE)))


def test_justext_has_the_lists_that_are_named():
    justext = pytest.importorskip("justext")
    assert set(libraries._LANGUAGES.values()) <= justext.get_stoplists()
