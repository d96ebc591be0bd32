from __future__ import annotations

from helpers.forum import cleaned, thread
from helpers.pages import laid_out, result, snapshot

from vclean.output.json import to_record, write_json


class TestPage:
    def test_fields_of_parsed_page(self):
        page = snapshot("<html lang=CS><title>T</title><p>x")
        record = to_record(result(page, "p", id="7", versions={"vclean": "1.0"}, confidence=0.123456))
        assert {name: value for name, value in record.items() if name not in ("blocks", "build", "metadata")} == {
            "id": "7", "url": "https://example.org/dir/page.html", "title": "T", "language": "cs", "rendered": False,
            "render_reason": None,
            "size": None, "noscript": False, "method": "vclean", "versions": {"vclean": "1.0"}, "settings": {},
            "confidence": 0.1235, "headline": None, "hidden": {
                "observed": False, "revealable_blocks": 0, "revealable_words": 0, "hidden_blocks": 0,
                "hidden_words": 0, "injection_suspect": False,
            },
            "posts": [], "items": [], "product": None, "recipe": None, "empty": None, "notes": [],
        }  # fmt: skip
        assert record["build"].startswith("lxml ")

    def test_metadata_has_values_and_their_evidence(self):
        html = "<title>Rain</title><meta name=author content='Ann Lee'><h1>Rain</h1><p class=byline>By Ann Lee<p>x"
        metadata = to_record(result(snapshot(html), "hpp", language="en"))["metadata"]
        assert (metadata["title"], metadata["authors"], metadata["language"]) == ("Rain", ["Ann Lee"], "en")
        assert set(metadata["evidence"]) - {"page_type"} == {"title", "authors", "language"}
        assert set(metadata) - {"page_type"} == {*metadata["evidence"], "evidence"} - {"page_type"}
        assert set(metadata["evidence"]["title"]) == {"source", "property", "probability", "sources", "xpath", "box"}


class TestBlocks:
    def test_unrendered(self):
        (block,) = to_record(result(snapshot("<div><p>a<p>b</div>"), "pp"))["blocks"][1:]
        assert block == {
            "label": "p", "probability": 0.9, "role": None, "kind": "body", "box": None,
            "xpath": "/html[1]/body[1]/div[1]/p[2]",
            "tag": "p", "font_size": None, "color": None, "background": None, "visibility": "shown",
            "technique": None, "text": "b",
        }  # fmt: skip

    def test_rendered(self):
        """Find the nearest visible color as background."""
        styles = {
            "div": {"background-color": "rgb(1, 2, 3)"},
            "p": {"font-size": "13.3333px", "color": "rgb(255, 0, 16)"},
        }
        (block,) = to_record(result(laid_out("<div><p>abc</p></div>", styles=styles), "p"))["blocks"]
        assert block["box"] == [40.0, 20.0, 24.0, 16.0]
        assert (block["font_size"], block["color"], block["background"]) == (13.33, "#ff0010", "#010203")


def test_no_escapes_of_non_ascii_characters():
    assert "žluť" in write_json(result(snapshot("<p>žluť"), "p"))


def test_json_posts():
    first = to_record(cleaned(thread()))["posts"][0]
    assert [first[name] for name in ("author", "date", "depth", "box")] == ["Ada", "2024-03-10T10:20:00", 0, None]
