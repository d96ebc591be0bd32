from __future__ import annotations

from dataclasses import replace

import numpy as np
from helpers.painted import painted

from vclean.classify.prediction import Prediction
from vclean.classify.segments.description import describe
from vclean.features.blocks import extract_blocks
from vclean.features.segments.segments import Segments
from vclean.features.segments.vips.algorithm import segment
from vclean.labels import Label, Role

HTML = (
    "<div title='0 0 400 300'><p title='0 0 400 100'>one two three<p title='0 200 400 100'>four</div>"
    "<div title='500 0 500 300'>five six</div>"
)


def described(html: str, labels: str, roles: list[Role | None]) -> tuple[Segments, Segments]:
    """Return the segments of a page with blocks of these labels and roles: all of them, and the whole page."""
    segments = segment(painted(html))
    blocks = extract_blocks(segments.snapshot)
    probability = np.full(len(labels), 0.5, dtype=np.float32)
    result = describe(segments, blocks, Prediction([Label(label) for label in labels], probability, 0.5, roles=roles))
    return result, result.at(1)


class TestDescribe:
    def test_share_of_content_words(self) -> None:
        segments, page = described(HTML, "poo", [])
        shares = {segments.segment_text(row): share for row, share in enumerate(segments.content_share.tolist())}
        assert shares["one two three"] == 1
        assert shares["one two three four"] == 0.75
        assert shares["five six"] == 0
        assert page.content_share.tolist() == [0.5]

    def test_role_of_half_of_the_words(self) -> None:
        segments, page = described(HTML, "ppp", [Role.ARTICLE, Role.LINKS, Role.AD])
        roles = {segments.segment_text(row): role for row, role in enumerate(segments.roles)}
        assert roles["one two three four"] is Role.ARTICLE
        assert roles["five six"] is Role.AD
        assert page.roles == (Role.ARTICLE,)

    def test_no_role_without_half_of_the_words(self) -> None:
        _, page = described(HTML, "ppp", [None, Role.LINKS, Role.AD])
        assert page.roles == (None,)

    def test_methods_without_roles(self) -> None:
        segments, _ = described(HTML, "ppp", [])
        assert set(segments.roles) == {None}

    def test_page_without_text(self) -> None:
        _, page = described("<p></p>", "", [])
        assert np.isnan(page.content_share).all()
        assert page.roles == (None,)

    def test_changes_nothing_else(self) -> None:
        segments, _ = described(HTML, "ppp", [])
        bare = replace(segments, roles=(), content_share=np.zeros(0, dtype=np.float32))
        assert [one.segment_text(0) for one in (bare, segments)] == ["one two three four five six"] * 2
        assert bare.parent is segments.parent
