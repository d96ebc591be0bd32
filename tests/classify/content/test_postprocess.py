from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.postprocess import DROP_SHARE, KEEP_SHARE, SURE, block_groups, smooth_alike, smooth_groups
from vclean.features.blocks import extract_blocks

GRID = "<tr><td>a<td>b<tr><td>c<td>d"


def tags(html: str) -> list[str]:
    """Return the tag of the group of each block, or an empty string."""
    page = snapshot(html)
    return [page.tags[page.tag[group]] if group >= 0 else "" for group in block_groups(extract_blocks(page)).tolist()]


def smoothed(keep: str, group: list[int], words: list[float] | None = None, probability: float = 0) -> str:
    """Apply `smooth_groups` to a string: `+` is a selected block, `-` is not; all blocks have one probability."""
    chosen = np.array([sign == "+" for sign in keep], dtype=bool)
    weight = np.array(words or [1] * len(keep), dtype=np.float32)
    probabilities = np.full(len(keep), probability, dtype=np.float32)
    smoothed = smooth_groups(chosen, probabilities, weight, np.array(group, dtype=np.int32))
    return "".join("+" if selected else "-" for selected in smoothed.tolist())


class TestGroups:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p>a<ul><li>b<li>c</ul><p>d", ["", "ul", "ul", ""]),
            ("<ol><li>a<ul><li>b</ul></ol>", ["ol", "ul"]),
            ("<dl><dt>a<dd>b</dl>", ["dl", "dl"]),
            ("<pre><div>a</div><div>b</div></pre>", ["pre", "pre"]),
            (f"<table>{GRID}</table>", ["table"] * 4),
            ("<table><tr><td>a<td>b</table>", ["", ""]),
            ("<table><tr><td>a<tr><td>b</table>", ["", ""]),
            (f"<table><tr><td>x<td>y<tr><td>z<td><table>{GRID}</table></table>", ["", "", "", *["table"] * 4]),
            ("<table><tr><td>a<td>b<tr><td>c<td>" + "<p>d" * 9 + "</table>", ["table"] * 12),
            ("<table><tr><td>a<td>b<tr><td>c<td>" + "<p>d" * 10 + "</table>", [""] * 13),
            ("<ul><li>a" + "<li>" + "<p>b" * 5 + "</ul>", ["ul"] * 6),
            ("<ul><li>a" + "<li>" + "<p>b" * 6 + "</ul>", [""] * 7),
            ("<ul><li>" + "<p>a" * 4 + "<ol><li>b</ol></ul>", [""] * 4 + ["ol"]),
        ],
    )
    def test_finds_innermost_groups(self, html: str, expected: list[str]) -> None:
        assert tags(html) == expected


class TestSmoothGroups:
    def test_drops_mostly_unselected_groups(self) -> None:
        assert smoothed("+-------", [7] * 8) == "--------"

    def test_weighs_blocks_by_words(self) -> None:
        assert smoothed("+-", [7, 7], [9, 1]) == "++"
        assert smoothed("+-", [7, 7], [1, 9]) == "--"

    @pytest.mark.parametrize(
        ("keep", "probability", "expected"),
        [("+---+", 0.6, "+++++"), ("+-+-+", 0.6, "+++++"), ("+---+", 0.4, "+---+"), ("----+", 0.6, "----+"),
         ("+----", 0.6, "+----")],
        ids=["dropped", "mixed", "improbable", "none before", "none after"],
    )  # fmt: skip
    def test_keeps_probable_groups_between_kept_blocks(self, keep: str, probability: float, expected: str) -> None:
        assert smoothed(keep, [-1, 7, 7, 7, -1], probability=probability) == expected

    def test_leaves_blocks_without_group(self) -> None:
        assert smoothed("+++-", [-1] * 4) == "+++-"
        assert smoothed("", []) == ""

    @given(st.lists(st.tuples(st.booleans(), st.integers(-1, 3), st.integers(0, 50)), max_size=12))
    def test_groups_are_uniform_or_unchanged(self, rows: list[tuple[bool, int, int]]) -> None:
        keep = np.array([row[0] for row in rows], dtype=bool)
        group = np.array([row[1] for row in rows], dtype=np.int32)
        words = np.array([row[2] for row in rows], dtype=np.float32)
        smoothed = smooth_groups(keep, np.zeros(len(rows), dtype=np.float32), words, group)
        assert (smoothed == keep)[group < 0].all()
        for number in set(group[group >= 0].tolist()):
            inside, weight = group == number, np.maximum(words, 1)
            share = weight[inside & keep].sum() / weight[inside].sum()
            assert share <= DROP_SHARE or share >= KEEP_SHARE or (smoothed == keep)[inside].all()
            assert DROP_SHARE < share < KEEP_SHARE or len(set(smoothed[inside].tolist())) == 1


class TestSmoothAlike:
    @staticmethod
    def smoothed(probability: list[float], alike: list[int], words: list[float] | None = None) -> list[float]:
        weight = np.array(words or [9] * len(alike), dtype=np.float32)
        return smooth_alike(np.array(probability, dtype=np.float32), np.array(alike, dtype=np.int32), weight).tolist()

    def test_moves_blocks_alike_to_their_mean(self) -> None:
        first, alone, second = self.smoothed([0.8, 0.7, 0.2], [0, 1, 0])
        assert (round(first, 3), round(alone, 3), round(second, 3)) == (0.569, 0.7, 0.431)

    def test_weighs_words_by_their_root(self) -> None:
        long, short = self.smoothed([0.8, 0.2], [0, 0], [1600, 1])
        assert 0.5 < short < long < 0.8
        assert self.smoothed([0.8, 0.2], [0, 0], [1600, 1]) == self.smoothed([0.8, 0.2], [0, 0], [200, 0])

    def test_sure_blocks_keep_their_probability(self) -> None:
        """Move the second block alone, to the mean of all three."""
        first, second, third = self.smoothed([0.99, 0.5, 1], [0, 0, 0])
        assert (first, third) == (pytest.approx(0.99), 1)
        assert second > 1 / (1 + np.exp(-SURE))

    def test_leaves_blocks_without_others(self) -> None:
        assert self.smoothed([0.25, 0.75], [0, 1]) == [0.25, 0.75]
        assert self.smoothed([], []) == []
