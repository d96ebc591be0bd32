from __future__ import annotations

import numpy as np

from vclean.features.text.language import EXCERPT_LENGTH, MIN_LENGTH, SAMPLE_LENGTH, detect, sample

SAMPLES = {
    "en": "The ferry crosses the river every hour, and when the water is high it does not cross at all.",
    "de": "Die Fähre überquert den Fluss jede Stunde, und wenn das Wasser hoch steht, fährt sie gar nicht.",
    "fr": "Le bac traverse la rivière toutes les heures, et quand l'eau est haute il ne traverse pas du tout.",
    "es": "El transbordador cruza el río cada hora, y cuando el agua está alta no cruza en absoluto.",
    "pt": "A balsa atravessa o rio a cada hora e, quando a água está alta, não atravessa de jeito nenhum.",
    "nl": "De veerpont steekt elk uur de rivier over, en als het water hoog staat, vaart hij helemaal niet.",
    "pl": "Prom przepływa przez rzekę co godzinę, a gdy woda jest wysoka, nie pływa wcale.",
    "cs": "Přívoz přejíždí řeku každou hodinu, a když je voda vysoká, nejezdí vůbec.",
    "sk": "Prievozná loď pláva cez rieku každú hodinu, a keď je voda vysoká, nepláva vôbec.",
    "fi": "Lautta ylittää joen joka tunti, ja kun vesi on korkealla, se ei kulje lainkaan.",
    "hu": "A komp óránként kel át a folyón, és amikor magas a víz, egyáltalán nem közlekedik.",
    "tr": "Feribot nehri her saat geçer, su yüksek olduğunda ise hiç geçmez.",
    "el": "Το φέρι διασχίζει το ποτάμι κάθε ώρα, και όταν το νερό είναι ψηλά δεν περνάει καθόλου.",
    "ru": "Паром переходит реку каждый час, а когда вода высокая, он не ходит совсем.",
    "uk": "Пором перетинає річку щогодини, а коли вода висока, він не ходить зовсім.",
    "bg": "Фериботът пресича реката на всеки час, а когато водата е висока, изобщо не минава.",
    "ar": "تعبر العبّارة النهر كل ساعة، وعندما يرتفع الماء لا تعبر على الإطلاق.",
    "fa": "کشتی هر ساعت از رودخانه می‌گذرد و وقتی آب بالا باشد اصلاً حرکت نمی‌کند.",
    "hi": "नाव हर घंटे नदी पार करती है, और जब पानी ऊँचा होता है तो वह बिल्कुल नहीं चलती।",
    "mr": "नाव दर तासाला नदी ओलांडते आणि पाणी जास्त असताना ती अजिबात जात नाही.",
}


class TestDetect:
    def test_unknown_for_few_words(self):
        assert detect("OK") == ""

    def test_accepts_lone_surrogates(self):
        assert detect(SAMPLES["en"] + "\ud800") == "en"


class TestSample:
    def test_limits_excerpt_per_block(self):
        result = sample(["a" * 1000, "b" * 1000], np.zeros(2, dtype=np.float32))
        assert result == "a" * EXCERPT_LENGTH + " " + "b" * EXCERPT_LENGTH

    def test_limits_total_length(self):
        result = sample(["a" * 1000] * 100, np.zeros(100, dtype=np.float32))
        assert SAMPLE_LENGTH <= len(result) <= SAMPLE_LENGTH + EXCERPT_LENGTH

    def test_ignores_links_if_text_suffices(self):
        texts = ["menu " * 20, "x" * MIN_LENGTH]
        assert sample(texts, np.array([1, 0], dtype=np.float32)) == "x" * MIN_LENGTH

    def test_no_texts(self):
        assert sample([], np.zeros(0, dtype=np.float32)) == ""
