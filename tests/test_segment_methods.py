"""Tests of the ways to cut a page, by name."""

from __future__ import annotations

import pytest

from vclean.classify.segment_methods import get
from vclean.errors import UsageError
from vclean.features import vips


class TestGet:
    def test_vips(self) -> None:
        assert get("vips") is vips.segment

    def test_unknown(self) -> None:
        with pytest.raises(UsageError, match="no method 'page' to cut pages: choose one of vips"):
            get("page")
