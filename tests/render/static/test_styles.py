from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.render.snapshot import STYLES, Hidden
from vclean.render.static.styles import resolve_styles

LOOKS = ["div", "b", "pre", "details", "details ;open", "summary", "dialog", "p style:no;", "p display:none;",
         "i ;hidden", "p visibility:hidden;", "em opacity:0;", "b display:Flex;;open"]  # fmt: skip


def styles_of(style_keys: list[str], parent: list[int], prop: str) -> list[str]:
    styles, style, *_ = resolve_styles(style_keys, parent)
    return [styles.column(prop)[row] for row in style.tolist()]


def hidden_of(style_keys: list[str], parent: list[int]) -> list[int]:
    return resolve_styles(style_keys, parent)[2].tolist()


class TestResolve:
    def test_resolves_one_element(self) -> None:
        styles, style, hidden, _ = resolve_styles(["html"], [-1])
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
    def test_inherits_styles_of_tags(self, prop: str, expected: list[str]) -> None:
        assert styles_of(["body", "h1", "i", "span"], [-1, 0, 1, 2], prop) == expected

    def test_does_not_inherit_from_siblings(self) -> None:
        assert styles_of(["p", "b", "span"], [-1, 0, 0], "font-weight") == ["400", "700", "400"]

    def test_shares_row_with_hidden_element(self) -> None:
        # Opacity hides an element, but does not change the stored style.
        styles, style, hidden, _ = resolve_styles(["p", "p", "p opacity:0;"], [-1, 0, 0])
        assert len(styles.rows) == 1
        assert style.tolist() == [0, 0, 0]
        assert hidden.tolist() == [Hidden.NO, Hidden.NO, Hidden.OPACITY]

    def test_sorts_rows_by_first_use(self) -> None:
        _, style, *_ = resolve_styles(["p", "b", "i", "b", "p"], [-1, 0, 0, 0, 0])
        assert style.tolist() == [0, 1, 2, 1, 0]

    @pytest.mark.parametrize(
        ("style_key", "code"),
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
    def test_hides_descendants(self, style_key: str, code: Hidden) -> None:
        assert hidden_of(["body", style_key, "b", "i", "p"], [-1, 0, 1, 2, 0]) == [
            Hidden.NO,
            code,
            code,
            code,
            Hidden.NO,
        ]

    @pytest.mark.parametrize(
        ("style_keys", "codes"),
        [
            (["div visibility:hidden;", "p visibility:visible;", "b"], [Hidden.VISIBILITY, 0, 0]),
            (["div font-size:0;", "p", "b font-size:14px;"], [Hidden.FONT_SIZE, Hidden.FONT_SIZE, 0]),
            (["div opacity:0;", "p visibility:visible;", "b"], [Hidden.OPACITY] * 3),
            (["div display:block;;hidden", "p", "b ;popover"], [0, 0, Hidden.DISPLAY]),
            (["div display:block;;popover", "details display:none;", "b"], [0, Hidden.DISPLAY, Hidden.DISPLAY]),
            (["body height:0;overflow:hidden;", "p", "b"], [0, 0, 0]),
        ],
    )
    def test_texts_of_nested_elements(self, style_keys: list[str], codes: list[int]) -> None:
        assert resolve_styles(style_keys, [-1, 0, 1])[3].tolist() == codes

    def test_small_letters_do_not_hide_elements(self) -> None:
        assert hidden_of(["div font-size:0;", "img"], [-1, 0]) == [Hidden.NO, Hidden.NO]

    def test_prefers_reason_of_the_element(self) -> None:
        style_keys = ["body", "p opacity:0;", "b ;hidden", "i"]
        assert hidden_of(style_keys, [-1, 0, 1, 2]) == [Hidden.NO, Hidden.OPACITY, Hidden.DISPLAY, Hidden.DISPLAY]

    def test_shows_only_summary_of_closed_details(self) -> None:
        style_keys = ["body", "details", "summary", "b", "p"]
        assert hidden_of(style_keys, [-1, 0, 1, 2, 1]) == [0, 0, 0, 0, Hidden.DISPLAY]
        assert styles_of(style_keys, [-1, 0, 1, 2, 1], "display") == ["block", "block", "block", "inline", "none"]

    @given(st.lists(st.tuples(st.sampled_from(LOOKS), st.integers(1, 4)), max_size=30))
    def test_depends_only_on_ancestors(self, below: list[tuple[str, int]]) -> None:
        # The ancestors alone, without the rest of the page, lead to the same style.
        style_keys, parent, path = ["body"], [-1], [0]
        for style_key, back in below:
            path = path[: max(1, len(path) + 1 - back)]
            style_keys.append(style_key)
            parent.append(path[-1])
            path.append(len(style_keys) - 1)
        styles, style, hidden, _ = resolve_styles(style_keys, parent)
        alone, row, code, _ = resolve_styles([style_keys[element] for element in path], list(range(-1, len(path) - 1)))
        assert [styles.rows[number] for number in style[path]] == [alone.rows[number] for number in row]
        assert hidden[path].tolist() == code.tolist()
