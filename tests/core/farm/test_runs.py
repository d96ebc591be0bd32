"""Whole runs of the farm in which nothing goes wrong that is not the fault of a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from helpers.farming import content, html

from vclean.api import Cleaner
from vclean.cli.main import main
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from helpers.farming import Farm

pytestmark = [pytest.mark.slow, pytest.mark.browser]

NAMES = [f"p{number:03}" for number in range(12)]


class TestRun:
    def test_every_page_has_a_row_and_a_line_and_a_snapshot(self, farm: Farm) -> None:
        code, said = farm.run(farm.crawl(12), "--part-rows", 5, "--keep-snapshots")
        assert (code, said) == (0, "")
        assert farm.ids() == NAMES
        run = farm.runs[0]
        assert sorted(line["id"] for line in run.lines()) == NAMES
        snapshots = sorted((run.out / "snapshots").glob("*.parquet"))
        assert sorted(name for path in snapshots for name in pq.read_table(path)["id"].to_pylist()) == NAMES
        assert len(snapshots) == len(list((run.out / "parts").iterdir())) == 3

    def test_the_rows_are_what_cleaning_the_pages_gives(self, farm: Farm) -> None:
        assert farm.run(farm.crawl(2)) == (0, "")
        with Cleaner(render=True) as cleaner:
            result = cleaner.clean(Page(content=html("thing1")))
        row = farm.rows()[1]
        assert (row["text"], row["cleaneval"], row["title"]) == (result.to_text(), result.to_cleaneval(), "thing1")
        assert row["confidence"] == pytest.approx(result.confidence, abs=1e-4)
        facts = result.to_dict()["blocks"]
        assert [block["xpath"] for block in row["blocks"]] == [block["xpath"] for block in facts]
        boxes = [[round(side, 2) for side in block["box"].values()] for block in row["blocks"]]
        assert boxes == [block["box"] for block in facts]

    def test_failures_are_rows_with_their_reason(self, farm: Farm) -> None:
        pages = farm.crawl(2, empty="", binary="\x00\x01\x02\x00\xff" * 50)
        code, said = farm.run(pages, farm.folder / "missing.warc.gz", farm.folder / "*.jsonl")
        assert (code, said) == (1, "")
        failed = {row["id"]: row["error"] for row in farm.rows() if row["status"] == "failed"}
        places = {str(farm.folder / name): "InputError" for name in ("missing.warc.gz", "*.jsonl")}
        assert failed == {"empty": "NotHtmlError", "binary": "NotHtmlError"} | places
        assert farm.summary()["failed"] == {"InputError": 2, "NotHtmlError": 2}
        assert farm.summary()["state"] == "complete"

    def test_unrendered(self, farm: Farm) -> None:
        code, said = farm.run(farm.crawl(3), "--no-render", env={"VCLEAN_CHROMIUM": "/nonexistent"})
        assert (code, said) == (0, "")
        rows = farm.rows()
        assert {row["rendered"] for row in rows} == {False}
        assert all(block["box"] is None for row in rows for block in row["blocks"])

    def test_templates_decide_on_their_sites(self, farm: Farm) -> None:
        templates = farm.folder / "templates"
        templates.mkdir()
        (templates / "example.org.txt").write_text("h1\n")
        pages = farm.folder / "pages.jsonl"
        rows = [
            {"id": host, "url": f"https://{host}/", "html": html("rain")} for host in ("example.org", "example.net")
        ]
        pages.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert farm.run(pages, "--no-render", "--templates", templates) == (0, "")
        texts = {row["id"]: row["text"].strip() for row in farm.rows()}
        assert texts["example.org"] == "On rain"
        assert "nobody had expected" in texts["example.net"]

    def test_workers_share_the_work(self, farm: Farm) -> None:
        run = farm.start(farm.crawl(40), "--workers", 2)
        run.wait_for_pages(10)
        assert len(run.descendants("vclean.farm.worker")) == 2
        assert run.end() == (0, "")
        assert len(farm.ids()) == 40

    def test_the_end_says_where_the_rows_are(self, farm: Farm) -> None:
        pages = farm.crawl(3)
        said = farm.start(pages, "--no-render").process.communicate()[1]
        assert said.endswith(f"; they are in {farm.folder / 'out' / 'parts'}\n")
        assert "vclean: 3 pages, 0 failed, in 00:" in said
        assert farm.start(pages, "--no-render", "-q", out="quiet").process.communicate() == ("", "")


class TestResume:
    def test_what_is_done_is_not_done_again(self, farm: Farm) -> None:
        pages = farm.crawl(12)
        farm.run(pages)
        before = (farm.folder / "out/parts").stat().st_mtime_ns
        assert farm.run(pages, "--resume") == (0, "")
        assert (farm.folder / "out/parts").stat().st_mtime_ns == before
        assert farm.summary()["run"]["skipped"] == 12
        assert farm.summary()["pages"] == 12

    def test_new_pages_are_done_wherever_the_old_ones_are_now(self, farm: Farm) -> None:
        """The first file is gone; its pages are among those of another, in another order, by other row numbers."""
        old = farm.crawl(6)
        farm.run(old, "--no-render")
        new = farm.crawl(12)
        table = pq.read_table(new)
        pq.write_table(table.take(list(reversed(range(12)))), new)
        old.unlink()
        assert farm.run(new, "--no-render", "--resume") == (0, "")
        assert farm.ids() == NAMES
        assert farm.summary()["run"]["skipped"] == 6

    def test_it_ends_as_an_unbroken_run_does(self, farm: Farm) -> None:
        farm.run(farm.crawl(12), out="whole")
        farm.run(farm.crawl(5), out="pieces")
        farm.run(farm.crawl(12), "--resume", out="pieces")
        assert content(farm.rows("pieces")) == content(farm.rows("whole"))

    def test_failures_are_tried_again_when_asked_for(self, farm: Farm) -> None:
        late = farm.folder / "late.html"
        pages = farm.crawl(2, empty="")
        assert farm.run(pages, late, "--no-render")[0] == 1
        assert farm.run(pages, late, "--no-render", "--resume")[0] == 1, "they still have failed"
        late.write_text(html("late"), "utf-8")
        assert farm.run(pages, late, "--no-render", "--retry-failed") == (1, "")
        assert {row["id"]: row["status"] for row in farm.rows()} == {
            str(late): "ok",
            "empty": "failed",
            "p000": "ok",
            "p001": "ok",
        }
        assert farm.summary()["run"]["skipped"] == 2

    def test_other_settings_are_another_run(self, farm: Farm) -> None:
        pages = farm.crawl(1)
        farm.run(pages, "--no-render")
        code, said = farm.run(pages, "--no-render", "--precision", "--resume")
        assert code == 2
        assert "policy.recall_weight was 1.0 and is 0.25" in said

    def test_a_folder_in_use_is_left_alone(self, farm: Farm) -> None:
        pages = farm.crawl(1)
        farm.run(pages, "--no-render")
        code, said = farm.run(pages, "--no-render")
        assert code == 2
        assert "add --resume" in said
        assert farm.ids() == ["p000"]


class TestBadArguments:
    """In this process: it says what is wrong before any other is started."""

    @pytest.fixture
    def said(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
        """A function from arguments to the exit code and what a run on one page said."""

        def run(*arguments: object) -> tuple[int, str]:
            target = str(farm.folder / "out")
            code = main(["farm", str(farm.crawl(1)), *map(str, arguments), "-o", target])
            return code, capsys.readouterr().err

        return run

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (("--model", "none"), 10, "cannot read the model none"),
            (("--method", "none"), 2, "none"),
            (("--templates", "none"), 3, "cannot read the folder of templates none"),
            (("--address", "auto"), 2, "needs --engine ray"),
            (("--max-memory", "lots"), 2, "'lots' is no number"),
            (("--metrics-port", "70000"), 2, "1 to 65535"),
            (("--workers", "0"), 2, "has to be positive"),
        ],
    )
    def test_one_line_says_what_is_wrong(self, said, arguments: tuple[str, ...], code: int, message: str) -> None:
        ended, line = said("--no-render", *arguments)
        assert ended == code
        assert message in line
        assert line.count("\n") == 1

    @pytest.mark.parametrize(
        "arguments", [("--method", "none"), ("--pages", "none.txt"), ("--model", "none"), ("--templates", "none")]
    )
    def test_nothing_is_written_before_they_are_right(self, farm: Farm, said, arguments: tuple[str, ...]) -> None:
        assert said("--no-render", *arguments)[0] > 1
        assert not (farm.folder / "out").exists()

    def test_no_browser(self, farm: Farm, said, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/nonexistent")
        code, line = said()
        assert code == 9
        assert "VCLEAN_CHROMIUM" in line
        assert not (farm.folder / "out").exists()


def test_the_summary_can_be_read(farm: Farm) -> None:
    farm.run(farm.crawl(2), "--no-render")
    facts = json.loads((farm.folder / "out/summary.json").read_text("utf-8"))
    assert (facts["pages"], facts["ok"], facts["state"]) == (2, 2, "complete")
    assert facts["run"]["pages_per_second"] > 0
