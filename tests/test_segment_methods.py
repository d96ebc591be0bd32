"""Tests of the ways to cut a page, by name."""

from __future__ import annotations

import pytest
from painted import painted

from vclean.classify.segment_methods import get
from vclean.errors import UsageError
from vclean.features import vips


class TestGet:
    def test_vips(self) -> None:
        assert get("vips") is vips.segment

    def test_learned(self) -> None:
        """The shipped model cuts; a page with nothing to cut is one segment."""
        found = get("learned")(painted('<body title="0 0 9 9"><p>One</p></body>'))
        assert (found.method, len(found)) == ("learned", 1)

    def test_unknown(self) -> None:
        with pytest.raises(UsageError, match="no method 'page' to cut pages: choose one of vips, learned"):
            get("page")
