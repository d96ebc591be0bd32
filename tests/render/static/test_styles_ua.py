from __future__ import annotations

import pytest

from vclean.render.static import styles

SETS = (
    styles.BLOCK_TAGS,
    styles.BOLD_TAGS,
    styles.ITALIC_TAGS,
    styles.PREFORMATTED_TAGS,
    styles.SKIPPED_TAGS,
    styles.REPLACED_TAGS,
)


class TestDisplay:
    @pytest.mark.parametrize(
        ("tag", "display"),
        [
            ("p", "block"),
            ("li", "list-item"),
            ("td", "table-cell"),
            ("thead", "table-row-group"),
            ("button", "inline-block"),
            ("script", "none"),
        ],
    )
    def test_follows_the_standard(self, tag: str, display: str) -> None:
        assert styles.DISPLAY[tag] == display

    @pytest.mark.parametrize("tag", ["a", "b", "span", "img", "br", "label", "custom-element"])
    def test_omits_inline_tags(self, tag: str) -> None:
        assert tag not in styles.DISPLAY

    def test_has_no_duplicate_tags(self) -> None:
        all_tags = [tag for tags in styles._BY_DISPLAY.values() for tag in tags.split()]
        assert len(all_tags) == len(set(all_tags))


class TestSets:
    def test_contain_lower_case_names(self) -> None:
        assert all(tag == tag.lower() and tag.isalnum() for tags in SETS for tag in tags)

    def test_block_tags_exclude_inline_and_hidden_tags(self) -> None:
        assert not styles.BLOCK_TAGS & {"script", "head", "button", "input", "span", "a"}
        assert {"p", "li", "td", "option", "caption"} <= styles.BLOCK_TAGS

    def test_skipped_and_replaced_tags_are_disjoint(self) -> None:
        assert not styles.SKIPPED_TAGS & styles.REPLACED_TAGS

    def test_skipped_tags_are_not_displayed(self) -> None:
        assert {styles.DISPLAY[tag] for tag in styles.SKIPPED_TAGS} == {"none"}
