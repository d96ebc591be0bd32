from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.pages import laid_out, result, snapshot
from helpers.snapshots import assert_same
from hypothesis import given
from hypothesis import strategies as st

from vclean.api import Cleaner
from vclean.errors import InputError, UsageError
from vclean.farm import rows
from vclean.farm.parts import PartWriter
from vclean.farm.rows import Task, page_key
from vclean.input.sources import find_sources
from vclean.page import Page
from vclean.render import cache
from vclean.render.cache import RenderingCache, from_bytes, read_key, to_bytes
from vclean.render.rendered_page import Rendering
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


PAGE = Page(content=HTML.encode(), url="https://example.org/")


class FakeRenderer:
    """Renderer that only parses; its screenshots contain the number of pages so far."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, page: Page) -> Rendering:
        self.calls += 1
        return Rendering(replace(parse(page), rendered=True), b"screenshot %d" % self.calls)


class TestRenderingCache:
    def test_renders_a_page_once(self, tmp_path: Path) -> None:
        renderer = FakeRenderer()
        cached = RenderingCache(renderer, SETTINGS, tmp_path / "deep" / "store", screenshots=True)
        pages = [PAGE, replace(PAGE, id="other"), replace(PAGE, content="<p>Two"), PAGE]
        screenshots = [b"screenshot 1", b"screenshot 1", b"screenshot 2", b"screenshot 1"]
        assert [cached(page).screenshot for page in pages] == screenshots
        assert_same(cached(PAGE).snapshot, renderer(PAGE).snapshot)
        assert sorted(path.suffix for path in cached.folder.iterdir()) == [".npz", ".npz", ".png", ".png"]

    def test_renders_missing_screenshot(self, tmp_path: Path) -> None:
        renderer = FakeRenderer()
        RenderingCache(lambda page: Rendering(parse(page)), SETTINGS, tmp_path)(PAGE)
        assert RenderingCache(renderer, SETTINGS, tmp_path, screenshots=True)(PAGE).screenshot == b"screenshot 1"
        assert not RenderingCache(fail, SETTINGS, tmp_path, screenshots=True)(PAGE).snapshot.rendered

    def test_reports_unreadable_snapshots(self, tmp_path: Path) -> None:
        (tmp_path / f"{key(PAGE).hex()}.npz").mkdir()
        with pytest.raises(InputError, match="cannot read the snapshot"):
            RenderingCache(fail, SETTINGS, tmp_path)(PAGE)


PAGES = [Page(content=f"<h1>Page {n}<p>Its text, {n} words.".encode(), url=f"https://e.org/{n}") for n in range(30)]


def rendered(page):
    return replace(laid_out(page.content.decode(), page.url), settings=SETTINGS.to_dict())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the snapshots of `PAGES` as a farm does."""
    out = tmp_path_factory.mktemp("out")
    with PartWriter(out, rows=11, snapshots=True) as writer:
        for number, page in enumerate(PAGES):
            snapshot = rendered(page)
            task = Task(replace(page, id=str(number)), "/in.warc", page_key(page, ""))
            writer.write(rows.result_row(result(snapshot, "hp"), task, {}), to_bytes(snapshot))
    return out / "snapshots"


def key(page):
    return read_key(page, SETTINGS.to_dict(), rendered=True)


def fail(page):
    raise AssertionError(f"{page.url} is rendered again")


class TestFilesOfFarm:
    @pytest.mark.parametrize("column", ["html", None])
    def test_rejects_other_files(self, tmp_path, column):
        path = tmp_path / "x.parquet"
        if column:
            pq.write_table(pa.table({column: ["<p>"]}), path)
        else:
            path.write_bytes(b"no Parquet")
        with pytest.raises(InputError, match="contains no readable snapshots"):
            RenderingCache(fail, SETTINGS, tmp_path)(PAGES[0])

    def test_reports_deleted_file(self, folder, tmp_path):
        for path in folder.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        cached = RenderingCache(fail, SETTINGS, tmp_path)
        cached(PAGES[20])
        for path in tmp_path.iterdir():
            path.unlink()
        with pytest.raises(InputError, match="no readable snapshots"):
            cached(PAGES[0])


class TestCacheOfFarm:
    def test_renders_nothing_again(self, folder):
        cached = RenderingCache(fail, SETTINGS, folder)
        for number in np.random.default_rng(7).permutation(len(PAGES)):
            page = PAGES[number]
            assert_same(cached(replace(page, id="another name")).snapshot, rendered(page))

    def test_writes_missing_snapshots_next_to_the_files(self, folder, tmp_path):
        (path, *_) = sorted(folder.iterdir())
        (tmp_path / path.name).write_bytes(path.read_bytes())
        for read in (lambda page: Rendering(rendered(page)), fail):
            cached = RenderingCache(read, SETTINGS, tmp_path)
            assert [len(cached(page).snapshot) for page in PAGES] == [4] * len(PAGES)
        assert len(list(tmp_path.glob("*.npz"))) == len(PAGES) - pq.read_metadata(path).num_rows


class TestSnapshotsAsPages:
    """Snapshots of a farm as input instead of pages."""

    def test_equals_results_of_rendering(self, folder):
        sources = [source for path in sorted(folder.iterdir()) for source in find_sources(str(path), SETTINGS)]
        assert sorted(int(source.id) for source in sources) == list(range(len(PAGES)))
        with Cleaner(method="text") as cleaner:
            for source in sources:
                page = PAGES[int(source.id)]
                outcome = cleaner.clean(source.read())
                direct = Page(snapshot=to_bytes(rendered(page)), id=source.id)
                assert outcome.to_json() == cleaner.clean(direct).to_json()

    def test_prefers_snapshot_over_html(self, tmp_path):
        table = {"html": ["<p>other", "<p>mine"], "snapshot": [to_bytes(rendered(PAGES[0])), None]}
        pq.write_table(pa.table(table), tmp_path / "x.parquet")
        sources = find_sources(str(tmp_path / "x.parquet"), SETTINGS)
        with Cleaner(method="text") as cleaner:
            texts = [cleaner.clean(source.read()).to_text() for source in sources]
        assert texts == ["Page 0\n\nIts text, 0 words.\n", "mine\n"]

    def test_rejects_damage_and_screenshots(self):
        with Cleaner() as cleaner:
            with pytest.raises(InputError, match="damaged"):
                cleaner.clean(Page(snapshot=b"no"))
            with pytest.raises(UsageError, match="a stored snapshot has no screenshot"):
                cleaner.clean(Page(snapshot=to_bytes(rendered(PAGES[0]))), screenshot=True)
