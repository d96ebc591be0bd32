from __future__ import annotations

import pytest

from vclean.classify.explain.phrases import fill_template, format_count, format_percent


class TestFormatCount:
    @pytest.mark.parametrize(
        ("number", "text"),
        [(0, "no words"), (1, "1 word"), (1.2, "1 word"), (2, "2 words"), (1500, "1,500 words")],
    )
    def test_noun_agrees_with_number(self, number: float, text: str) -> None:
        assert format_count(number, "word") == text

    def test_other_plural(self) -> None:
        assert format_count(2, "child", "ren") == "2 children"


class TestFormatPercent:
    @pytest.mark.parametrize(
        ("share", "text"),
        [(0, "0 %"), (0.001, "under 1 %"), (0.5, "50 %"), (0.999, "over 99 %"), (1, "100 %"), (1.5, "150 %")],
    )
    def test_rounds_only_exact_shares_to_0_and_100(self, share: float, text: str) -> None:
        assert format_percent(share) == text


class TestFillTemplate:
    @pytest.mark.parametrize(
        ("template", "value", "text"),
        [
            ("{number} words", 3.0, "3 words"),
            ("{number} words", 3.14, "3.1 words"),
            ("{number} words", 31.4, "31 words"),
            ("{percent} off", -0.2, "20 % off"),
            ("{px} high", 1200.4, "1,200 px high"),
            ("{levels} it", 0, "as deep as it"),
            ("{levels} it", 1, "1 level deeper than it"),
            ("{length:word}", 300, "300 words (long)"),
        ],
    )
    def test_replaces_the_placeholder(self, template: str, value: float, text: str) -> None:
        assert fill_template(template, value) == text
