from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from vclean.errors import InputError, ModelError, UsageError
from vclean.farm import tasks
from vclean.farm.tasks import RunSettings, settings_digest, settings_to_dict
from vclean.settings import CleanerSettings, Policy, RenderSettings

OTHERS = {
    "render": True,
    "rendering": RenderSettings(width=1000),
    "method": "bte",
    "policy": Policy(recall_weight=4),
    "network": "public",
    "explain": True,
}


class TestDigest:
    def test_equal_for_equal_settings(self) -> None:
        assert settings_digest(CleanerSettings()) == settings_digest(CleanerSettings())

    @pytest.mark.parametrize("name", OTHERS)
    def test_depends_on_every_setting(self, name: str) -> None:
        assert settings_digest(CleanerSettings(**{name: OTHERS[name]})) != settings_digest(CleanerSettings())

    def test_covers_all_settings(self) -> None:
        assert {field.name for field in fields(CleanerSettings)} == {*OTHERS, "model", "templates"}

    def test_depends_on_content_of_model(self, tmp_path: Path) -> None:
        one, same, other = tmp_path / "1", tmp_path / "2", tmp_path / "3"
        one.write_bytes(b"model")
        same.write_bytes(b"model")
        other.write_bytes(b"another model")
        digests = [settings_digest(CleanerSettings(model=path)) for path in (one, same, other)]
        assert digests[0] == digests[1] != digests[2]

    def test_rejects_missing_model(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot be read"):
            settings_digest(CleanerSettings(model=tmp_path / "none"))

    def test_depends_on_names_and_contents_of_templates(self, tmp_path: Path) -> None:
        digests = []
        for number, (name, text) in enumerate(
            [("a.org", "main"), ("a.org", "main"), ("a.org", "p"), ("b.org", "main")]
        ):
            folder = tmp_path / str(number)
            folder.mkdir()
            (folder / f"{name}.txt").write_text(text)
            digests.append(settings_digest(CleanerSettings(templates=folder)))
        assert digests[0] == digests[1]
        assert len({settings_digest(CleanerSettings()), *digests}) == 4

    def test_rejects_missing_templates(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot read the folder of templates"):
            settings_digest(CleanerSettings(templates=tmp_path / "none"))

    def test_rejects_unreadable_template(self, tmp_path: Path) -> None:
        (tmp_path / "a.org.txt").mkdir()
        with pytest.raises(InputError, match="cannot be read"):
            settings_digest(CleanerSettings(templates=tmp_path))

    def test_depends_on_version_of_vclean(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = settings_digest(CleanerSettings())
        monkeypatch.setattr("vclean.imports.version", lambda: "99")
        assert settings_digest(CleanerSettings()) != before


class TestToDict:
    def test_is_serializable(self) -> None:
        facts = json.loads(json.dumps(settings_to_dict(CleanerSettings())))
        assert facts["rendering"]["width"] == 1366
        assert facts["policy"] == {
            "recall_weight": 1.0, "comments": None, "hidden": "revealable", "captions": None, "byline": None,
            "lists": None, "title": True, "images": True, "convention": "",
        }  # fmt: skip
        assert facts["model"] is None


class TestRunSettings:
    @pytest.mark.parametrize(("name", "value"), [("workers", -1), ("retries", -1), ("max_memory", 1), ("part_rows", 0)])
    def test_rejects_values_out_of_range(self, name: str, value: int) -> None:
        with pytest.raises(UsageError, match=f"{name} has to be at least"):
            replace(RunSettings(), **{name: value})

    def test_default_is_one_worker_more_than_processors(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tasks, "processor_count", lambda: 8)
        assert RunSettings().pool_size == 9
        assert RunSettings(workers=2).pool_size == 2
