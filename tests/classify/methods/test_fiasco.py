from __future__ import annotations

import numpy as np
from helpers.methods import letters, training_page
from helpers.pages import laid_out

from vclean.classify.methods import fiasco
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.text.characters import EncodedTexts

STORY = "It rained all day in the valley, and nobody minded at all. The ferry was late."
PAGE = f"<h1>Rain</h1><p>{STORY}</p><div><a href=/>Home page</a> <a href=/b>All news</a> <img src=a.png></div>"


def example(text):
    return fiasco.make_example(training_page(PAGE, text, read=laid_out))


class TestColumns:
    def test_agrees_with_manual_computation(self):
        values = fiasco.compute(PageContext(extract_blocks(laid_out(PAGE))))
        assert len(values) == 18
        assert values["words"].tolist() == [1, 16, 4]
        assert values["sentences"].tolist() == [0, 2, 0]
        assert values["sentence_length"].tolist() == [1, 8, 4]
        assert values["digit_words"].tolist() == [0, 0, 0]
        assert values["heading"].tolist() == [True, False, False]
        assert values["paragraph"].tolist() == [False, True, False]
        assert values["links"].tolist() == [0, 0, 2]
        assert values["images"].tolist() == [0, 0, 1]
        assert values["solidity2"].tolist()[:2] == [4, 4]
        assert values["relative_width"].tolist()[1] == 1


class TestRows:
    def test_end_with_the_shares_of_key_words(self):
        words = np.array([7, 8, 9, 7], dtype=np.uint64)
        owner = np.array([0, 0, 2, 2], dtype=np.int32)
        kinds = [np.array([7], dtype=np.uint64), words]
        rows = fiasco._rows(np.zeros((3, 2), dtype=np.float32), words, owner, kinds)
        assert rows[:, 2:].tolist() == [[0.5, 1], [0, 0], [0.5, 1]]


class TestKeywords:
    def test_key_words_occur_in_one_kind_of_text(self):
        clean, dirty = fiasco.keywords([example(f"Rain\n{STORY}")] * 10)
        assert np.isin(EncodedTexts(["valley", "rain"]).words.hash, clean).all()
        assert np.isin(EncodedTexts(["home", "news"]).words.hash, dirty).all()
        assert not np.isin(EncodedTexts(["home"]).words.hash, clean).any()


class TestTrain:
    def test_page_without_content(self):
        run = fiasco.load(fiasco.train([example("")]))
        assert letters(run(extract_blocks(laid_out(PAGE)))) == "ooo"
