from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers.forum import cleaned, listing, thread
from helpers.outcomes import RESULT, key, task
from helpers.pages import laid_out, result, snapshot
from helpers.painted import painted
from hypothesis import given
from hypothesis import strategies as st

import vclean
from vclean.characters import replace_surrogates
from vclean.errors import BrowserError
from vclean.farm.rows import LOG_COLUMNS, SCHEMA, Task, failed_outcome, log_entry, result_row
from vclean.features.segments.vips import segment
from vclean.labels import Role
from vclean.page import Page
from vclean.render.cache import read_key
from vclean.settings import RenderSettings

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)


def row(page, labels, **facts):
    record = result_row(result(page, labels, **facts), task(1), {})
    record.validate(full=True)
    return record.to_pylist()[0]


class TestResultRow:
    def test_metadata_equals_json_output(self):
        facts, record = row(laid_out("<title>T</title><p>x"), "p", language="cs", confidence=0.5), RESULT.to_dict()
        known = {"title": "T", "language": "cs", "confidence": 0.5, "rendered": True, "method": "vclean"}
        known |= {"noscript": False, "url": record["url"], "build": record["build"]}
        assert {name: facts[name] for name in known} == known

    def test_columns_of_the_task(self):
        facts = result_row(RESULT, task(7, source="/in", attempt=2), {}).to_pylist()[0]
        assert (facts["id"], facts["source"], facts["key"], facts["attempts"]) == ("p7", "/in", key(7), 2)
        assert (facts["status"], facts["error"], facts["message"]) == ("ok", None, None)

    def test_blocks_equal_json_output(self):
        page = result(laid_out("<h1>One<p>two<p hidden>three"), "hpo", roles=[Role.TITLE, Role.ARTICLE, None])
        facts = result_row(page, task(1), {}).to_pylist()[0]
        for block, known in zip(facts["blocks"], page.to_dict()["blocks"], strict=True):
            assert (block["box"] and list(block["box"].values())) == known["box"]
            assert block["probability"] == pytest.approx(known["probability"])
            assert all(block[name] == known[name] for name in ("label", "role", "xpath", "visibility", "text"))

    def test_segments_equal_json_output(self):
        page = painted("<div title='0 0 400 300'>left</div><div title='500 0 500.25 300'>right</div>")
        segments = replace(
            segment(page), roles=(Role.ARTICLE, None, Role.AD), content_share=np.float32([0.5, np.nan, 1])
        )
        facts = result_row(result(page, "po"), task(1), {}, segments=segments).to_pylist()[0]["segments"]
        root = segments.to_dict()["root"]
        assert [each["parent"] for each in facts] == [-1, 0, 0]
        for row, known in zip(facts, [root, *root["segments"]], strict=True):
            assert list(row["box"].values()) == known["box"]
            assert all(row[name] == known[name] for name in ("doc", "role", "content_share", "xpaths", "text"))

    def test_segments_are_null_unless_requested(self):
        assert result_row(RESULT, task(1), {}).to_pylist()[0]["segments"] is None

    def test_records_equal_json_output(self):
        shop = "<h1>Fennel 2</h1><p>64,90 €</p><p>Number: L-204</p><p>A small lamp.</p><button>Add to cart</button>"
        soup = """<h1 itemprop="name">Soup</h1><script type="application/ld+json">{"@type": "Recipe", "name": "Soup",
            "recipeIngredient": ["3 leeks", "Salt"]}</script><ul><li>3 leeks<li>Salt</ul>"""
        pages = {"posts": cleaned(thread()), "items": cleaned(listing(), "https://example.org/")}
        pages |= {"product": vclean.clean(shop), "recipe": vclean.clean(soup)}
        for name, page in pages.items():
            facts, known = result_row(page, task(1), {}).to_pylist()[0], page.to_dict()
            assert {each: facts[each] for each in pages} == {each: known[each] for each in pages}
            assert len(facts[name]) > 3

    @pytest.mark.parametrize(
        ("html", "labels", "known"),
        [
            ("<h1>One<p>two<p>three", "hpo", {
                "text": "One\n\ntwo\n", "cleaneval": "<h>One\n<p>two\n", "block_count": 3, "kept_count": 2,
                "characters": 9, "rendered": False, "empty": None, "message": None,
            }),
            ("<p>", "", {"blocks": [], "text": "", "block_count": 0}),
            ("<iframe/><p>Home", "o", {
                "status": "ok", "empty": "boilerplate", "characters": 0, "message": "the source was repaired: no end "
                "of <iframe>; no text: the only block was labelled boilerplate",
            }),
        ],
    )  # fmt: skip
    def test_text_counts_and_notes_of_parsed_page(self, html, labels, known):
        facts = row(snapshot(html), labels, versions={"vclean": "1", "model": "7"})
        assert {name: facts[name] for name in known} == known
        assert facts["model"] == "7"
        assert all(block["box"] is None for block in facts["blocks"])

    def test_unknown_values_are_null(self):
        page = result(snapshot("<p>x"), "p")
        page.prediction.probability[0] = math.nan
        facts = result_row(page, task(1), {"render": 0.5, "label": 2.0, "odd": 1.0}).to_pylist()[0]
        assert (facts["confidence"], facts["model"], facts["blocks"][0]["probability"]) == (None, None, None)
        assert facts["seconds"] == {"read": None, "render": 0.5, "extract": None, "label": 2.0, "pack": None}

    def test_only_page_that_was_rendered_has_read_key(self):
        rendered = replace(laid_out("<p>x"), settings=RenderSettings().to_dict())
        known = read_key(task(1).page, rendered.settings, rendered=True)
        stored = Task(Page(snapshot=b"..."), "/s", key(1))
        for page, of, expected in (
            (rendered, task(1), known),
            (snapshot("<p>x"), task(1), None),
            (rendered, stored, None),
        ):
            assert result_row(result(page, "p"), of, {}).to_pylist()[0]["read_key"] == expected

    @given(ANY_TEXT, ANY_TEXT)
    def test_any_text(self, name, text):
        """Accept lone surrogates, which Parquet cannot encode."""
        page = snapshot("<p>x")
        page.texts[-1] = text + "x"
        facts = Task(Page(id=name), name, key(1))
        record = result_row(result(page, "p"), facts, {})
        record.validate(full=True)
        assert record.to_pylist()[0]["id"] == replace_surrogates(name)


