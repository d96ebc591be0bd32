from __future__ import annotations

import json

import pytest
from helpers.labelled import H, O, P, page

from vclean.errors import InputError
from vclean.labelling.preparation import PreparedPage, settings_digest
from vclean.labels import PartKind

TITLE = H._replace(part=PartKind.TITLE)


class TestToPreparedPage:
    def test_method_without_roles(self) -> None:
        assert page(html="<h1>Rain</h1><p>It rained.<p>Home", labels="hpo").predicted == [TITLE, P, O]

    def test_byline_and_date_in_one_block(self) -> None:
        html = "<title>Rain in May</title><h1>Rain in May</h1><p class=byline>By Ann Lee, May 3, 2024<p>It rained."
        made = page(html=html, labels="hpp")
        parts = [annotation.part for annotation in made.predicted]
        assert parts == [PartKind.TITLE, PartKind.BYLINE_DATE, None]


class TestJson:
    def test_other_version_is_none(self) -> None:
        facts = json.loads(page().to_json()) | {"version": 0}
        assert PreparedPage.from_json(json.dumps(facts)) is None

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"version":1}'])
    def test_rejects_damaged_json(self, text: str) -> None:
        with pytest.raises(InputError, match="damaged"):
            PreparedPage.from_json(text)


class TestSettingsDigest:
    def test_independent_of_order(self) -> None:
        assert settings_digest({"width": 1, "height": 2}) == settings_digest({"height": 2, "width": 1})

    def test_depends_on_values(self) -> None:
        assert settings_digest({"width": 1}) != settings_digest({"width": 2})
