"""Tests of complete runs of the farm without external faults."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from helpers.farming import content, html

from vclean.api import Cleaner, Segmenter
from vclean.cli.main import main
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable

    from helpers.farming import Farm

pytestmark = [pytest.mark.slow, pytest.mark.browser]

NAMES = [f"p{number:03}" for number in range(12)]


class TestRun:
    def test_every_page_has_row_log_line_and_snapshot(self, farm: Farm) -> None:
        code, messages = farm.run(farm.crawl(12), "--part-rows", 5, "--keep-snapshots")
        assert (code, messages) == (0, "")
        assert farm.ids() == NAMES
        run = farm.runs[0]
        assert sorted(line["id"] for line in run.lines()) == NAMES
        snapshots = sorted((run.out / "snapshots").glob("*.parquet"))
        assert sorted(name for path in snapshots for name in pq.read_table(path)["id"].to_pylist()) == NAMES
        assert len(snapshots) == len(list((run.out / "parts").iterdir())) == 3

    def test_rows_equal_results_of_cleaner(self, farm: Farm) -> None:
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

    def test_segments_on_request(self, farm: Farm) -> None:
        assert farm.run(farm.crawl(2), "--segments") == (0, "")
        with Segmenter() as segmenter:
            root = segmenter.segment(html("thing1")).to_dict()["root"]
        first = farm.rows()[1]["segments"][0]
        assert (first["parent"], first["text"], first["role"]) == (-1, root["text"], root["role"])
        assert first["content_share"] == pytest.approx(root["content_share"], abs=1e-4)

    def test_auto_renders_pages_that_need_it(self, farm: Farm) -> None:
        hidden = "<style>.x { display: none }</style>" + html("thing").replace("<p>", "<p class=x>Secret.<p>", 1)
        code, messages = farm.run(farm.crawl(3, hidden=hidden), "--render", "auto")
        assert (code, messages) == (0, "")
        rows = {row["id"]: row for row in farm.rows()}
        reasons = {name: row["render_reason"] for name, row in rows.items() if row["rendered"]}
        assert reasons["hidden"] == "styles"
        assert set(reasons.values()) <= {"styles", "confidence"}
        assert "Secret" not in rows["hidden"]["text"]
        summary = farm.summary()
        assert sum(summary["render_reasons"].values()) == len(reasons)
        assert summary["changed_by_rendering"] == sum((row["render_change"] or 0) > 0.05 for row in rows.values())

    def test_failures_have_rows_with_reason(self, farm: Farm) -> None:
        pages = farm.crawl(2, empty="", binary="\x00\x01\x02\x00\xff" * 50)
        code, messages = farm.run(pages, farm.folder / "missing.warc.gz", farm.folder / "*.jsonl")
        assert (code, len(messages.splitlines())) == (1, 2)
        failed = {row["id"]: row["error"] for row in farm.rows() if row["status"] == "failed"}
        places = {str(farm.folder / name): "InputError" for name in ("missing.warc.gz", "*.jsonl")}
        skipped = {row["id"]: row["error"] for row in farm.rows() if row["status"] == "skipped"}
        assert failed == places
        assert skipped == {"empty": "NotHtmlError", "binary": "NotHtmlError"}
        assert farm.summary()["failed"] == {"InputError": 2}
        assert (farm.summary()["no_pages"], farm.summary()["ok"], farm.summary()["run"]["no_pages"]) == (2, 2, 2)
        assert farm.summary()["state"] == "complete"

    def test_unrendered(self, farm: Farm) -> None:
        code, messages = farm.run(farm.crawl(3), "--no-render", env={"VCLEAN_CHROMIUM": "/nonexistent"})
        assert (code, messages) == (0, "")
        rows = farm.rows()
        assert {row["rendered"] for row in rows} == {False}
        assert all(block["box"] is None for row in rows for block in row["blocks"])

    def test_templates_apply_to_their_sites(self, farm: Farm) -> None:
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

    def test_several_workers(self, farm: Farm) -> None:
        run = farm.start(farm.crawl(40), "--workers", 2)
        run.wait_for_pages(10)
        assert len(run.descendants("vclean.farm.worker")) == 2
        assert run.end() == (0, "")
        assert len(farm.ids()) == 40

    def test_final_line_names_output_folder(self, farm: Farm) -> None:
        pages = farm.crawl(3)
        messages = farm.start(pages, "--no-render").process.communicate()[1]
        assert messages.endswith(f"; the rows are in {farm.folder / 'out' / 'parts'}\n")
        assert "vclean: 3 pages, 0 failed, in 00:" in messages
        assert farm.start(pages, "--no-render", "-q", out="quiet").process.communicate() == ("", "")


class TestResume:
    def test_skips_finished_pages(self, farm: Farm) -> None:
        pages = farm.crawl(12)
        farm.run(pages)
        before = (farm.folder / "out/parts").stat().st_mtime_ns
        assert farm.run(pages, "--resume") == (0, "")
        assert (farm.folder / "out/parts").stat().st_mtime_ns == before
        assert farm.summary()["run"]["skipped"] == 12
        assert farm.summary()["pages"] == 12

    def test_continues_after_limit(self, farm: Farm) -> None:
        pages = farm.crawl(12)
        assert farm.run(pages, "--no-render", "--limit", 5) == (0, "")
        assert farm.ids() == NAMES[:5]
        assert farm.run(pages, "--no-render", "--resume") == (0, "")
        assert farm.ids() == NAMES
        assert farm.summary()["run"]["skipped"] == 5

    def test_cleans_new_pages_after_old_ones_moved(self, farm: Farm) -> None:
        """Delete the first file; its pages are in another file, in another order and with other row numbers."""
        old = farm.crawl(6)
        farm.run(old, "--no-render")
        new = farm.crawl(12)
        table = pq.read_table(new)
        pq.write_table(table.take(list(reversed(range(12)))), new)
        old.unlink()
        assert farm.run(new, "--no-render", "--resume") == (0, "")
        assert farm.ids() == NAMES
        assert farm.summary()["run"]["skipped"] == 6

    def test_equals_uninterrupted_run(self, farm: Farm) -> None:
        farm.run(farm.crawl(12), out="whole")
        farm.run(farm.crawl(5), out="pieces")
        farm.run(farm.crawl(12), "--resume", out="pieces")
        assert content(farm.rows("pieces")) == content(farm.rows("whole"))

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

    def test_rejects_other_settings(self, farm: Farm) -> None:
        pages = farm.crawl(1)
        farm.run(pages, "--no-render")
        code, messages = farm.run(pages, "--no-render", "--precision", "--resume")
        assert code == 2
        assert "policy.recall_weight was 1.0 and is 0.25" in messages

    def test_rejects_folder_in_use(self, farm: Farm) -> None:
        pages = farm.crawl(1)
        farm.run(pages, "--no-render")
        code, messages = farm.run(pages, "--no-render")
        assert code == 2
        assert "add --resume" in messages
        assert farm.ids() == ["p000"]


class TestBadArguments:
    """Run in this process: errors are reported before another process starts."""

    @pytest.fixture
    def messages(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
        """Return a function from arguments to the exit code and the messages of a run on one page."""

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
            (("--max-memory", "lots"), 2, "'lots' is not a number"),
            (("--metrics-port", "70000"), 2, "1 to 65535"),
            (("--workers", "0"), 2, "has to be positive"),
        ],
    )
    def test_prints_one_line(self, messages, arguments: tuple[str, ...], code: int, message: str) -> None:
        ended, line = messages("--no-render", *arguments)
        assert ended == code
        assert message in line
        assert line.count("\n") == 1

    @pytest.mark.parametrize(
        "arguments", [("--method", "none"), ("--pages", "none.txt"), ("--model", "none"), ("--templates", "none")]
    )
    def test_writes_nothing(self, farm: Farm, messages, arguments: tuple[str, ...]) -> None:
        assert messages("--no-render", *arguments)[0] > 1
        assert not (farm.folder / "out").exists()

    def test_empty_input(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["farm", "", "-o", str(farm.folder / "out")]) == 2
        assert "an INPUT is empty" in capsys.readouterr().err
        assert not (farm.folder / "out").exists()

    def test_inputs_without_pages(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> None:
        (farm.folder / "none.jsonl").touch()
        assert main(["farm", str(farm.folder / "none.jsonl"), "--no-render", "-o", str(farm.folder / "out")]) == 0
        assert capsys.readouterr().err == "vclean: the inputs contain no page: check them\n"

    def test_first_failures_are_printed(self, farm: Farm, capsys: pytest.CaptureFixture[str]) -> None:
        names = [str(farm.folder / f"none{number}.html") for number in range(5)]
        assert main(["farm", *names, "--no-render", "-o", str(farm.folder / "out")]) == 1
        *failures, last = capsys.readouterr().err.splitlines()
        assert sorted(failures) <= [f"vclean: {name} does not exist: check the name" for name in names]
        assert len(failures) == 3
        assert "5 failed (InputError 5; each message is in pages.jsonl" in last

    def test_missing_browser(self, farm: Farm, messages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("VCLEAN_CHROMIUM", "/nonexistent")
        code, line = messages()
        assert code == 9
        assert "VCLEAN_CHROMIUM" in line
        assert not (farm.folder / "out").exists()


def test_summary_is_valid_json(farm: Farm) -> None:
    farm.run(farm.crawl(2), "--no-render")
    facts = json.loads((farm.folder / "out/summary.json").read_text("utf-8"))
    assert (facts["pages"], facts["ok"], facts["state"]) == (2, 2, "complete")
    assert facts["run"]["pages_per_second"] > 0