class TestFailureRow:
    def test_other_columns_are_null(self):
        record = failed_outcome(task(3, attempt=3), BrowserError("the browser crashed"), {"read": 0.5}).record
        known = {"id": "p3", "url": "https://example.org/3", "source": "/in/pages.parquet", "key": key(3)}
        known |= {"status": "failed", "error": "BrowserError", "message": "the browser crashed", "attempts": 3}
        known |= {"seconds": {"read": 0.5, "render": None, "extract": None, "label": None, "pack": None}}
        assert {name: value for name, value in record.to_pylist()[0].items() if value is not None} == known

    def test_has_schema_of_results(self):
        table = pa.Table.from_batches(
            [failed_outcome(task(3), BrowserError("x"), {}).record, result_row(RESULT, task(1), {})]
        )
        assert table.schema.equals(SCHEMA, check_metadata=True)


class TestLogEntry:
    def test_is_small_and_serializable(self):
        line = log_entry(result_row(RESULT, task(1), {"extract": 0.1}))
        assert set(line) == set(LOG_COLUMNS)
        assert {"text", "cleaneval", "blocks"}.isdisjoint(line)
        assert json.loads(json.dumps(line, allow_nan=False)) == line
        assert (line["key"], line["seconds"], line["block_count"]) == (key(1).hex(), {"extract": 0.1}, 3)

    def test_failure(self):
        line = log_entry(failed_outcome(task(1), BrowserError("x"), {}).record)
        known = {"error": "BrowserError", "seconds": {}, "confidence": None, "characters": None}
        assert {name: line[name] for name in known} == known

    def test_numbers_are_rounded(self):
        record = result_row(result(snapshot("<p>x"), "p", confidence=0.1), task(1), {})
        assert '"confidence": 0.1,' in json.dumps(log_entry(record))
