from __future__ import annotations

import pickle

import numpy as np
import pytest
from helpers.pages import snapshot

import vclean
from vclean.classify.content.postprocess import block_kinds, requested_kinds
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import page_context
from vclean.labels import Kind, Label
from vclean.settings import Policy

HTML = (
    "<h1>Ferries</h1><p>By Ann<p>Text.<blockquote><p>They said so.</blockquote><pre>x = 1</pre>"
    "<figure><img src=a.png><figcaption>A ferry</figcaption></figure><p class=wp-caption-text>Another</p>"
    "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
)


class TestBlockKinds:
    def test_facts_then_elements_then_labels(self) -> None:
        blocks = extract_blocks(snapshot(HTML))
        facts = {Kind.POST: [2, 3], Kind.ITEM: [7], Kind.BYLINE: [1], Kind.TITLE: [0]}
        kinds = block_kinds(blocks, [Label.PARAGRAPH] * len(blocks), facts)
        assert [str(kind) for kind in kinds] == [
            "title", "byline", "post", "quote", "code", "caption", "caption", "item", "table", "table", "table",
        ]  # fmt: skip

    def test_elements_outside_the_content(self) -> None:
        blocks = extract_blocks(snapshot("<pre>x = 1</pre>"))
        assert block_kinds(blocks, [Label.OTHER], {}) == [Kind.OTHER]
        assert block_kinds(blocks, [Label.PARAGRAPH], {}) == [Kind.CODE]

    def test_kinds_of_a_result(self) -> None:
        said = "<p>So true, and it will rain on all of the other days of this month as well.</p>"
        notes = "".join(f"<div><b class=author>{name}</b> 2 May 2024{said}</div>" for name in ("Bo", "Cleo", "Dale"))
        result = vclean.clean(
            "<meta name=author content='Ann Lee'><article><h1>Rain in the valley</h1><p class=byline>By Ann Lee</p>"
            f"<time datetime=2024-05-01>1 May 2024</time><p>{'It rained in the valley. ' * 60}</p></article>"
            f"<div id=comments>{notes}</div>"
        )
        kinds = {block.text: str(block.kind) for block in result.blocks}
        assert [kinds[text] for text in ("Rain in the valley", "By Ann Lee", "1 May 2024")] == [
            "title", "byline", "date",
        ]  # fmt: skip
        assert list(kinds.values()).count("body") == 1
        assert [block.kind for block in pickle.loads(pickle.dumps(list(result.blocks)))] == list(result.kinds)
        assert kinds["So true, and it will rain on all of the other days of this month as well."] == "comment"


def request(html: str, policy: Policy, texts: tuple[str, ...] = ()) -> tuple[str, list[bool], list[str]]:
    """Return the kind that a policy requests, its blocks and their texts; blocks with `texts` are likely content."""
    context = page_context(extract_blocks(snapshot(html)))
    probability = np.array([text in texts for text in context.blocks.text], dtype=np.float32)
    ((name, members),) = requested_kinds(policy, context, None, probability).items()
    rows = members.tolist()
    return name, rows, [text for text, member in zip(context.blocks.text, rows, strict=True) if member]


class TestRequestedKinds:
    def test_only_captions(self) -> None:
        name, _, texts = request(HTML, Policy(captions=False))
        assert (name, texts) == ("captions", ["A ferry", "Another"])

    def test_byline_is_near_the_headline(self) -> None:
        teasers = "<p>By Ann Lee" + "<p>Teaser" * 12
        long = "<p>By Ann Lee, who says that it rained " + "all of the day and " * 12
        head = "<meta name=author content='Ann Lee'><title>Rain in the valley</title>"
        html = f"{head}{teasers}<h1>Rain in the valley</h1><p class=byline>By Ann Lee<p>It rained.{long}"
        _, members, texts = request(html, Policy(byline=True))
        assert texts == ["By Ann Lee"]
        assert not members[0]

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
        _, members, _ = request(f"{links}<p>Text.{links}<p>Text.{links}", Policy(lists=True), ("Text.",))
        assert members == [False] * 4 + [expected] * 3 + [False] * 4

    def test_no_lists_on_a_page_without_text(self) -> None:
        html = "<ul><li><a href=/a>A</a><li><a href=/b>B</a><li><a href=/c>C</a></ul>"
        assert request(html, Policy(lists=False))[2] == []
