from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.labelled import without_browser

from vclean.errors import BrowserMissingError, InputError, LimitError, UsageError
from vclean.labelling import preparation
from vclean.labelling.preparation import Preparer, has_pages, read_snapshot
from vclean.page import Page
from vclean.settings import RenderSettings

HTML = (
    "<title>News</title><nav>Home</nav><article><h1>Rain</h1><p>It rained all day, and then it rained again.</article>"
)


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that were rendered."""
    return without_browser(monkeypatch)


def preparer(folder: Path, model: Path | None = None) -> Preparer:
    return Preparer(folder, model=model, settings=RenderSettings())


class TestPrepare:
    PAGE = Page(content=HTML, url="https://example.org/rain", id="rain")

    def test_a_page(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made:
            page = made.prepare(self.PAGE)
            document = made.document(page)
        assert page.texts[1] == "Rain"
        assert len(page.content) == 64
        assert set(page.snapshots) == {"rendered", "parsed"}
        assert page.model
        assert 0 <= page.confidence <= 1
        assert "change/${NUMBER}" in document
        assert "It rained all day" in document
        assert renders == ["started", "rain", "ended"]

    def test_both_readings_are_kept(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made:
            keys = made.prepare(self.PAGE).snapshots
        read = {way: read_snapshot(made.snapshots, key) for way, key in keys.items()}
        assert (read["rendered"].rendered, read["parsed"].rendered) == (True, False)

    def test_the_reasons_are_told(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made:
            assert '"reasons":[{' in made.document(made.prepare(self.PAGE))

    def test_but_not_those_of_very_many_blocks(
        self, tmp_path: Path, renders: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(preparation, "_EXPLAINED", 2)
        with preparer(tmp_path) as made:
            assert '"reasons":[{' not in made.document(made.prepare(self.PAGE))

    def test_once(self, tmp_path: Path, renders: list[str]) -> None:
        """What is ready needs no browser, not even another time."""
        with preparer(tmp_path) as made:
            before = made.prepare(self.PAGE)
        renders.clear()
        with preparer(tmp_path) as made:
            assert made.prepare(self.PAGE).to_json() == before.to_json()
        assert renders == []

    def test_a_page_that_changed_is_rendered_again(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made:
            before = made.prepare(self.PAGE)
            after = made.prepare(replace(self.PAGE, content=HTML.replace("Rain", "Snow")))
            assert [page.id for page in made.known()] == ["rain"]
        assert renders == ["started", "rain", "rain", "ended"]
        assert (before.texts[1], after.texts[1]) == ("Rain", "Snow")
        assert before.content != after.content

    def test_a_live_page_has_no_document_to_parse(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made:
            page = made.prepare(Page(content="", url="https://example.org/", live=True, id="live"))
        assert set(page.snapshots) == {"rendered"}
        assert len(page.content) == 64

    def test_a_page_that_fails_leaves_nothing(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made, pytest.raises(LimitError):
            made.prepare(replace(self.PAGE, id="huge"))
        assert not has_pages(tmp_path)

    def test_a_stored_snapshot_has_no_picture(self, tmp_path: Path, renders: list[str]) -> None:
        with preparer(tmp_path) as made, pytest.raises(UsageError, match="no picture"):
            made.prepare(Page(snapshot=b"", id="kept"))

    def test_no_browser(self, tmp_path: Path, bare_machine: Path) -> None:
        with preparer(tmp_path / "project") as made, pytest.raises(BrowserMissingError):
            made.prepare(self.PAGE)


class TestKnown:
    @pytest.fixture
    def project(self, tmp_path: Path, renders: list[str]) -> Path:
        with preparer(tmp_path) as made:
            for name in ("b", "a"):
                made.prepare(Page(content=HTML, url="https://example.org/", id=name))
        renders.clear()
        return tmp_path

    def test_pages_by_name_without_a_browser(self, project: Path, renders: list[str]) -> None:
        assert has_pages(project)
        with preparer(project) as made:
            assert [page.id for page in made.known()] == ["a", "b"]
        assert renders == []

    def test_another_model_labels_them_anew(
        self, project: Path, renders: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """From what was rendered: it takes no browser."""
        with preparer(project) as made:
            monkeypatch.setattr(made, "_maker", "another")
            assert {page.maker for page in made.known()} == {"another"}
            assert {page.maker for page in made.known()} == {"another"}
        assert renders == []

    @pytest.mark.parametrize("kind", ["*.npz", "*.png"])
    def test_what_was_rendered_is_gone(self, project: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        for path in (project / "snapshots").glob(kind):
            path.unlink()
        with preparer(project) as made:
            monkeypatch.setattr(made, "_maker", "another")
            with pytest.raises(InputError, match="name the page again"):
                list(made.known())

    def test_damage_names_the_file(self, project: Path) -> None:
        for path in (project / "pages").glob("*.page.json"):
            path.write_bytes(b"\xff{")
        with preparer(project) as made, pytest.raises(InputError, match=r"page\.json is damaged: delete it"):
            list(made.known())
