from __future__ import annotations

import pytest

from vclean.render.archive.schema import normalize_url, url_key


class TestUrlKey:
    @pytest.mark.parametrize("other", ["http://a.example/B?c", "http://a.example/b", "http://b.example/b?c"])
    def test_differs_for_different_urls(self, other: str) -> None:
        assert url_key("http://a.example/b?c") != url_key(other)

    def test_accepts_any_text(self) -> None:
        assert len({len(url_key(text)) for text in ("", "http://[", "\udcff", "\0")}) == 1
        assert normalize_url("http://[") == "http://["
