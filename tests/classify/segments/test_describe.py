"""Test segmentation methods by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.painted import painted

from vclean.classify.prediction import Prediction
from vclean.classify.segments.model import describe, get, load
from vclean.errors import ModelError, UsageError
from vclean.features.blocks import extract_blocks
from vclean.features.segments.segments import Segments
from vclean.features.segments.vips import segment
from vclean.labels import Label, Role


class TestGet:
    def test_learned(self) -> None:
        """Check that the shipped model is used; a page with one element is one segment."""
        page_segments = get("learned")(painted('<body title="0 0 9 9"><p>One</p></body>'))
        assert (page_segments.method, len(page_segments)) == ("learned", 1)

    def test_rejects_unknown_names_and_missing_files(self) -> None:
        with pytest.raises(UsageError, match="no segmentation method 'page': choose one of vips, learned"):
            get("page")
        with pytest.raises(ModelError, match=r"cannot read the model none\.vclean"):
            get("none.vclean")


class TestFiles:
    def test_file_of_a_trained_segmenter(self, tmp_path: Path) -> None:
        path = tmp_path / "trained.vclean"
        path.write_bytes(load().to_bytes())
        assert get(str(path)).card == load().card


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

    @pytest.mark.parametrize(
        ("roles", "column", "aside", "page"),
        [
            ([Role.ARTICLE, Role.LINKS, Role.AD], Role.ARTICLE, Role.AD, Role.ARTICLE),
            ([None, Role.LINKS, Role.AD], None, Role.AD, None),
            ([], None, None, None),
        ],
    )
    def test_role_of_half_of_the_words(self, roles: list[Role | None], column, aside, page) -> None:
        segments, whole = described(HTML, "ppp", roles)
        by_text = {segments.segment_text(row): role for row, role in enumerate(segments.roles)}
        assert (by_text["one two three four"], by_text["five six"], whole.roles) == (column, aside, (page,))

    def test_page_without_text(self) -> None:
        _, page = described("<p></p>", "", [])
        assert np.isnan(page.content_share).all()
        assert page.roles == (None,)
