from __future__ import annotations

from vclean.render.archive.schema import normalize_url, url_key


class TestUrlKey:
    def test_accepts_any_text(self) -> None:
        assert len({len(url_key(text)) for text in ("", "http://[", "\udcff", "\0")}) == 1
        assert normalize_url("http://[") == "http://["
