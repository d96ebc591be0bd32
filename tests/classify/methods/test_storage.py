from __future__ import annotations

import pytest

from vclean.classify.methods import storage
from vclean.classify.methods.storage import load_trained, pack, unpack
from vclean.errors import ModelError


class Echo:
    """Trained method that returns its model."""

    def load(self, data):
        if data == b"bad":
            raise KeyError("no such tree")
        return data


@pytest.fixture
def file(tmp_path):
    def write(data):
        path = tmp_path / "m.model"
        path.write_bytes(data)
        return path

    return write


class TestPack:
    def test_unpack_inverts_pack(self):
        data = pack("tree", b"\x00model\n", {"pages": 3})
        assert data.startswith(b'{"method": "tree", "format": 1, "pages": 3}\n')
        assert unpack("tree", data, "it") == b"\x00model\n"

    def test_is_deterministic(self):
        assert pack("tree", b"m", {"pages": 3}) == pack("tree", b"m", {"pages": 3})


class TestUnpack:
    @pytest.mark.parametrize(
        "data", [b"", b"{}", b"[]\n", b"\xff\n", b"null\n", pack("tree", b"model", {})[:-3], b"[" * 100_000 + b"\n"]
    )
    def test_damaged_file(self, data):
        with pytest.raises(ModelError, match="it is damaged, or not a model of the method tree: create one with"):
            unpack("tree", data, "it")

    def test_model_of_another_method(self):
        with pytest.raises(ModelError, match=r"it is a model of the method bush, version 1: .*--method tree"):
            unpack("tree", pack("bush", b"model", {}), "it")

    def test_model_of_another_version(self, monkeypatch):
        data = pack("tree", b"model", {})
        monkeypatch.setattr(storage, "FORMAT", 2)
        with pytest.raises(ModelError, match="version 1"):
            unpack("tree", data, "it")


class TestLoadTrained:
    def test_loads_from_a_file(self, file):
        assert load_trained("tree", Echo(), file(pack("tree", b"model", {}))) == b"model"

    def test_model_that_the_method_cannot_load(self, file):
        with pytest.raises(ModelError, match=r"m\.model is damaged: create one with `vclean train"):
            load_trained("tree", Echo(), file(pack("tree", b"bad", {})))

    def test_missing_file(self, tmp_path):
        with pytest.raises(ModelError, match=r"cannot read the model .*: No such file"):
            load_trained("tree", Echo(), tmp_path / "none.model")

    def test_error_without_shipped_model_explains_training(self):
        with pytest.raises(ModelError, match="no model of the method tree is in the package: create one with `vclean"):
            load_trained("tree", Echo(), None)
