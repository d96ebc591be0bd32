from __future__ import annotations

from pathlib import Path

import pytest

from vclean.compare.methods import Contender
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
        assert Contender.of(name) == Contender(name, method, model and Path(model))

    def test_a_file_without_a_suffix(self, tmp_path, monkeypatch):
        (tmp_path / "mine").write_bytes(b"")
        monkeypatch.chdir(tmp_path)
        assert Contender.of("mine").model == Path("mine")

    def test_a_method_goes_before_a_file_of_its_name(self, tmp_path, monkeypatch):
        (tmp_path / "bte").write_bytes(b"")
        monkeypatch.chdir(tmp_path)
        assert Contender.of("bte").model is None


class TestLoad:
    def test_there_is_no_such_method(self):
        with pytest.raises(UsageError, match="no method 'no-such-method'"):
            Contender.of("no-such-method").load()

    def test_there_is_no_such_model(self):
        with pytest.raises(ModelError):
            Contender.of("gone.vclean").load()
