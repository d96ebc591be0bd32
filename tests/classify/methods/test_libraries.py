from __future__ import annotations

import logging

import pytest
from helpers.methods import blocks_for
from helpers.pages import snapshot

from vclean.classify.methods import all_method_infos, get, libraries
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks

SENTENCE = "It rained all day in the valley, and nobody who lived there minded it at all, for it was warm and calm."
MENU = "<div class=menu><ul>" + "".join(f"<li><a href=/{n}>Link {n}</a></li>" for n in "abcdefgh") + "</ul></div>"
PARAGRAPHS = "".join(f"<p>{letter} {SENTENCE} {SENTENCE}</p>" for letter in "ABCDEF")
ARTICLE = f"<div class=article><h1>Rain in the valley</h1>{PARAGRAPHS}</div>"
PAGE = f"<title>Rain in the valley</title>{MENU}{ARTICLE}<div><p>Copyright by the owners of the valley</p></div>"
METHODS = [info for info in all_method_infos() if info.entry_point.startswith("libraries:")]


@pytest.mark.parametrize("info", METHODS, ids=lambda info: info.name)
class TestMethods:
    def test_keeps_the_article_and_drops_the_menu(self, info):
        blocks = blocks_for(info.name, PAGE)
        prediction = get(info.name)(blocks)
        content = [text for text, label in zip(blocks.text, prediction.labels, strict=True) if label.is_content]
        assert sum(SENTENCE in text for text in content) >= 5
        assert sum("Link" in text for text in content) <= 1
        assert set(prediction.probability.tolist()) == {0, 1}


class TestFailures:
    def test_reports_library_errors_in_one_line(self, monkeypatch):
        def fail(html, **options):
            raise RuntimeError("no good\nat all")

        monkeypatch.setattr(libraries, "_plain", fail)
        with pytest.raises(VcleanError, match=r"^the library fails on this page \(RuntimeError: no good\): choose"):
            libraries.resiliparse(extract_blocks(snapshot("One")))
        assert logging.root.manager.disable == logging.NOTSET


def test_justext_has_all_named_stop_word_lists():
    justext = pytest.importorskip("justext")
    assert set(libraries._LANGUAGES.values()) <= justext.get_stoplists()
