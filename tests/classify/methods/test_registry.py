from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify import methods
from vclean.classify.methods import registry
from vclean.classify.methods.base import MethodInfo, prediction_from_mask, tag_labels
from vclean.classify.methods.registry import load_trained, pack_model
from vclean.errors import ExtraMissingError, ModelError, UsageError
from vclean.features.blocks import extract_blocks
from vclean.labels import Label

BLOCKS = extract_blocks(snapshot("<p>One two three four five six seven.</p>"))


class TestMethodInfo:
    def test_lists_requirements(self):
        info = MethodInfo(
            name="a", summary="b", entry_point="c", rendered=True, trained=True, templated=True, library="justext"
        )
        assert info.needs == ["rendering", "a model", "a template", "the extra methods"]
        assert MethodInfo(name="a", summary="b", entry_point="c").needs == []

    @pytest.mark.parametrize("info", methods.all_method_infos(), ids=methods.names())
    def test_every_method_has_a_valid_description(self, info):
        assert info.summary
        assert "\n" not in info.summary
        assert len(info.summary) <= 100
        assert methods.method_info(info.name) is info


class TestGet:
    @pytest.mark.parametrize("info", methods.all_method_infos(), ids=methods.names())
    def test_every_method_is_deterministic(self, info):
        if info.library:
            pytest.importorskip(info.library)
        if info.rendered or info.templated or (info.trained and not methods.is_shipped(info)):
            pytest.skip("tested with its module")
        method = methods.get(info.name)
        first, second = method(BLOCKS), method(BLOCKS)
        assert first.labels == second.labels
        assert len(first.labels) == len(first.probability) == 1

    def test_rejects_a_model_for_untrained_methods(self, tmp_path):
        with pytest.raises(UsageError, match="the method bte works without a model: leave"):
            methods.get("bte", tmp_path / "m")

    @pytest.mark.parametrize("name", ["", "VCLEAN"])
    def test_unknown_name_lists_known_ones(self, name):
        with pytest.raises(UsageError, match=f"no method '{name}': choose one of vclean, text, bte"):
            methods.get(name)

    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "justext", None)
        with pytest.raises(ExtraMissingError, match=r"needs justext .*: pip install .*\[methods\]'"):
            methods.get("justext")

    def test_unrendered_page(self):
        with pytest.raises(UsageError, match="the method vips needs the rendered page: add --render"):
            methods.get("vips")(BLOCKS)

    def test_page_without_text_is_not_passed_to_the_method(self):
        method = registry.checked(methods.method_info("bte"), None)
        prediction = method(extract_blocks(snapshot("<p></p>")))
        assert (prediction.labels, prediction.probability.shape) == ([], (0,))


def load_bytes(tmp_path, data, load=bytes):
    """Return what the method "tree" loads from a file of these bytes."""
    path = tmp_path / "m.model"
    path.write_bytes(data)
    return load_trained("tree", SimpleNamespace(load=load), path)


class TestLoadTrained:
    @pytest.mark.parametrize(
        "data",
        [b"", b"{}", b"[]\n", b"\xff\n", b"null\n", pack_model("tree", b"model", {})[:-3], b"[" * 100_000 + b"\n"],
    )
    def test_damaged_file(self, tmp_path, data):
        with pytest.raises(
            ModelError, match=r"m\.model is damaged, or not a model of the method tree: create one with"
        ):
            load_bytes(tmp_path, data)

    @pytest.mark.parametrize(("method", "version"), [("bush", 1), ("tree", 2)])
    def test_model_of_another_method_or_version(self, tmp_path, monkeypatch, method, version):
        data = pack_model(method, b"model", {})
        monkeypatch.setattr(registry, "FORMAT", version)
        with pytest.raises(ModelError, match=f"is a model of the method {method}, version 1: .*--method tree"):
            load_bytes(tmp_path, data)

    def test_model_that_the_method_cannot_load(self, tmp_path):
        with pytest.raises(ModelError, match=r"m\.model is damaged, or .*: create one with `vclean train"):
            load_bytes(tmp_path, pack_model("tree", b"bad", {}), {}.__getitem__)

    def test_error_without_shipped_model_explains_training(self):
        with pytest.raises(ModelError, match="no model of the method tree is in the package: create one with `vclean"):
            load_trained("tree", SimpleNamespace(), None)


def test_prediction_from_mask_has_the_labels_of_the_markup():
    blocks = extract_blocks(snapshot("<h1>Cats</h1><ul><li>sleep</ul><p>a lot"))
    prediction = prediction_from_mask(blocks, np.array([True, True, False]))
    assert "".join(prediction.labels) == "hlo"
    assert prediction.probability.tolist() == [1, 1, 0]


class TestTagLabels:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<h1>a</h1><p>b</p><h6>c</h6>", "hph"),
            ("<h2><span>a</span></h2>", "h"),
            ("<h2><div>a</div></h2>", "h"),
            ("<ul><li>a</li><li>b</li></ul>", "ll"),
            ("<li><p>a</p><p>b</p></li><li>c</li>", "lcl"),
            ("<li>a<ul><li>b</li></ul>c</li>", "llc"),
            ("<dl><dt>a</dt><dd>b</dd></dl>", "ll"),
            ("<li><h3>a</h3><p>b</p></li>", "hc"),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "pp"),
            ("a<br><br>b", "pp"),
        ],
    )
    def test_labels_by_tag(self, html, expected):
        assert tag_labels(extract_blocks(snapshot(html))) == [Label(letter) for letter in expected]
