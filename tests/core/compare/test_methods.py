from __future__ import annotations

from pathlib import Path

import pytest

from vclean.compare.records import ComparedMethod
from vclean.errors import ModelError, UsageError


class TestOf:
    @pytest.mark.parametrize(
        ("name", "method", "model"),
        [
            ("vclean", "vclean", None),
            ("bte", "bte", None),
            ("no-such-method", "no-such-method", None),
            ("my.vclean", "vclean", "my.vclean"),
            ("models/mine", "vclean", "models/mine"),
            ("template=rules.txt", "template", "rules.txt"),
            ("a=b.vclean", "vclean", "a=b.vclean"),
        ],
    )
    def test_names_and_files(self, name, method, model):
        assert ComparedMethod.of(name) == ComparedMethod(name, method, model and Path(model))

    def test_file_without_suffix(self, tmp_path, monkeypatch):
        (tmp_path / "mine").write_bytes(b"")
        monkeypatch.chdir(tmp_path)
        assert ComparedMethod.of("mine").model == Path("mine")

    def test_method_takes_precedence_over_file(self, tmp_path, monkeypatch):
        (tmp_path / "bte").write_bytes(b"")
        monkeypatch.chdir(tmp_path)
        assert ComparedMethod.of("bte").model is None


class TestLoad:
    def test_rejects_unknown_method(self):
        with pytest.raises(UsageError, match="no method 'no-such-method'"):
            ComparedMethod.of("no-such-method").load()

    def test_rejects_missing_model(self):
        with pytest.raises(ModelError):
            ComparedMethod.of("gone.vclean").load()
