from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.render.snapshot import STYLES, Hidden
from vclean.render.static.styles import resolve_styles

LOOKS = ["div", "b", "pre", "details", "details ;open", "summary", "dialog", "p style:no;", "p display:none;",
         "i ;hidden", "p visibility:hidden;", "em opacity:0;", "b display:Flex;;open"]  # fmt: skip


def styles_of(looks: list[str], parent: list[int], prop: str) -> list[str]:
    styles, style, _ = resolve_styles(looks, parent)
    return [styles.column(prop)[row] for row in style.tolist()]


def hidden_of(looks: list[str], parent: list[int]) -> list[int]:
    return resolve_styles(looks, parent)[2].tolist()


class TestResolve:
    def test_one_element(self) -> None:
        styles, style, hidden = resolve_styles(["html"], [-1])
        assert styles.names == STYLES
        assert [dict(zip(STYLES, row, strict=True))["display"] for row in styles.rows] == ["block"]
        assert (style.tolist(), hidden.tolist()) == ([0], [0])
        assert (style.dtype, hidden.dtype) == (np.int32, np.uint8)

    @pytest.mark.parametrize(
        ("prop", "expected"),
        [
            ("display", ["block", "block", "inline", "inline"]),
            ("font-weight", ["400", "700", "700", "700"]),
            ("font-style", ["normal", "normal", "italic", "italic"]),
            ("white-space", ["normal"] * 4),
            ("color", [""] * 4),
        ],
    )
    def test_what_a_tag_sets_its_content_inherits(self, prop: str, expected: list[str]) -> None:
        assert styles_of(["body", "h1", "i", "span"], [-1, 0, 1, 2], prop) == expected

    def test_siblings_inherit_from_their_parent_alone(self) -> None:
        assert styles_of(["p", "b", "span"], [-1, 0, 0], "font-weight") == ["400", "700", "400"]

    def test_equal_styles_share_a_row_though_one_is_hidden(self) -> None:
        """Opacity hides an element and leaves its style as it was."""
        styles, style, hidden = resolve_styles(["p", "p", "p opacity:0;"], [-1, 0, 0])
        assert len(styles.rows) == 1
        assert style.tolist() == [0, 0, 0]
        assert hidden.tolist() == [Hidden.NO, Hidden.NO, Hidden.OPACITY]

    def test_rows_stand_in_the_order_in_which_they_come(self) -> None:
        _, style, _ = resolve_styles(["p", "b", "i", "b", "p"], [-1, 0, 0, 0, 0])
        assert style.tolist() == [0, 1, 2, 1, 0]

    @pytest.mark.parametrize(
        ("look", "code"),
        [
            ("p ;hidden", Hidden.DISPLAY),
            ("p display: none;", Hidden.DISPLAY),
            ("p visibility:hidden;", Hidden.VISIBILITY),
            ("p opacity:0;", Hidden.OPACITY),
            ("p color:red;", Hidden.NO),
            ("p ;", Hidden.NO),
            ("template", Hidden.DISPLAY),
            ("dialog", Hidden.DISPLAY),
            ("dialog ;open", Hidden.NO),
        ],
    )
    def test_hidden_with_all_inside(self, look: str, code: Hidden) -> None:
        assert hidden_of(["body", look, "b", "i", "p"], [-1, 0, 1, 2, 0]) == [Hidden.NO, code, code, code, Hidden.NO]

    def test_the_own_reason_goes_before_that_of_an_ancestor(self) -> None:
        looks = ["body", "p opacity:0;", "b ;hidden", "i"]
        assert hidden_of(looks, [-1, 0, 1, 2]) == [Hidden.NO, Hidden.OPACITY, Hidden.DISPLAY, Hidden.DISPLAY]

    def test_of_what_is_closed_only_the_summary_is_seen(self) -> None:
        looks = ["body", "details", "summary", "b", "p"]
        assert hidden_of(looks, [-1, 0, 1, 2, 1]) == [0, 0, 0, 0, Hidden.DISPLAY]
        assert styles_of(looks, [-1, 0, 1, 2, 1], "display") == ["block", "block", "block", "inline", "none"]

    @given(st.lists(st.tuples(st.sampled_from(LOOKS), st.integers(1, 4)), max_size=30))
    def test_an_element_depends_on_the_way_to_it_alone(self, below: list[tuple[str, int]]) -> None:
        """Whatever else is on the page: its ancestors by themselves give it the same style."""
        looks, parent, path = ["body"], [-1], [0]
        for look, back in below:
            path = path[: max(1, len(path) + 1 - back)]
            looks.append(look)
            parent.append(path[-1])
            path.append(len(looks) - 1)
        styles, style, hidden = resolve_styles(looks, parent)
        alone, row, code = resolve_styles([looks[element] for element in path], list(range(-1, len(path) - 1)))
        assert [styles.rows[number] for number in style[path]] == [alone.rows[number] for number in row]
        assert hidden[path].tolist() == code.tolist()
