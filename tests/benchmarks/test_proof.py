from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.benchmarks import imported_benchmark, write_corpus

from vclean import Page
from vclean.classify.corpora.gold import GoldPage

HTML = "<title>{0}</title><nav><a href=/>Home</a></nav><h1>The {0}</h1><p>It rained all day in {0}."
VALUES = {("text", "a"): "The valley", ("json", "a"): '{"b": 1}', ("overlay svg", "a"): "<svg>"}


@pytest.fixture(scope="module")
def proof():
    with imported_benchmark("proof") as module:
        yield module


@pytest.fixture
def compared(proof, tmp_path: Path, capsys) -> Callable[..., tuple[int, str]]:
    """Return a function that compares `VALUES` with other values, and returns the exit code and what is printed."""

    def compare(values: dict[tuple[str, str], str], *options: str) -> tuple[int, str]:
        for name, entries in (("a", VALUES), ("b", values)):
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            (folder / "versions.json").write_text(json.dumps({"lxml": name}))
            lines = "".join(f"{json.dumps([*key, value])}\n" for key, value in entries.items())
            (folder / "small-static.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
        code = proof.main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), *options])
        return code, "".join(capsys.readouterr())

    return compare


class TestCompare:
    @pytest.mark.parametrize(
        ("changes", "options", "code", "expected"),
        [
            ({}, [], 0, "3 results compared, 0 differ"),
            ({}, [], 0, "lxml is a in A and b in B"),
            ({("text", "a"): "The town"}, [], 1, "text: small-static.jsonl.gz, a\n  at line 1\n  A: 'The valley'"),
            ({("text", "a"): "The town"}, ["--ignore", "te*"], 0, "2 results compared"),
            ({("text", "a"): "The town"}, ["--replace", "valley", "town"], 0, "0 differ"),
            ({("text", "b"): "The town"}, [], 1, "is only in B"),
        ],
    )
    def test_differences(self, compared, changes, options: list[str], code: int, expected: str) -> None:
        actual, printed = compared({**VALUES, **changes}, *options)
        assert (actual, expected in printed) == (code, True)

    def test_result_is_missing(self, compared) -> None:
        code, printed = compared({key: value for key, value in VALUES.items() if key[0] != "json"})
        assert (code, "is only in A" in printed) == (1, True)

    def test_part_is_missing(self, compared, tmp_path: Path) -> None:
        compared(VALUES)
        (tmp_path / "a" / "other-static.jsonl.gz").write_bytes(gzip.compress(b""))
        code, printed = compared(VALUES)
        assert (code, "only in one record: other-static" in printed) == (1, True)


class TestRecord:
    def test_entries_of_pages(self, proof) -> None:
        pages = [Page(content=HTML.format("valley"), id="a"), Page(content=b"", id="b")]
        values = {entry[:2]: entry.value for entry in proof.page_entries(pages, ["text", "fiasco"], rendered=False)}
        assert values["text", "a"].startswith("The valley\n")
        assert values["prediction", "a"].startswith("o\nh\np\n")
        assert "3 blocks kept" in values["explanation", "a"]
        assert values["method text", "a"].startswith("p\nh\np\n3f800000\n")
        assert values["page", "b"] == "NotHtmlError: the document is empty"
        assert ("method fiasco", "a") not in values

    @pytest.mark.slow
    @pytest.mark.browser
    def test_records_all_kinds_once(self, proof, monkeypatch, tmp_path: Path) -> None:
        monkeypatch.setattr(proof, "COMMANDS", "farm all.parquet -o out --workers 1 {farm}\nnone.html\n")
        monkeypatch.setattr(proof, "RENDERED_COMMANDS", "page.html --overlay out.svg\n")
        corpus = write_corpus(tmp_path / "small.parquet", [GoldPage(id="a", html=HTML.format("town").encode())])
        arguments = ["record", str(tmp_path / "out"), str(corpus), "--method", "text", "--render"]
        assert proof.main(arguments) == 0
        static, rendered = (proof.read(tmp_path / "out" / f"small-{mode}.jsonl.gz") for mode in proof.MODES)
        assert '"status": "ok"' in next(value for (kind, _), value in static.items() if kind == "farm")
        assert static["command messages", "none.html"].startswith("vclean: none.html does not exist")
        assert rendered["command file", "page.html --overlay out.svg: out.svg"].startswith("<svg")
        assert {"overlay html", "segments vips json", "segments learned svg"} <= {kind for kind, _ in rendered}
        before = (tmp_path / "out" / "small-static.jsonl.gz").stat()
        assert proof.main(arguments) == 0
        assert (tmp_path / "out" / "small-static.jsonl.gz").stat() == before

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('{"b": 1, "a": "data:image/png;base64,' + "A" * 40 + '"}', '[\n {\n  "a": "data:image",\n  "b": 1\n }\n]'),
            ('{"b": 1}\n{"b": 2}\n', '[\n {\n  "b": 1\n },\n {\n  "b": 2\n }\n]'),
            ("{no JSON", "{no JSON"),
        ],
    )
    def test_json_does_not_depend_on_the_order_of_fields(self, proof, text: str, expected: str) -> None:
        assert proof.normalize(text) == expected
