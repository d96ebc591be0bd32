from __future__ import annotations

import pickle
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError, ModelError
from vclean.farm.rows import RunSettings, page_key, settings_digest
from vclean.page import Page
from vclean.render.cache import KEY_BYTES
from vclean.settings import CleanerSettings, Policy, RenderSettings

PAGE = Page(content=b"<p>Hello", url="https://example.org/", charset="utf-8", id="a")


class TestPageKey:
    def test_equal_for_text_and_its_bytes_under_any_name(self) -> None:
        key = page_key(PAGE, "digest")
        assert len(key) == KEY_BYTES
        assert page_key(replace(PAGE, content="<p>Hello", id="b"), "digest") == key

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (PAGE, replace(PAGE, content=b"<p>Hello!")),
            (PAGE, replace(PAGE, url="https://example.org/b")),
            (PAGE, replace(PAGE, charset="latin-1")),
            (PAGE, replace(PAGE, live=True)),
            (Page(url="ab", charset="c"), Page(url="a", charset="bc")),
        ],
    )
    def test_depends_on_content(self, one: Page, other: Page) -> None:
        assert page_key(one, "digest") != page_key(other, "digest")

    def test_depends_on_settings(self) -> None:
        assert page_key(PAGE, "one") != page_key(PAGE, "two")

    @given(st.text(), st.text())
    def test_accepts_any_text(self, content: str, url: str) -> None:
        """Accept lone surrogates, which UTF-8 cannot encode."""
        page = Page(content=content, url=url)
        assert page_key(page, "") == page_key(pickle.loads(pickle.dumps(page)), "")


OTHERS = {
    "render": True,
    "rendering": RenderSettings(width=1000),
    "method": "bte",
    "policy": Policy(recall_weight=4),
    "network": "public",
    "explain": True,
}


class TestDigest:
    @pytest.mark.parametrize("name", OTHERS)
    def test_depends_on_every_setting(self, name: str) -> None:
        default, same = (settings_digest(CleanerSettings()) for _ in range(2))
        assert settings_digest(CleanerSettings(**{name: OTHERS[name]})) != default == same

    def test_covers_all_settings(self) -> None:
        assert {field.name for field in fields(CleanerSettings)} == {*OTHERS, "model", "templates"}

    def test_depends_on_content_of_model(self, tmp_path: Path) -> None:
        digests = []
        for number, content in enumerate((b"model", b"model", b"another model")):
            (tmp_path / str(number)).write_bytes(content)
            digests.append(settings_digest(CleanerSettings(model=tmp_path / str(number))))
        assert digests[0] == digests[1] != digests[2]

    def test_depends_on_names_and_contents_of_templates(self, tmp_path: Path) -> None:
        digests = []
        files = [("a.org", "main"), ("a.org", "main"), ("a.org", "p"), ("b.org", "main")]
        for number, (name, text) in enumerate(files):
            folder = tmp_path / str(number)
            folder.mkdir()
            (folder / f"{name}.txt").write_text(text)
            digests.append(settings_digest(CleanerSettings(templates=folder)))
        assert digests[0] == digests[1]
        assert len({settings_digest(CleanerSettings()), *digests}) == 4

    @pytest.mark.parametrize(
        ("name", "path", "error", "message"),
        [
            ("model", "none", ModelError, "cannot be read"),
            ("templates", "none", InputError, "cannot read the folder of templates"),
            ("templates", ".", InputError, "cannot be read"),
        ],
    )
    def test_rejects_what_cannot_be_read(
        self, tmp_path: Path, name: str, path: str, error: type[Exception], message: str
    ) -> None:
        (tmp_path / "a.org.txt").mkdir()
        with pytest.raises(error, match=message):
            settings_digest(CleanerSettings(**{name: tmp_path / path}))

    def test_depends_on_version_of_vclean(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = settings_digest(CleanerSettings())
        monkeypatch.setattr("vclean.farm.rows.__version__", "99")
        assert settings_digest(CleanerSettings()) != before


class TestRunSettings:
    def test_default_is_one_worker_more_than_processors(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
        assert RunSettings().pool_size == 9
        assert RunSettings(workers=2).pool_size == 2
