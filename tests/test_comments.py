from __future__ import annotations

import numpy as np
import pytest
from helpers import snapshot

from vclean.classify.comments import among_comments, called_comments
from vclean.features import matrix
from vclean.features.blocks import cut
from vclean.features.region_blocks import CLASSES, NONE
from vclean.features.view import View
from vclean.roles import Role

ARTICLE = "<div><h1>The ferry</h1><p>The river rose in the night, and nobody minded.</div>"
SAID = "<p>Nice.<p>I minded."


def called(html: str) -> str:
    """One sign a block: c where it is among comments."""
    return "".join("c" if flag else "-" for flag in called_comments(View(cut(snapshot(html)))))


class TestCalledComments:
    @pytest.mark.parametrize(
        "attribute", ["id=comments", "class=comment-list", "id=disqus_thread", "class=wpComments", "class=Kommentare"]
    )
    def test_by_class_or_id(self, attribute: str) -> None:
        assert called(f"{ARTICLE}<div {attribute}>{SAID}</div><p>Imprint") == "--cc-"

    def test_any_element_round_the_block(self) -> None:
        assert called(f"{ARTICLE}<div class=comments><div><div>{SAID}</div></div></div>") == "--cc"

    def test_a_theme_s_word_on_the_body(self) -> None:
        assert called(f"<body class=comments-open>{ARTICLE}{SAID}") == "----"

    def test_what_holds_the_heading(self) -> None:
        assert called(f"<div class=has-comments>{ARTICLE}{SAID}</div><p>{'Imprint ' * 9}") == "-----"

    @pytest.mark.parametrize("html", [ARTICLE, f"{ARTICLE}<div class=commerce>{SAID}</div>"])
    def test_no_comments(self, html: str) -> None:
        assert "c" not in called(html)

    def test_no_blocks(self) -> None:
        assert called("<div class=comments></div>") == ""


class TestAmongComments:
    HTML = f"{ARTICLE}<div id=comments>{SAID}</div><div>{SAID}</div>"

    def test_names_alone(self) -> None:
        found = among_comments(matrix.extract(cut(snapshot(self.HTML))), None)
        np.testing.assert_array_equal(found, [0, 0, 1, 1, 0, 0])
        assert found.dtype == np.float32

    def test_the_region_model_adds_to_them(self) -> None:
        features = matrix.extract(cut(snapshot(self.HTML)))
        posterior = np.zeros((len(features.region), CLASSES), dtype=np.float32)
        posterior[:, NONE] = 1
        where = features.region_layout
        last = where.parent[where.block_region[-1]]
        posterior[last, list(Role).index(Role.COMMENTS)] = 0.75
        found = among_comments(features, posterior)
        np.testing.assert_array_equal(found, [0, 0, 1, 1, 0.75, 0.75])

    def test_no_blocks(self) -> None:
        features = matrix.extract(cut(snapshot("<p>")))
        assert among_comments(features, np.zeros((0, CLASSES), dtype=np.float32)).shape == (0,)
