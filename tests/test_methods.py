from __future__ import annotations

from types import SimpleNamespace

import pytest
from helpers import snapshot

from vclean.classify import baselines, methods, model
from vclean.errors import ModelError, UsageError
from vclean.features.blocks import cut


class TestNames:
    def test_every_method_has_a_description_in_one_line(self):
        assert list(methods.names()) == ["vclean", "bte", "text"]
        assert all(text and "\n" not in text for text in methods.names().values())


class TestGet:
    def test_methods_without_a_model(self):
        assert methods.get("bte") is baselines.body_text_extraction
        assert methods.get("text") is baselines.all_text

    @pytest.mark.parametrize("name", ["bte", "text"])
    def test_a_method_labels_blocks(self, name):
        blocks = cut(snapshot("<p>One two three four five six seven.</p>"))
        prediction = methods.get(name)(blocks)
        assert [label.value for label in prediction.labels] == ["p"]

    @pytest.mark.parametrize("name", ["", "VCLEAN", "trafilatura"])
    def test_an_unknown_name_lists_those_there_are(self, name):
        with pytest.raises(UsageError, match=f"no method '{name}': choose one of vclean, bte, text"):
            methods.get(name)

    def test_the_model_is_loaded_from_the_file_that_is_given(self, tmp_path, monkeypatch):
        def load(path):
            return SimpleNamespace(label=lambda blocks: (path, len(blocks)))

        monkeypatch.setattr(model, "load", load)
        path = tmp_path / "other.model"
        assert methods.get("vclean", path)(cut(snapshot("<p>a</p><p>b</p>"))) == (path, 2)

    def test_a_model_that_is_missing(self, tmp_path):
        with pytest.raises(ModelError):
            methods.get("vclean", tmp_path / "none.model")
