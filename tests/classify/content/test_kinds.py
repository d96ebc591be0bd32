from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.content import stacking
from vclean.classify.content.kinds import (
    KindRequest,
    block_kinds,
    kind_probability,
    kind_requests,
)
from vclean.errors import UsageError
from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.features.matrix import page_context
from vclean.labels import LEARNED_KINDS, Kind, Label
from vclean.settings import Policy

HTML = (
    "<h1>Ferries</h1><p>By Ann<p>Text.<blockquote><p>They said so.</blockquote><pre>x = 1</pre>"
    "<figure><img src=a.png><figcaption>A ferry</figcaption></figure><p class=wp-caption-text>Another</p>"
    "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
)


def probability(*kinds: Kind) -> np.ndarray:
    """Return rows that give each of the kinds .9."""
    rows = np.full((len(kinds), len(LEARNED_KINDS)), 0.1 / (len(LEARNED_KINDS) - 1), dtype=np.float32)
    rows[np.arange(len(kinds)), [LEARNED_KINDS.index(kind) for kind in kinds]] = 0.9
    return rows


class Trees:
    """Trees that predict fixed probabilities."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    def predict(self, x: np.ndarray) -> np.ndarray:
        return self.rows[: len(x)]


def requests(policy: Policy, rows: np.ndarray | None, blocks: BlockColumns) -> list[KindRequest]:
    x = np.zeros((len(blocks), len(stacking.COLUMNS)), dtype=np.float32)
    x[:, [column.name for column in stacking.COLUMNS].index("link_share")] = page_context(blocks).link_share
    return kind_requests(policy, None if rows is None else Trees(rows), x, blocks)


def predicted(rows: np.ndarray, blocks: BlockColumns, labels: list[Label]) -> list[Kind]:
    return block_kinds(Trees(rows), np.zeros((len(blocks), 1), dtype=np.float32), blocks, labels)


class TestBlockKinds:
    def test_elements_refine_body_text(self) -> None:
        blocks = extract_blocks(snapshot(HTML))
        learned = [Kind.TITLE, Kind.BYLINE, *[Kind.BODY] * (len(blocks) - 2)]
        kinds = predicted(probability(*learned), blocks, [Label.PARAGRAPH] * len(blocks))
        assert [str(kind) for kind in kinds] == [
            "title", "byline", "body", "quote", "code", "caption", "caption", "table", "table", "table", "table",
        ]  # fmt: skip

    def test_other_text_outside_the_content_is_not_refined(self) -> None:
        blocks = extract_blocks(snapshot("<pre>x = 1</pre>"))
        assert predicted(probability(Kind.OTHER), blocks, [Label.OTHER]) == [Kind.OTHER]
        assert predicted(probability(Kind.OTHER), blocks, [Label.PARAGRAPH]) == [Kind.CODE]

    def test_page_without_blocks(self) -> None:
        class NoTrees:
            pass

        assert kind_probability(NoTrees(), np.zeros((0, 3), dtype=np.float32)).shape == (0, len(LEARNED_KINDS))


class TestKindRequests:
    def test_captions(self) -> None:
        blocks = extract_blocks(snapshot(HTML))
        (request,) = requests(Policy(captions=False), probability(*[Kind.BODY] * len(blocks)), blocks)
        assert (request.name, request.include) == ("captions", False)
        assert [text for text, member in zip(blocks.text, request.members, strict=True) if member] == [
            "A ferry", "Another",
        ]  # fmt: skip

    def test_byline_is_next_to_the_title(self) -> None:
        blocks = extract_blocks(snapshot("<p>By Bob" + "<p>Teaser" * 12 + "<h1>Ferries</h1><p>By Ann"))
        kinds = [Kind.BYLINE, *[Kind.OTHER] * 12, Kind.TITLE, Kind.BYLINE]
        (request,) = requests(Policy(byline=True), probability(*kinds), blocks)
        assert request.members[0] == 0
        assert request.members[-1] > 0.9

    @pytest.mark.parametrize(
        ("links", "expected"),
        [
            ("<ul><li><a href=/a>A</a><li><a href=/b>B</a><li><a href=/c>C</a></ul>", True),
            ("<div><p><a href=/a>A</a><p><a href=/b>B</a> b<p><a href=/c>C</a></div>", True),
            ("<ul><li><a href=/a>A</a><li><a href=/b>B</a></ul><p><a href=/c>C</a>", False),
            ("<ul><li><a href=/a>A</a> is long<li><a href=/b>B</a> is long<li><a href=/c>C</a> too</ul>", False),
            ("<nav><ul><li><a href=/a>A</a><li><a href=/b>B</a><li><a href=/c>C</a></ul></nav>", False),
        ],
    )
    def test_lists_of_links_between_texts(self, links: str, expected: bool) -> None:
        blocks = extract_blocks(snapshot(f"{links}<p>Text.{links}<p>Text.{links}"))
        kinds = [Kind.BODY if text == "Text." else Kind.OTHER for text in blocks.text]
        (request,) = requests(Policy(lists=True), probability(*kinds), blocks)
        assert request.members.astype(bool).tolist() == [False] * 4 + [expected] * 3 + [False] * 4

    def test_no_lists_on_a_page_without_text(self) -> None:
        blocks = extract_blocks(snapshot("<ul><li><a href=/a>A</a><li><a href=/b>B</a><li><a href=/c>C</a></ul>"))
        (request,) = requests(Policy(lists=False), probability(*[Kind.OTHER] * 3), blocks)
        assert not request.members.any()

    def test_model_without_kinds(self) -> None:
        blocks = extract_blocks(snapshot("<p>One"))
        assert requests(Policy(), None, blocks) == []
        with pytest.raises(UsageError, match="knows no kinds"):
            requests(Policy(byline=True), None, blocks)
