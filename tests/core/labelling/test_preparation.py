from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.labelled import H, O, P, page, without_browser

from vclean.errors import InputError, UsageError
from vclean.labelling import preparation
from vclean.labelling.preparation import PreparedPage, Preparer, settings_digest
from vclean.labels import PartKind
from vclean.page import Page
from vclean.settings import RenderSettings

HTML = (
    "<title>News</title><nav>Home</nav><article><h1>Rain</h1><p>It rained all day, and then it rained again.</article>"
)


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the ids of rendered pages."""
    return without_browser(monkeypatch)


def preparer(folder: Path, model: Path | None = None) -> Preparer:
    return Preparer(folder, model=model, settings=RenderSettings())


class TestPrepare:
    PAGE = Page(content=HTML, url="https://example.org/rain", id="rain")

    @pytest.mark.parametrize(("most", "has_reasons"), [(500, True), (2, False)])
    def test_document_contains_reasons_of_few_blocks(
        self, tmp_path: Path, renders: list[str], monkeypatch: pytest.MonkeyPatch, *, most: int, has_reasons: bool
    ) -> None:
        monkeypatch.setattr(preparation, "_EXPLAINED", most)
        with preparer(tmp_path) as made:
            document = made.document(made.prepare(self.PAGE))
        assert ('"reasons":[{' in document, '"margin":' in document) == (has_reasons, has_reasons)

    def test_prepares_page_once(self, tmp_path: Path, renders: list[str]) -> None:
        """Start no browser for a prepared page, also in another run."""
        with preparer(tmp_path) as made:
            before = made.prepare(self.PAGE)
        renders.clear()
        with preparer(tmp_path) as made:
            assert made.prepare(self.PAGE).to_json() == before.to_json()
        assert renders == []

    def test_renders_changed_page_again(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made:
            before = made.prepare(self.PAGE)
            after = made.prepare(replace(self.PAGE, content=HTML.replace("Rain", "Snow")))
            assert [page.id for page in made.stored_pages()] == ["rain"]
        assert renders == ["started", "rain", "rain", "ended"]
        assert (before.texts[1], after.texts[1]) == ("Rain", "Snow")
        assert before.content != after.content

    def test_does_not_parse_live_page(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made:
            page = made.prepare(Page(content="", url="https://example.org/", live=True, id="live"))
        assert set(page.snapshots) == {"rendered"}
        assert len(page.content) == 64

    def test_rejects_stored_snapshot(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made, pytest.raises(UsageError, match="no screenshot"):
            made.prepare(Page(snapshot=b"", id="kept"))


class TestStoredPages:
    @pytest.fixture
    def project(self, tmp_path: Path, renders: list[str]) -> Path:
        with preparer(tmp_path) as made:
            for name in ("b", "a"):
                made.prepare(Page(content=HTML, url="https://example.org/", id=name))
        renders.clear()
        return tmp_path

    def test_relabels_with_another_model(
        self, project: Path, renders: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Use the stored rendering, without a browser."""
        with preparer(project) as made:
            monkeypatch.setattr(made, "_maker", "another")
            assert {page.maker for page in made.stored_pages()} == {"another"}
            assert {page.maker for page in made.stored_pages()} == {"another"}
        assert renders == []

    @pytest.mark.parametrize("kind", ["*.npz", "*.png"])
    def test_missing_rendering(self, project: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        for path in (project / "snapshots").glob(kind):
            path.unlink()
        with preparer(project) as made:
            monkeypatch.setattr(made, "_maker", "another")
            with pytest.raises(InputError, match="name the page again"):
                list(made.stored_pages())

    @pytest.mark.parametrize("content", [b"\xff{", b"", b"{}", b"[]", b'{"version":1}'])
    def test_damaged_file(self, project: Path, content: bytes) -> None:
        for path in (project / "pages").glob("*.page.json"):
            path.write_bytes(content)
        with preparer(project) as made, pytest.raises(InputError, match=r"page\.json is damaged: delete it"):
            list(made.stored_pages())


def test_parts_and_no_roles() -> None:
    html = "<h1>Rain in May</h1><p class=byline>By Ann Lee, May 3, 2024<p>It rained.<p>Home"
    title, byline = H._replace(part=PartKind.TITLE), P._replace(part=PartKind.BYLINE_DATE)
    assert [block.annotation for block in page(html=html, labels="hppo").blocks] == [title, byline, P, O]


def test_json_of_other_version_is_none() -> None:
    facts = json.loads(page().to_json()) | {"version": 0}
    assert PreparedPage.from_json(json.dumps(facts)) is None


def test_settings_digest_depends_on_values_but_not_on_their_order() -> None:
    settings = [{"width": 1, "height": 2}, {"height": 2, "width": 1}, {"height": 1, "width": 2}]
    one, same, other = map(settings_digest, settings)
    assert one == same != other
