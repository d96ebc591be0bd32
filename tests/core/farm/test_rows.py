from __future__ import annotations

import json
import math

import pyarrow as pa
import pytest
from helpers.outcomes import RESULT, key, task
from helpers.pages import laid_out, result, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import BrowserError
from vclean.farm.rows import LIGHT, SCHEMA, light, of_failure, of_result, plain
from vclean.farm.tasks import Task
from vclean.labels import Role
from vclean.page import Page
from vclean.render.storage.cache import from_bytes, read_key, to_bytes
from vclean.settings import RenderSettings


def row(page, labels, **facts):
    record = of_result(result(page, labels, **facts), task(1), {})
    record.validate(full=True)
    return record.to_pylist()[0]


class TestOfResult:
    def test_what_the_record_says_of_the_page(self):
        facts, record = row(laid_out("<title>T</title><p>x"), "p", language="cs", confidence=0.5), RESULT.to_dict()
        assert {
            name: facts[name] for name in ("title", "language", "confidence", "rendered", "method", "noscript")
        } == {
            "title": "T",
            "language": "cs",
            "confidence": 0.5,
            "rendered": True,
            "method": "vclean",
            "noscript": False,
        }
        assert (facts["url"], facts["build"]) == (record["url"], record["build"])

    def test_what_the_task_says_of_it(self):
        facts = of_result(RESULT, task(7, source="/in", attempt=2), {}).to_pylist()[0]
        assert (facts["id"], facts["source"], facts["key"], facts["attempts"]) == ("p7", "/in", key(7), 2)
        assert (facts["status"], facts["error"], facts["message"]) == ("ok", None, None)

    def test_blocks_are_those_of_the_record(self):
        facts = row(laid_out("<h1>One<p>two<p hidden>three"), "hpo", roles=[Role.TITLE, Role.ARTICLE, None])
        record = result(laid_out("<h1>One<p>two<p hidden>three"), "hpo", roles=[Role.TITLE, Role.ARTICLE, None])
        for block, known in zip(facts["blocks"], record.to_dict()["blocks"], strict=True):
            assert (block["box"] and list(block["box"].values())) == known["box"]
            assert block["probability"] == pytest.approx(known["probability"])
            assert all(block[name] == known[name] for name in ("label", "role", "xpath", "visibility", "text"))

    def test_text_and_counts(self):
        facts = row(snapshot("<h1>One<p>two<p>three"), "hpo")
        assert (facts["text"], facts["cleaneval"]) == ("One\n\ntwo\n", "<h>One\n<p>two\n")
        assert (facts["block_count"], facts["kept_count"], facts["characters"]) == (3, 2, 9)

    def test_page_that_was_not_rendered_has_no_boxes(self):
        facts = row(snapshot("<p>x"), "p")
        assert facts["rendered"] is False
        assert facts["blocks"][0]["box"] is None

    def test_page_without_blocks(self):
        facts = row(snapshot("<p>"), "")
        assert (facts["blocks"], facts["text"], facts["block_count"]) == ([], "", 0)

    def test_what_is_unknown_is_null(self):
        page = result(snapshot("<p>x"), "p")
        page.prediction.probability[0] = math.nan
        facts = of_result(page, task(1), {}).to_pylist()[0]
        assert (facts["confidence"], facts["model"], facts["blocks"][0]["probability"]) == (None, None, None)

    def test_version_of_the_model(self):
        assert row(snapshot("<p>x"), "p", versions={"vclean": "1", "model": "7"})["model"] == "7"

    def test_seconds_by_stage(self):
        facts = of_result(RESULT, task(1), {"render": 0.5, "label": 2.0, "odd": 1.0}).to_pylist()[0]
        assert facts["seconds"] == {"read": None, "render": 0.5, "cut": None, "label": 2.0, "pack": None}

    def test_key_by_which_the_snapshot_is_found_again(self):
        settings = RenderSettings()
        page = from_bytes(to_bytes(laid_out("<p>x")))
        page.settings.clear()
        page.settings.update(settings.to_dict())
        facts = of_result(result(page, "p"), task(1), {}).to_pylist()[0]
        assert facts["read_key"] == read_key(task(1).page, settings.to_dict(), rendered=True)

    @pytest.mark.parametrize("page", [snapshot("<p>x"), laid_out("<p>x")], ids=["parsed", "stored"])
    def test_no_such_key_for_what_is_not_looked_for(self, page):
        stored = Task(Page(snapshot=b"..."), "/s", key(1))
        assert of_result(result(page, "p"), stored, {}).to_pylist()[0]["read_key"] is None

    @given(st.text(max_size=20), st.text(max_size=20))
    def test_any_text(self, name, text):
        """Lone surrogates too, which Parquet cannot hold."""
        page = snapshot("<p>x")
        page.texts[-1] = text + "x"
        facts = Task(Page(id=name), name, key(1))
        record = of_result(result(page, "p"), facts, {})
        record.validate(full=True)
        assert record.to_pylist()[0]["id"] == plain(name)


class TestOfFailure:
    def test_says_why(self):
        record = of_failure(task(3, attempt=3), BrowserError("the browser crashed"), {"read": 0.5})
        facts = record.to_pylist()[0]
        assert (facts["status"], facts["error"], facts["message"]) == ("failed", "BrowserError", "the browser crashed")
        assert (facts["id"], facts["url"], facts["attempts"]) == ("p3", "https://example.org/3", 3)
        assert facts["seconds"]["read"] == 0.5

    def test_nothing_is_known_of_the_page(self):
        facts = of_failure(task(3), BrowserError("x"), {}).to_pylist()[0]
        known = {"id", "url", "source", "key", "status", "error", "message", "attempts", "seconds"}
        assert {name for name, value in facts.items() if value is not None} == known

    def test_goes_with_results(self):
        table = pa.Table.from_batches([of_failure(task(3), BrowserError("x"), {}), of_result(RESULT, task(1), {})])
        assert table.schema.equals(SCHEMA, check_metadata=True)


class TestLight:
    def test_is_small_and_can_be_written(self):
        line = light(of_result(RESULT, task(1), {"cut": 0.1}))
        assert set(line) == set(LIGHT)
        assert {"text", "cleaneval", "blocks"}.isdisjoint(line)
        assert json.loads(json.dumps(line, allow_nan=False)) == line
        assert (line["key"], line["seconds"], line["block_count"]) == (key(1).hex(), {"cut": 0.1}, 3)

    def test_failure(self):
        line = light(of_failure(task(1), BrowserError("x"), {}))
        assert (line["error"], line["seconds"], line["confidence"], line["characters"]) == (
            "BrowserError",
            {},
            None,
            None,
        )

    def test_numbers_are_short(self):
        record = of_result(result(snapshot("<p>x"), "p", confidence=0.1), task(1), {})
        assert '"confidence": 0.1,' in json.dumps(light(record))
