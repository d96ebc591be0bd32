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
    """Gives the registry other methods for the time of a test."""

    def replace(*facts):
        monkeypatch.setattr(registry, "_METHODS", facts)

    return replace


class TestFacts:
    def test_what_it_needs(self):
        facts = MethodInfo(name="a", line="b", place="c", rendered=True, trained=True, templated=True, extra="methods")
        assert facts.needs == ["rendering", "a model", "a template", "the extra methods"]
        assert MethodInfo(name="a", line="b", place="c").needs == []

    @pytest.mark.parametrize("facts", methods.all_facts(), ids=methods.names())
    def test_of_every_method(self, facts):
        assert facts.line
        assert "\n" not in facts.line
        assert len(facts.line) <= 100
        assert bool(facts.library) == bool(facts.extra)
        assert methods.facts(facts.name) is facts

    def test_names_differ(self):
        assert methods.names()[:3] == ["vclean", "text", "bte"]
        assert len(set(methods.names())) == len(methods.names())


class TestGet:
    @pytest.mark.parametrize("facts", methods.all_facts(), ids=methods.names())
    def test_every_method_labels_blocks_the_same_each_time(self, facts):
        if facts.library:
            pytest.importorskip(facts.library)
        if facts.rendered or facts.templated or (facts.trained and not methods.ships(facts)):
            pytest.skip("tested with its module")
        method = methods.get(facts.name)
        first, second = method(BLOCKS), method(BLOCKS)
        assert first.labels == second.labels
        assert len(first.labels) == len(first.probability) == 1

    @pytest.mark.parametrize("name", ["bte", "text", "cetd"])
    def test_no_model_for_a_method_without_one(self, name, tmp_path):
        with pytest.raises(UsageError, match=f"the method {name} works without a model: leave"):
            methods.get(name, tmp_path / "m")

    @pytest.mark.parametrize("name", ["", "VCLEAN", "Trafilatura"])
    def test_an_unknown_name_lists_those_there_are(self, name):
        with pytest.raises(UsageError, match=f"no method '{name}': choose one of vclean, text, bte"):
            methods.get(name)

    def test_the_model_is_loaded_from_the_file_that_is_given(self, tmp_path, monkeypatch):
        def load(path):
            return SimpleNamespace(label=lambda blocks: (path, len(blocks)))

        monkeypatch.setattr(model, "load", load)
        path = tmp_path / "other.model"
        assert methods.get("vclean", path)(extract_blocks(snapshot("<p>a</p><p>b</p>"))) == (path, 2)

    def test_a_model_that_is_missing(self, tmp_path):
        with pytest.raises(ModelError):
            methods.get("vclean", tmp_path / "none.model")

    def test_a_library_that_is_missing(self, only):
        only(
            MethodInfo(name="odd", line="odd", place="base:label_all_shown", library="no_such_module", extra="methods")
        )
        with pytest.raises(ExtraMissingError, match=r"needs no_such_module .*: pip install 'vclean\[methods\]'"):
            methods.get("odd")

    def test_a_page_that_is_not_rendered(self, only):
        only(MethodInfo(name="seer", line="looks", place="base:label_all_shown", rendered=True))
        with pytest.raises(UsageError, match="the method seer looks at the rendered page: add --render"):
            methods.get("seer")(BLOCKS)

    def test_a_page_without_text_is_not_shown_to_a_method(self, only):
        only(
            MethodInfo(name="careless", line="fails", place="base:no_such_function"),
            MethodInfo(name="t", line="t", place="base:label_all_shown"),
        )
        prediction = methods.get("t")(extract_blocks(snapshot("<p></p>")))
        assert (prediction.labels, prediction.probability.shape) == ([], (0,))


class TestTrainable:
    def test_a_method_that_is_not_trained(self):
        with pytest.raises(UsageError, match="the method bte is not trained: choose one of vclean"):
            registry.trainable("bte")


class TestLesson:
    def test_the_gold_of_its_blocks(self):
        lesson = TrainingPage(GoldPage(text="Two."), extract_blocks(snapshot("<p>One.</p><p>Two.</p>")))
        assert lesson.truth.is_content.tolist() == [False, True]
