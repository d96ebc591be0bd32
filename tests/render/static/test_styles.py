from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.render.snapshot import STYLES, Hidden, Snapshot, subtree_ends
from vclean.render.static import styles
from vclean.render.static.styles import with_styles

LOOKS = ["div", "b", "pre", "details", "details ;open", "summary", "dialog", "p style:no;", "p display:none;",
         "i ;hidden", "p visibility:hidden;", "em opacity:0;", "b display:Flex;;open"]  # fmt: skip


def resolve(style_keys: list[str], parents: list[int]) -> Snapshot:
    """Return elements with a text each, given by their tags and, after a space, their declarations."""
    keys = [style_key.partition(" ") for style_key in style_keys]
    tags = list(dict.fromkeys(tag for tag, _, _ in keys))
    parent = np.array(parents, dtype=np.int32)
    tag = np.array([tags.index(tag) for tag, _, _ in keys], dtype=np.int32)
    declared = {node: declarations for node, (_, space, declarations) in enumerate(keys) if space}
    tree = replace(snapshot("<p>"), tags=tuple(tags), tag=tag, parent=parent, end=subtree_ends(parent))
    return with_styles(replace(tree, text_parent=np.arange(len(tag), dtype=np.int32)), declared)


def styles_of(style_keys: list[str], parent: list[int], prop: str) -> list[str]:
    page = resolve(style_keys, parent)
    return [page.styles.column(prop)[row] for row in page.style.tolist()]


def hidden_of(style_keys: list[str], parent: list[int]) -> list[int]:
    return resolve(style_keys, parent).hidden.tolist()


class TestResolve:
    def test_resolves_one_element(self) -> None:
        page = resolve(["html"], [-1])
        assert page.styles.names == STYLES
        assert page.styles.column("display") == ("block",)
        assert (page.style.tolist(), page.hidden.tolist()) == ([0], [0])
        assert (page.style.dtype, page.hidden.dtype) == (np.int32, np.uint8)

    def test_does_not_inherit_from_siblings(self) -> None:
        assert styles_of(["p", "b", "span"], [-1, 0, 0], "font-weight") == ["400", "700", "400"]

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
        page = resolve(style_keys, parent)
        alone = resolve([style_keys[element] for element in path], list(range(-1, len(path) - 1)))
        rows = [alone.styles.rows[row] for row in alone.style]
        assert [page.styles.rows[row] for row in page.style[path]] == rows
        assert page.hidden[path].tolist() == alone.hidden.tolist()

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
        assert resolve(style_keys, [-1, 0, 1]).text_hidden.tolist() == codes


@pytest.mark.parametrize(
    ("tag", "display"),
    [
        ("p", "block"),
        ("li", "list-item"),
        ("td", "table-cell"),
        ("thead", "table-row-group"),
        ("button", "inline-block"),
        ("script", "none"),
        *((tag, "inline") for tag in ("a", "b", "span", "img", "br", "label", "custom-element")),
    ],
)
def test_display_follows_the_standard(tag: str, display: str) -> None:
    assert styles.DISPLAY.get(tag, "inline") == display
    assert (tag in styles.BLOCK_TAGS) == (display not in ("none", "inline", "inline-block"))


def test_sets_of_tags_are_consistent() -> None:
    all_tags = [tag for tags in styles._BY_DISPLAY.values() for tag in tags.split()]
    assert len(all_tags) == len(set(all_tags))
    assert not styles.SKIPPED_TAGS & styles.REPLACED_TAGS
    assert {styles.DISPLAY[tag] for tag in styles.SKIPPED_TAGS} == {"none"}
