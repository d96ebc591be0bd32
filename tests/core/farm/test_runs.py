"""Tests of complete runs of the farm without external faults."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from helpers.farming import Farm, content, html, wait_until

from vclean.api import Cleaner, Segmenter
from vclean.cli.main import main
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.slow, pytest.mark.browser]

NAMES = [f"p{number:03}" for number in range(12)]
HOSTS = ("example.org", "example.net")


class TestRendered:
    """One run over pages that succeed, fail or need rendering."""

    @pytest.fixture(scope="class")
    @classmethod
    def folder(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("rendered")

    @pytest.fixture(scope="class")
    @classmethod
    def ended(cls, folder: Path) -> Iterator[tuple[Farm, int, str]]:
        farm = Farm(folder, f"{os.getpid()}-{folder}", [])
        pages = farm.crawl(5, empty="", binary="\x00\x01\x02\x00\xff" * 50)
        places = (farm.folder / "missing.warc.gz", farm.folder / "*.jsonl")
        options = ("--workers", 2, "--part-rows", 3, "--keep-snapshots", "--segments")
        yield farm, *farm.run(pages, *places, *options)
        wait_until(lambda: not farm.left())

    def test_every_page_has_row_log_line_and_snapshot(self, ended: tuple[Farm, int, str]) -> None:
        run = ended[0].runs[0]
        ids = ended[0].ids()
        assert (len(ids), set(NAMES[:5]) - set(ids)) == (9, set())
        assert sorted(line["id"] for line in run.lines()) == ids
        snapshots = sorted((run.out / "snapshots").glob("*.parquet"))
        assert sorted(name for path in snapshots for name in pq.read_table(path)["id"].to_pylist()) == NAMES[:5]
        assert len(list((run.out / "parts").iterdir())) == 3

    def test_rows_equal_results_of_cleaner(self, ended: tuple[Farm, int, str]) -> None:
        with Cleaner(render=True) as cleaner:
            result = cleaner.clean(Page(content=html("thing1")))
        row = {each["id"]: each for each in ended[0].rows()}["p001"]
        assert (row["text"], row["cleaneval"], row["title"]) == (result.to_text(), result.to_cleaneval(), "thing1")
        assert row["confidence"] == pytest.approx(result.confidence, abs=1e-4)
        facts = result.to_dict()["blocks"]
        assert [block["xpath"] for block in row["blocks"]] == [block["xpath"] for block in facts]
        boxes = [[round(side, 2) for side in block["box"].values()] for block in row["blocks"]]
        assert boxes == [block["box"] for block in facts]

    def test_segments_on_request(self, ended: tuple[Farm, int, str]) -> None:
        with Segmenter() as segmenter:
            root = segmenter.segment(html("thing1")).to_dict()["root"]
        first = {each["id"]: each for each in ended[0].rows()}["p001"]["segments"][0]
        assert (first["parent"], first["text"], first["role"]) == (-1, root["text"], root["role"])
        assert first["content_share"] == pytest.approx(root["content_share"], abs=1e-4)

    def test_failures_have_rows_with_reason(self, ended: tuple[Farm, int, str]) -> None:
        farm, code, messages = ended
        assert (code, len(messages.splitlines())) == (1, 2)
        failed = {row["id"]: row["error"] for row in farm.rows() if row["status"] == "failed"}
        assert failed == {str(farm.folder / name): "InputError" for name in ("missing.warc.gz", "*.jsonl")}
        skipped = {row["id"]: row["error"] for row in farm.rows() if row["status"] == "skipped"}
        assert skipped == {"empty": "NotHtmlError", "binary": "NotHtmlError"}
        summary = farm.summary()
        assert summary["failed"] == {"InputError": 2}
        assert (summary["no_pages"], summary["ok"], summary["run"]["no_pages"]) == (2, 5, 2)
        assert (summary["state"], summary["pages"]) == ("complete", 9)
        assert summary["run"]["pages_per_second"] > 0

    def test_auto_renders_pages_that_need_it(self, farm: Farm) -> None:
        hidden = "<style>.x { display: none }</style>" + html("thing").replace("<p>", "<p class=x>Secret.<p>", 1)
        code, messages = farm.run(farm.crawl(2, hidden=hidden), "--render", "auto")
        assert (code, messages) == (0, "")
        rows = {row["id"]: row for row in farm.rows()}
        reasons = {name: row["render_reason"] for name, row in rows.items() if row["rendered"]}
        assert reasons["hidden"] == "styles"
        assert set(reasons.values()) <= {"styles", "confidence"}
        assert "Secret" not in rows["hidden"]["text"]
        summary = farm.summary()
        assert sum(summary["render_reasons"].values()) == len(reasons)
        assert summary["changed_by_rendering"] == sum((row["render_change"] or 0) > 0.05 for row in rows.values())


class TestUnrendered:
    def test_rows_and_final_line(self, farm: Farm) -> None:
        """Run without a browser, on sites with and without a template."""
        templates = farm.folder / "templates"
        templates.mkdir()
        (templates / "example.org.txt").write_text("h1\n")
        pages = farm.folder / "pages.jsonl"
        rows = [{"id": host, "url": f"https://{host}/", "html": html("rain")} for host in HOSTS]
        pages.write_text("\n".join(map(json.dumps, rows)))
        options = ("--no-render", "--templates", templates)
        messages = farm.start(pages, *options, env={"VCLEAN_CHROMIUM": "/nonexistent"}).process.communicate()[1]
        assert messages.endswith(f"; the rows are in {farm.folder / 'out' / 'parts'}\n")
        assert "vclean: 2 pages, 0 failed, in 00:" in messages
        assert {row["rendered"] for row in farm.rows()} == {False}
        assert all(block["box"] is None for row in farm.rows() for block in row["blocks"])
        texts = {row["id"]: row["text"].strip() for row in farm.rows()}
        assert texts["example.org"] == "On rain"
        assert "nobody had expected" in texts["example.net"]


class TestResume:
    def test_pieces_equal_a_whole_run(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> None:
        """Stop after a limit, refuse other settings, then clean pages of a new file in another order."""
        pages = farm.crawl(8)
        assert farm.run(farm.crawl(12), "--no-render", out="whole") == (0, "")
        assert farm.run(pages, "--no-render", "--limit", 5) == (0, "")
        assert farm.ids() == NAMES[:5]
        refused = ["farm", str(pages), "--no-render", "-o", str(farm.folder / "out")]
        assert (main(refused), main([*refused, "--precision", "--resume"])) == (2, 2)
        messages = capsys.readouterr().err
        assert "add --resume" in messages
        assert "recall_weight was 1.0 and is 0.25" in messages
        pages.unlink()
        new = farm.crawl(12)
        pq.write_table(pq.read_table(new).take(list(reversed(range(12)))), new)
        assert farm.run(new, "--no-render", "--resume") == (0, "")
        assert farm.summary()["run"]["skipped"] == 5
        assert content(farm.rows()) == content(farm.rows("whole"))
        before = (farm.folder / "out/parts").stat().st_mtime_ns
        quiet = farm.start(new, "--no-render", "--resume", "-q")
        assert quiet.process.communicate() == ("", "")
        assert (farm.folder / "out/parts").stat().st_mtime_ns == before
        assert (farm.summary()["run"]["skipped"], farm.summary()["pages"]) == (12, 12)

    def test_retries_failures_on_request(self, farm: Farm) -> None:
        late = farm.folder / "late.html"
        pages = farm.crawl(2, empty="")
        assert farm.run(pages, late, "--no-render")[0] == 1
        assert farm.run(pages, late, "--no-render", "--resume")[0] == 1, "they still have failed"
        late.write_text(html("late"), "utf-8")
        assert farm.run(pages, late, "--no-render", "--retry-failed")[0] == 0
        assert {row["id"]: row["status"] for row in farm.rows()} == {
            str(late): "ok",
            "empty": "skipped",
            "p000": "ok",
            "p001": "ok",
        }
        assert farm.summary()["run"]["skipped"] == 3


class TestBadArguments:
    """Run in this process: errors are reported before another process starts."""

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (("--no-render", "--model", "none"), 10, "cannot read the model none"),
            (("--no-render", "--method", "none"), 2, "none"),
            (("--no-render", "--templates", "none"), 3, "cannot read the folder of templates none"),
            (("--no-render", "--pages", "none.txt"), 3, "none.txt cannot be read"),
            (("--no-render", ""), 2, "an INPUT is empty"),
            ((), 9, "VCLEAN_CHROMIUM"),
        ],
    )
    def test_prints_one_line_and_writes_nothing(
        self,
        farm: Farm,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
        arguments: tuple[str, ...],
        *,
        code: int,
        message: str,
    ) -> None:
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/nonexistent")
        target = farm.folder / "out"
        assert main(["farm", str(farm.crawl(1)), *arguments, "-o", str(target)]) == code
        line = capsys.readouterr().err
        assert (message in line, line.count("\n"), target.exists()) == (True, 1, False), line

    def test_inputs_without_pages(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> None:
        (farm.folder / "none.jsonl").touch()
        assert main(["farm", str(farm.folder / "none.jsonl"), "--no-render", "-o", str(farm.folder / "out")]) == 0
        assert capsys.readouterr().err == "vclean: the inputs contain no page: check them\n"

    def test_first_failures_are_printed(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> None:
        names = [str(farm.folder / f"none{number}.html") for number in range(5)]
        assert main(["farm", *names, "--no-render", "-o", str(farm.folder / "out")]) == 1
        *failures, last = capsys.readouterr().err.splitlines()
        remedy = "check the name, or begin a web address with https://"
        assert set(failures) <= {f"vclean: {name} does not exist: {remedy}" for name in names}
        assert len(failures) == 3
        assert "5 failed (InputError 5; each message is in pages.jsonl" in last
