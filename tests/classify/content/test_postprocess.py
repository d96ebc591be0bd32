from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.postprocess import DROP_SHARE, KEEP_SHARE, block_groups, smooth_groups
from vclean.features.blocks import extract_blocks

GRID = "<tr><td>a<td>b<tr><td>c<td>d"


def tags(html: str) -> list[str]:
    """The tag of the group of every block, empty for none."""
    page = snapshot(html)
    return [page.tags[page.tag[group]] if group >= 0 else "" for group in block_groups(extract_blocks(page)).tolist()]


def smoothed(keep: str, group: list[int], words: list[float] | None = None) -> str:
    """`keep` and what becomes of it as strings: `+` is kept, `-` is not."""
    chosen = np.array([sign == "+" for sign in keep], dtype=bool)
    weight = np.array(words or [1] * len(keep), dtype=np.float32)
    found = smooth_groups(chosen, weight, np.array(group, dtype=np.int32))
    return "".join("+" if kept else "-" for kept in found.tolist())


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
            ("<table><tr><td>a<td>b<tr><td>c<td>" + "<p>d" * 10 + "</table>", [""] * 13),
        ],
    )
    def test_innermost(self, html: str, expected: list[str]) -> None:
        assert tags(html) == expected

    def test_two_lists_are_two_groups(self) -> None:
        found = block_groups(extract_blocks(snapshot("<ul><li>a</ul><ul><li>b</ul>")))
        assert found[0] != found[1]
        assert found.dtype == np.int32

    def test_no_blocks(self) -> None:
        assert block_groups(extract_blocks(snapshot("<p>"))).tolist() == []


class TestSmooth:
    def test_mostly_kept_is_kept(self) -> None:
        assert smoothed("+++-", [7, 7, 7, 7]) == "++++"

    def test_mostly_dropped_is_dropped(self) -> None:
        assert smoothed("+-------", [7] * 8) == "--------"

    def test_between_the_two_nothing_changes(self) -> None:
        assert smoothed("+-+-", [7] * 4) == "+-+-"

    def test_words_count(self) -> None:
        assert smoothed("+-", [7, 7], [9, 1]) == "++"
        assert smoothed("+-", [7, 7], [1, 9]) == "--"

    def test_blocks_without_words_count_as_one_word(self) -> None:
        assert smoothed("---+", [7] * 4, [0, 0, 0, 0]) == "---+"

    def test_groups_are_apart_and_need_not_be_together(self) -> None:
        assert smoothed("++-++-", [3, 5, 5, 3, 3, 3]) == "++-+++"

    def test_blocks_in_no_group_stay(self) -> None:
        assert smoothed("+++-", [-1] * 4) == "+++-"
        assert smoothed("", []) == ""

    def test_the_argument_is_left_alone(self) -> None:
        keep = np.array([True, True, True, False])
        smooth_groups(keep, np.ones(4, dtype=np.float32), np.zeros(4, dtype=np.int32))
        assert keep.tolist() == [True, True, True, False]

    @given(st.lists(st.tuples(st.booleans(), st.integers(-1, 3), st.integers(0, 50)), max_size=12))
    def test_every_group_is_whole_or_as_it_was(self, rows: list[tuple[bool, int, int]]) -> None:
        keep = np.array([row[0] for row in rows], dtype=bool)
        group = np.array([row[1] for row in rows], dtype=np.int32)
        words = np.array([row[2] for row in rows], dtype=np.float32)
        found = smooth_groups(keep, words, group)
        assert (found == keep)[group < 0].all()
        for number in set(group[group >= 0].tolist()):
            inside, weight = group == number, np.maximum(words, 1)
            share = weight[inside & keep].sum() / weight[inside].sum()
            assert share <= DROP_SHARE or share >= KEEP_SHARE or (found == keep)[inside].all()
            assert DROP_SHARE < share < KEEP_SHARE or len(set(found[inside].tolist())) == 1
