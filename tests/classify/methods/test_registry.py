from __future__ import annotations

from types import SimpleNamespace

import pytest
from helpers.pages import snapshot

from vclean.classify import methods
from vclean.classify.content import model
from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.methods import registry
from vclean.classify.methods.base import MethodInfo, TrainingPage
from vclean.errors import ExtraMissingError, ModelError, UsageError
from vclean.features.blocks import extract_blocks

BLOCKS = extract_blocks(snapshot("<p>One two three four five six seven.</p>"))


@pytest.fixture
def only(monkeypatch):
    """Return a function that replaces the methods of the registry during a test."""

    def replace(*info):
        monkeypatch.setattr(registry, "_METHODS", info)

    return replace


class TestMethodInfo:
    def test_lists_requirements(self):
        info = MethodInfo(
            name="a", summary="b", entry_point="c", rendered=True, trained=True, templated=True, extra="methods"
        )
        assert info.needs == ["rendering", "a model", "a template", "the extra methods"]
        assert MethodInfo(name="a", summary="b", entry_point="c").needs == []

    @pytest.mark.parametrize("info", methods.all_method_infos(), ids=methods.names())
    def test_every_method_has_a_valid_description(self, info):
        assert info.summary
        assert "\n" not in info.summary
        assert len(info.summary) <= 100
        assert bool(info.library) == bool(info.extra)
        assert methods.method_info(info.name) is info

    def test_names_are_unique(self):
        assert methods.names()[:3] == ["vclean", "text", "bte"]
        assert len(set(methods.names())) == len(methods.names())


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

    @pytest.mark.parametrize("name", ["bte", "text", "cetd"])
    def test_rejects_a_model_for_untrained_methods(self, name, tmp_path):
        with pytest.raises(UsageError, match=f"the method {name} works without a model: leave"):
            methods.get(name, tmp_path / "m")

    @pytest.mark.parametrize("name", ["", "VCLEAN", "Trafilatura"])
    def test_unknown_name_lists_known_ones(self, name):
        with pytest.raises(UsageError, match=f"no method '{name}': choose one of vclean, text, bte"):
            methods.get(name)

    def test_loads_the_given_model_file(self, tmp_path, monkeypatch):
        def load(path):
            return SimpleNamespace(label=lambda blocks: (path, len(blocks)))

        monkeypatch.setattr(model, "load", load)
        path = tmp_path / "other.model"
        assert methods.get("vclean", path)(extract_blocks(snapshot("<p>a</p><p>b</p>"))) == (path, 2)

    def test_missing_model(self, tmp_path):
        with pytest.raises(ModelError):
            methods.get("vclean", tmp_path / "none.model")

    def test_missing_library(self, only):
        only(
            MethodInfo(
                name="odd", summary="odd", entry_point="base:label_all_shown", library="no_such_module", extra="methods"
            )
        )
        with pytest.raises(ExtraMissingError, match=r"needs no_such_module .*: pip install .*\[methods\]'"):
            methods.get("odd")

    def test_unrendered_page(self, only):
        only(MethodInfo(name="seer", summary="looks", entry_point="base:label_all_shown", rendered=True))
        with pytest.raises(UsageError, match="the method seer needs the rendered page: add --render"):
            methods.get("seer")(BLOCKS)

    def test_page_without_text_is_not_passed_to_the_method(self, only):
        only(
            MethodInfo(name="careless", summary="fails", entry_point="base:no_such_function"),
            MethodInfo(name="t", summary="t", entry_point="base:label_all_shown"),
        )
        prediction = methods.get("t")(extract_blocks(snapshot("<p></p>")))
        assert (prediction.labels, prediction.probability.shape) == ([], (0,))


class TestTrainingModule:
    def test_untrained_method(self):
        with pytest.raises(UsageError, match="the method bte is not trained: choose one of vclean"):
            registry.training_module("bte")


class TestTrainingPage:
    def test_truth_is_the_gold_of_the_blocks(self):
        training_page = TrainingPage(GoldPage(text="Two."), extract_blocks(snapshot("<p>One.</p><p>Two.</p>")))
        assert training_page.truth.is_content.tolist() == [False, True]
