"""Parts of posts: dates, controls."""

from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.facts.posts import find_date_texts, is_action


class TestFindDateTexts:
    def test_time_elements(self):
        blocks = extract_blocks(snapshot("<p><time>noon</time>"))
        assert find_date_texts(blocks, "en").tolist() == [True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Reply", True),
        ("Like 3 Reply", True),
        ("转发 12 评论 3", True),
        ("Antworten", True),
        ("Reply to the mayor", False),
    ],
)
def test_is_action(text, expected):
    assert is_action(text) is expected
