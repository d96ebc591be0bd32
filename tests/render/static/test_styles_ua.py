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
    def test_as_the_standard_says(self, tag: str, display: str) -> None:
        assert styles.DISPLAY[tag] == display

    @pytest.mark.parametrize("tag", ["a", "b", "span", "img", "br", "label", "custom-element"])
    def test_the_rest_is_inline(self, tag: str) -> None:
        assert tag not in styles.DISPLAY

    def test_no_tag_is_named_twice(self) -> None:
        named = [tag for tags in styles._BY_DISPLAY.values() for tag in tags.split()]
        assert len(named) == len(set(named))


class TestSets:
    def test_tags_are_lower_case_names(self) -> None:
        assert all(tag == tag.lower() and tag.isalnum() for tags in SETS for tag in tags)

    def test_what_is_not_shown_or_flows_in_the_line_ends_no_line(self) -> None:
        assert not styles.BLOCK_TAGS & {"script", "head", "button", "input", "span", "a"}
        assert {"p", "li", "td", "option", "caption"} <= styles.BLOCK_TAGS

    def test_nothing_is_left_out_and_replaced(self) -> None:
        assert not styles.SKIPPED_TAGS & styles.REPLACED_TAGS

    def test_what_is_left_out_is_not_displayed(self) -> None:
        assert {styles.DISPLAY[tag] for tag in styles.SKIPPED_TAGS} == {"none"}
