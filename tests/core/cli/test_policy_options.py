"""Options for what counts as content: `--for`, `--comments`, `--captions`, `--byline`, `--lists`."""

from __future__ import annotations

import pytest

from vclean.cli.options import take_policy
from vclean.errors import UsageError
from vclean.settings import Policy

VALUES = {
    "recall": False, "precision": False, "hidden": "revealable", "title": "in", "purpose": "article", "comments": None,
    "captions": None, "byline": None, "lists": None, "images": "in",
}  # fmt: skip


class TestTakePolicy:
    def test_default(self) -> None:
        assert take_policy(dict(VALUES)) == Policy()

    def test_purposes(self) -> None:
        assert take_policy({**VALUES, "purpose": "corpus"}) == Policy(convention="cleaneval")
        everything = take_policy({**VALUES, "purpose": "everything"})
        assert everything.comments is everything.captions is everything.byline is everything.lists is True
        assert everything.recall_weight == 4

    def test_options_override_the_purpose(self) -> None:
        policy = take_policy({**VALUES, "purpose": "everything", "comments": "out", "precision": True})
        assert policy.comments is False
        assert policy.recall_weight == 0.25

    def test_values_are_removed(self) -> None:
        values = {**VALUES, "render": True}
        take_policy(values)
        assert values == {"render": True}


class TestPolicy:
    @pytest.mark.parametrize("name", ["comments", "captions", "byline", "lists"])
    def test_wrong_value(self, name: str) -> None:
        with pytest.raises(UsageError, match=f"{name} has to be True, False or None"):
            Policy(**{name: "in"})

    def test_unknown_purpose(self) -> None:
        with pytest.raises(UsageError, match="choose one of article, corpus, everything"):
            Policy.for_purpose("search")
