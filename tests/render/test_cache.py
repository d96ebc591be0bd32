from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from helpers.pages import snapshot
from helpers.snapshots import assert_same
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError
from vclean.page import Page
from vclean.render import cache
from vclean.render.cache import RenderingCache, SnapshotCache, from_bytes, to_bytes
from vclean.render.rendered_page import Rendering
from vclean.render.snapshot import Snapshot
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from pathlib import Path


HTML = "<title>T</title><html lang=en><h1 class=big>Ünïcode \U0001f600</h1><p style='color:red'>x<a href=/b>y</a>"
SETTINGS = RenderSettings()


class TestBytes:
    @given(st.text(max_size=50), st.text(max_size=10))
    def test_restores_any_text(self, text: str, title: str) -> None:
        page = replace(snapshot("<p>x"), texts=[text], title=title, url=title)
        assert_same(from_bytes(to_bytes(page)), page)

    def test_returns_equal_bytes_for_equal_snapshots(self) -> None:
        assert to_bytes(snapshot(HTML)) == to_bytes(snapshot(HTML))

    @pytest.mark.parametrize("damage", [lambda d: b"", lambda d: d[:100], lambda d: b"x" * 500, lambda d: d[:-50]])
    def test_rejects_damaged_data(self, damage) -> None:
        with pytest.raises(InputError, match="a stored snapshot is damaged: delete it"):
            from_bytes(damage(to_bytes(snapshot(HTML))))

    def test_detects_flipped_bytes(self) -> None:
        # A wrong byte raises an `InputError`, or has no effect.
        data = to_bytes(snapshot("<p>x"))
        for position in range(0, len(data), 5):
            broken = bytearray(data)
            broken[position] ^= 0xFF
            with contextlib.suppress(InputError):
                assert len(from_bytes(bytes(broken))) == 3

    def test_rejects_other_version(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data = to_bytes(snapshot(HTML))
        monkeypatch.setattr(cache, "VERSION", cache.VERSION + 1)
        with pytest.raises(InputError, match="of another version"):
            from_bytes(data)


class CountingReader:
    """Reader that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, page: Page) -> Snapshot:
        self.calls += 1
        return parse(page)


@pytest.fixture
def counter() -> CountingReader:
    return CountingReader()


@pytest.fixture
def reader(tmp_path: Path, counter: CountingReader) -> SnapshotCache:
    return SnapshotCache(tmp_path / "deep" / "store", counter, SETTINGS, rendered=False)


class TestSnapshotCache:
    PAGE = Page(content=HTML.encode(), url="https://example.org/")

    def test_ignores_page_id(self, reader: SnapshotCache, counter: CountingReader) -> None:
        reader(self.PAGE)
        reader(replace(self.PAGE, id="other"))
        assert counter.calls == 1

    def test_writes_one_file(self, reader: SnapshotCache) -> None:
        reader(self.PAGE)
        (path,) = reader.folder.iterdir()
        assert path.suffix == ".npz"


PAGE = Page(content="<p>One", url="http://a.example/")


class FakeRenderer:
    """Renderer that only parses; its screenshots contain the number of pages so far."""

    def __init__(self) -> None:
        self.calls: list[bool] = []

    def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
        snapshot = replace(parse(page), rendered=True)
        self.calls.append(screenshot)
        return Rendering(snapshot, b"screenshot %d" % len(self.calls) if screenshot else None)


def create_cache(renderer: FakeRenderer, folder: Path | None, *, screenshots: bool) -> RenderingCache:
    return RenderingCache(renderer, RenderSettings(), folder, screenshots=screenshots)  # type: ignore[arg-type]


class TestWithoutFolder:
    @pytest.mark.parametrize("screenshots", [True, False])
    def test_renders_every_page(self, screenshots: bool) -> None:
        renderer = FakeRenderer()
        cache = create_cache(renderer, None, screenshots=screenshots)
        assert cache(PAGE).screenshot == (b"screenshot 1" if screenshots else None)
        assert cache(PAGE).snapshot.texts == ["One"]
        assert renderer.calls == [screenshots, screenshots]


class TestWithFolder:
    def test_renders_missing_screenshot(self, tmp_path: Path) -> None:
        create_cache(FakeRenderer(), tmp_path, screenshots=False)(PAGE)
        renderer = FakeRenderer()
        assert create_cache(renderer, tmp_path, screenshots=True)(PAGE).screenshot == b"screenshot 1"
        assert renderer.calls == [True]

    def test_renders_other_pages(self, tmp_path: Path) -> None:
        cache = create_cache(FakeRenderer(), tmp_path, screenshots=True)
        assert cache(PAGE).screenshot != cache(replace(PAGE, content="<p>Two")).screenshot
