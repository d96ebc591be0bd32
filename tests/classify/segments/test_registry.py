"""Tests of the ways to cut a page, by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.painted import painted

from vclean.classify.segments.model import load_default
from vclean.classify.segments.registry import get
from vclean.errors import ModelError, UsageError
from vclean.features.segments.vips import algorithm


class TestGet:
    def test_vips(self) -> None:
        assert get("vips") is algorithm.segment

    def test_learned(self) -> None:
        """The shipped model cuts; a page with nothing to cut is one segment."""
        found = get("learned")(painted('<body title="0 0 9 9"><p>One</p></body>'))
        assert (found.method, len(found)) == ("learned", 1)

    def test_unknown(self) -> None:
        with pytest.raises(UsageError, match="no segmentation method 'page': choose one of vips, learned"):
            get("page")


class TestFiles:
    def test_a_trained_segmenter(self, tmp_path: Path) -> None:
        path = tmp_path / "own.vclean"
        path.write_bytes(load_default().to_bytes())
        assert get(str(path)).card == load_default().card

    def test_none(self) -> None:
        with pytest.raises(ModelError, match=r"cannot read the model none\.vclean"):
            get("none.vclean")
