from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.pages import result, snapshot

from vclean.errors import OutputError, UsageError
from vclean.output.reports import Review, review_entry

PAGE = "<h1>Rain</h1><p>It rained all day in the valley.</p><p>Home</p>"


def cleaned(name: str, confidence: float):
    return result(snapshot(PAGE), "hpo", id=name, confidence=confidence)


def listed(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]


class TestEntry:
    def test_names_the_page_and_counts_its_blocks_and_words(self) -> None:
        assert review_entry(cleaned("a", 0.61239)) == {
            "id": "a",
            "url": "https://example.org/dir/page.html",
            "confidence": 0.6124,
            "blocks": 3,
            "blocks_kept": 2,
            "blocks_in_doubt": 0,
            "words": 9,
            "words_kept": 8,
        }

    @pytest.mark.parametrize(("probability", "doubtful"), [(0.26, 1), (0.5, 1), (0.25, 0), (0.75, 0), (1.0, 0)])
    def test_blocks_in_doubt_have_medium_probability(self, probability: float, doubtful: int) -> None:
        page = cleaned("a", 0.5)
        changed = replace(page.prediction, probability=np.array([0.9, probability, 0.1], dtype=np.float32))
        unsure = replace(page, prediction=changed)
        assert review_entry(unsure)["blocks_in_doubt"] == doubtful

    def test_a_page_without_blocks(self) -> None:
        empty = result(snapshot("<p></p>"), "", id="a", confidence=0.0)
        assert {review_entry(empty)[name] for name in ("blocks", "blocks_kept", "words", "words_kept")} == {0}


class TestReview:
    def test_lowest_confidence_first_equal_ones_in_order(self, tmp_path: Path) -> None:
        review = Review(tmp_path / "look.jsonl", 0.8)
        for name, confidence in (("b", 0.7), ("fine", 0.8), ("a", 0.7), ("worst", 0.0), ("sure", 0.99)):
            review.add(cleaned(name, confidence))
        review.write()
        assert listed(tmp_path / "look.jsonl") == ["worst", "b", "a"]

    def test_no_page_gives_an_empty_file(self, tmp_path: Path) -> None:
        review = Review(tmp_path / "look.jsonl", 0.5)
        review.add(cleaned("sure", 0.9))
        review.write()
        assert (tmp_path / "look.jsonl").read_bytes() == b""

    def test_names_in_any_script_stay_readable(self, tmp_path: Path) -> None:
        review = Review(tmp_path / "look.jsonl", 0.5)
        review.add(cleaned("počasí.html", 0.1))
        review.write()
        assert "počasí.html" in (tmp_path / "look.jsonl").read_text(encoding="utf-8")

    def test_nothing_is_written_before_the_end(self, tmp_path: Path) -> None:
        (tmp_path / "look.jsonl").write_text("before")
        Review(tmp_path / "look.jsonl", 0.5).add(cleaned("a", 0.1))
        assert (tmp_path / "look.jsonl").read_text() == "before"

    def test_a_method_without_confidence_is_a_usage_error(self, tmp_path: Path) -> None:
        review = Review(tmp_path / "look.jsonl", 0.5)
        with pytest.raises(UsageError, match="the method bte gives none"):
            review.add(replace(cleaned("a", float("nan")), method="bte"))

    def test_fails_early_if_file_cannot_be_written(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="it is a folder"):
            Review(tmp_path, 0.5)
