from __future__ import annotations

import pytest
from helpers.pages import snapshot

LAZY = "https://example.org/a.jpg"
PLACEHOLDER = "src='data:image/gif;base64,R0lGOD'"


class TestFindLazyImages:
    @pytest.mark.parametrize(
        "html",
        [
            f"<img {PLACEHOLDER} data-anything={LAZY}>",
            "<img data-hero=/a.jpg>",
            f"<img {PLACEHOLDER} data-image-url='{LAZY}'>",
            f"<img {PLACEHOLDER}><noscript><img src={LAZY}></noscript>",
            f"<noscript><img src={LAZY}></noscript><img {PLACEHOLDER}>",
        ],
    )
    def test_address_is_stored(self, html: str) -> None:
        assert set(snapshot(f"<p>a{html}b").attributes("data-src").values()) == {LAZY}

    @pytest.mark.parametrize(
        "html",
        [
            f"<img src=/b.jpg data-large={LAZY}>",
            f"<img {PLACEHOLDER} data-link=https://example.org/page>",
            f"<img src=/b.jpg><noscript><img src={LAZY}></noscript>",
        ],
    )
    def test_other_addresses_are_not(self, html: str) -> None:
        assert not snapshot(f"<p>a{html}b").attributes("data-src")

    def test_set_of_sizes(self) -> None:
        page = snapshot(f"<img {PLACEHOLDER} data-lazy-set='/a.jpg 300w, /b.jpg 600w'>")
        assert list(page.attributes("data-srcset").values()) == ["/a.jpg 300w, /b.jpg 600w"]
