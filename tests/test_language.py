from __future__ import annotations

import numpy as np
import pytest

from vclean.features.language import SAMPLE, detect, stop_word_hashes
from vclean.features.text import Texts

SAMPLES = {
    "en": "The ferry crosses the river every hour, and when the water is high it does not cross at all. ",
    "de": "Die Fähre überquert den Fluss jede Stunde, und wenn das Wasser hoch steht, fährt sie gar nicht. ",
    "fr": "Le bac traverse la rivière toutes les heures, et quand l'eau est haute il ne traverse pas du tout. ",
    "es": "El transbordador cruza el río cada hora, y cuando el agua está alta no cruza en absoluto. ",
}


class TestDetect:
    @pytest.mark.parametrize("language", SAMPLES)
    def test_european_languages(self, language):
        assert detect(SAMPLES[language] * 5) == language

    @pytest.mark.parametrize(
        ("text", "language"),
        [
            ("渡し船は一時間ごとに川を渡る。", "ja"),
            ("渡轮每小时过河一次。", "zh"),
            ("나룻배는 매시간 강을 건넌다.", "ko"),
            ("เรือข้ามฟากข้ามแม่น้ำทุกชั่วโมง", "th"),
            ("המעבורת חוצה את הנהר", "he"),
        ],
    )
    def test_scripts_tell_the_language_of_a_short_text(self, text, language):
        assert detect(text) == language

    @pytest.mark.parametrize(("declared", "language"), [("de", "de"), ("pt-BR", "pt"), ("EN-us", "en"), ("", "")])
    def test_declared_where_the_text_does_not_tell(self, declared, language):
        assert detect("123", declared) == language

    def test_the_text_is_believed_more_than_the_page(self):
        assert detect(SAMPLES["fr"] * 5, "en") == "fr"

    def test_no_text(self):
        assert detect("") == ""

    def test_the_beginning_counts(self):
        long = SAMPLES["en"] * (SAMPLE // len(SAMPLES["en"]) + 1)
        assert detect(long + SAMPLES["de"] * 1000) == "en"


class TestStopWordHashes:
    def test_hashes_are_those_of_words_in_a_text(self):
        hashes = stop_word_hashes("en")
        found = np.isin(Texts.of(["The zebra of"]).words.hash, hashes)
        assert found.tolist() == [True, False, True]

    def test_ascending(self):
        hashes = stop_word_hashes("de")
        assert (hashes[1:] > hashes[:-1]).all()

    @pytest.mark.parametrize("language", ["", "xx", "english"])
    def test_no_list(self, language):
        assert len(stop_word_hashes(language)) == 0
