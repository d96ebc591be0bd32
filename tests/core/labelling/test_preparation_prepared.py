from __future__ import annotations

import json
from dataclasses import replace
from math import isnan, nan

import pytest
from helpers.labelled import H, O, P, page

from vclean.errors import InputError
from vclean.labelling.preparation import PreparedPage, settings_digest
from vclean.labelling.store import Verdict
from vclean.labels import Label, Role


class TestPrepared:
    def test_what_the_model_says(self) -> None:
        made = page()
        assert made.predicted[0] == Verdict(Label.OTHER, Role.NAVIGATION)
        assert made.texts == ["Home", "Rain", "It rained.", "It rained again."]
        assert made.xpaths[2] == "/html[1]/div[1]/article[1]/p[1]"
        assert (made.title, made.model, len(made), len(set(made.names))) == ("News", "m1", 4, 4)

    def test_a_method_without_roles(self) -> None:
        assert page(html="<h1>Rain</h1><p>It rained.<p>Home", labels="hpo").predicted == [H, P, O]


class TestJson:
    @pytest.mark.parametrize("confidence", [0.25, nan])
    def test_there_and_back(self, confidence: float) -> None:
        made = page(confidence=confidence)
        back = PreparedPage.from_json(made.to_json())
        assert back is not None
        assert isnan(back.confidence) == isnan(confidence)
        assert replace(back, confidence=0) == replace(made, confidence=0)

    def test_another_version_has_to_be_made_again(self) -> None:
        facts = json.loads(page().to_json()) | {"version": 0}
        assert PreparedPage.from_json(json.dumps(facts)) is None

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"version":1}'])
    def test_damaged(self, text: str) -> None:
        with pytest.raises(InputError, match="damaged"):
            PreparedPage.from_json(text)


class TestSettingsDigest:
    def test_the_order_of_names_does_not_count(self) -> None:
        assert settings_digest({"width": 1, "height": 2}) == settings_digest({"height": 2, "width": 1})

    def test_values_do(self) -> None:
        assert settings_digest({"width": 1}) != settings_digest({"width": 2})
