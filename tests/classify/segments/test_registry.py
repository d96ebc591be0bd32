"""Test segmentation methods by name."""

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
        """Check that the shipped model is used; a page with one element is one segment."""
        page_segments = get("learned")(painted('<body title="0 0 9 9"><p>One</p></body>'))
        assert (page_segments.method, len(page_segments)) == ("learned", 1)

    def test_rejects_unknown_names(self) -> None:
        with pytest.raises(UsageError, match="no segmentation method 'page': choose one of vips, learned"):
            get("page")


class TestFiles:
    def test_file_of_a_trained_segmenter(self, tmp_path: Path) -> None:
        path = tmp_path / "trained.vclean"
        path.write_bytes(load_default().to_bytes())
        assert get(str(path)).card == load_default().card

    def test_missing_file(self) -> None:
        with pytest.raises(ModelError, match=r"cannot read the model none\.vclean"):
            get("none.vclean")
