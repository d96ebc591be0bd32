from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, STYLE, record, response
from helpers.http_site import QUICK, site  # noqa: F401 - a fixture

from vclean.api import clean
from vclean.classify.content import model
from vclean.classify.content.site_evidence import SiteEvidence, add_evidence
from vclean.classify.prediction import Prediction
from vclean.cli.batch import describe_unexpected, suggest_option
from vclean.cli.main import main
from vclean.errors import VcleanError
from vclean.features.blocks import BlockColumns
from vclean.labels import Label
from vclean.page_reader import PageReader
from vclean.pipeline import Pipeline, UnlabelledPage
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.result import Result
from vclean.settings import Policy

if TYPE_CHECKING:
    from pathlib import Path

HTML = "<html lang=en><title>Weather</title><h1>Rain</h1><p>It rained all day in the valley."
TEXT = "# Rain\n\nIt rained all day in the valley.\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command line with a method that needs no model; return exit code, output and error lines."""

    def call(*arguments: str | Path, method: str = "text") -> tuple[int, str, list[str]]:
        code = main([*map(str, arguments), "--method", method])
        captured = capsys.readouterr()
        return code, captured.out, captured.err.splitlines()

    return call


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(HTML)
    return path


def process(*arguments: str | Path, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "vclean", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **(pipes | options))  # type: ignore[call-overload]


class TestOnePage:
    def test_the_url_is_for_pages_without_one(self, run, tmp_path: Path) -> None:
        link = "<p>See <a href=more.html>more</a>"
        columns = {"html": [link, link], "url": ["https://own.example/", None]}
        pq.write_table(pa.table(columns), tmp_path / "a.parquet")
        out = run(tmp_path / "a.parquet", "--url", "https://given.example/", "-f", "markdown")[1]
        assert out.index("(https://own.example/more.html)") < out.index("(https://given.example/more.html)")

    @pytest.mark.parametrize("side", ["--width", "--height"])
    @pytest.mark.parametrize("value", ["15", "16385"])
    def test_rejects_impossible_viewport(self, run, page: Path, side: str, value: str) -> None:
        code, out, errors = run(page, "--render", side, value)
        assert (code, out) == (2, "")
        assert "16 to 16,384 px" in errors[0]

    @pytest.mark.parametrize("option", ["-o", "--overlay", "--review"])
    def test_fails_early_if_output_cannot_be_written(self, run, tmp_path: Path, option: str) -> None:
        code, out, errors = run("missing.html", option, tmp_path / "none" / "out.png")
        assert (code, out, len(errors)) == (12, "", 1)

    def test_output_is_utf8_in_any_terminal(self, page: Path) -> None:
        page.write_text("<p>žluť 日本", encoding="utf-8")
        environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
        out, _ = process(page, "--method", "text", env=environment).communicate(timeout=60)
        assert out.decode() == "žluť 日本\n"

    def test_verbose_reports_kept_blocks(self, run, page: Path) -> None:
        _, out, errors = run(page, "-v")
        assert out == TEXT
        assert "2 of 2 blocks kept" in errors[0]


class TestSeveralPages:
    @pytest.fixture
    def pages(self, tmp_path: Path) -> list[Path]:
        paths = [tmp_path / name for name in ("a.html", "b.html")]
        for path in paths:
            path.write_text(f"<p>Page {path.stem}.")
        return paths

    def test_json_lines(self, run, pages: list[Path], tmp_path: Path) -> None:
        _, out, _ = run(*pages, "-f", "json")
        assert [json.loads(line)["id"] for line in out.splitlines()] == [str(path) for path in pages]
        assert run(*pages, "-f", "json", "-o", tmp_path / "all.jsonl")[0] == 0
        assert (tmp_path / "all.jsonl").read_text() == out

    def test_overlay_for_each_page_has_name_of_result(
        self, run, pages: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The folders of overlays and results are created.
        monkeypatch.setattr(renderer, "Renderer", lambda *_, **__: nullcontext())
        monkeypatch.setattr(PageReader, "read", lambda _, page, screenshot: Rendering(parse(page)))
        monkeypatch.setattr(Result, "overlay", lambda *_: b"a picture")
        long = tmp_path / ("n" * 200 + ".html")
        long.write_text("<p>x")
        assert run(*pages, long, "--overlay", tmp_path / "mo" / "x.png", "-o", tmp_path / "out")[0] == 0
        pictures = {path.stem.removeprefix("x-") for path in (tmp_path / "mo").iterdir()}
        assert pictures == {path.stem for path in (tmp_path / "out").iterdir()}
        assert len(pictures) == 3

    def test_names_bad_page_and_continues(self, run, pages: list[Path], tmp_path: Path) -> None:
        (tmp_path / "bad.html").write_bytes(b"%PDF-1.7")
        code, out, errors = run(pages[0], tmp_path / "bad.html", "missing.html", pages[1])
        assert code == 1
        assert out.count("<!--") == 2
        assert errors == [
            f"vclean: {tmp_path / 'bad.html'}: this is a PDF document, not HTML",
            "vclean: missing.html does not exist: check the name",
        ]

    def test_error_that_would_recur_ends_run(self, run, pages: list[Path], tmp_path: Path) -> None:
        out = tmp_path / "out"
        out.mkdir()
        (out / "taken").mkdir()
        code, _, errors = run(*pages, "-o", pages[0] / "below")
        assert (code, len(errors)) == (12, 1)


class TestOnePageOfAnArchive:
    @pytest.fixture
    def archive(self, tmp_path: Path) -> Path:
        path = tmp_path / "a.warc"
        path.write_bytes(PAGE + record("http://a.example/other", response(b"<p>two", "text/html")) + STYLE)
        return path

    def test_by_its_url(self, run, archive: Path) -> None:
        assert run(archive, "--page", "http://a.example/other") == (0, "two\n", [])

    def test_unknown(self, run, archive: Path) -> None:
        code, out, errors = run(archive, "--page", "http://a.example/othr")
        assert (code, out) == (3, "")
        assert errors == [
            f"vclean: {archive} has no page http://a.example/othr, but 2 other pages, such as http://a.example/other"
        ]

    def test_needs_one_archive(self, run, archive: Path, page: Path) -> None:
        for inputs in ([page], [archive, archive]):
            code, _, errors = run(*inputs, "--page", "http://a.example/other")
            assert (code, len(errors)) == (2, 1)
            assert "one web archive" in errors[0]


def test_a_feed_is_cleaned_if_forced(run, tmp_path: Path) -> None:
    path = tmp_path / "feed.xml"
    path.write_text(
        "<rss><channel><title>News</title><item><description>It rained.</description></item></channel></rss>"
    )
    code, out, errors = run(path)
    assert (code, out, len(errors)) == (4, "", 1)
    assert "this is an RSS feed, not HTML: --force-html" in errors[0]
    assert "It rained." in run(path, "--force-html")[1]


class Even:
    """Model with the same probability for every block."""

    version = "even"

    def label(
        self, blocks: BlockColumns, *, evidence: SiteEvidence | None = None, policy: Policy | None = None
    ) -> Prediction:
        probability = np.full(len(blocks), 0.6, dtype=np.float32)
        if evidence is not None:
            probability = add_evidence(probability, evidence.log_odds)
        return Prediction([Label.PARAGRAPH] * len(blocks), probability, confidence=0.6)


class TestSameSite:
    """Option `--same-site`: read all pages, then label each with the model and the text that repeats on its site."""

    @pytest.fixture
    def pages(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(model, "load", lambda _: Even())
        for name, weather in (("a", "It rained all day in the valley."), ("b", "A dry day, said the ferryman.")):
            (tmp_path / f"{name}.html").write_text(f"<p>Home<h1>Rain</h1><p>{weather}")
        return tmp_path

    def test_names_bad_page_and_continues(self, run, pages: Path) -> None:
        (pages / "aa.html").touch()
        code, out, errors = run(pages, "--same-site", method="vclean")
        assert (code, out.count("<!--"), len(errors)) == (1, 2, 1)
        assert "aa.html" in errors[0]

    def test_reports_reason_for_missing_text(self, run, pages: Path) -> None:
        (pages / "c.html").write_text("<body><script>draw()</script>")
        errors = run(pages, "--same-site", method="vclean")[2]
        assert [error.partition(": no text: ")[2] for error in errors] == [
            "the page has only scripts; try --render --js"
        ]

    def test_verbose_reports_each_page(self, run, pages: Path) -> None:
        assert sum("blocks kept" in line for line in run(pages, "--same-site", "-v", method="vclean")[2]) == 2

    def test_a_method_that_cannot_compare(self, run, pages: Path) -> None:
        code, out, errors = run(pages, "--same-site", method="bte")
        assert (code, out, len(errors)) == (2, "", 1)
        assert "the method bte cannot compare" in errors[0]


class TestReview:
    """Option `--review FILE`: list the pages of low confidence."""

    @pytest.fixture
    def pages(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Write a folder of three pages, with their confidence in their titles."""
        for name, confidence in (("a", 0.7), ("b", 0.2), ("c", 0.9)):
            (tmp_path / f"{name}.html").write_text(HTML.replace("Weather", str(confidence)))
        original = Pipeline.label

        def told(self: Pipeline, blocks: UnlabelledPage, **_: object) -> Result:
            result = original(self, blocks)
            confidence = float(blocks.columns.snapshot.title)
            return replace(result, prediction=replace(result.prediction, confidence=confidence))

        monkeypatch.setattr(Pipeline, "label", told)
        return tmp_path

    def test_the_threshold(self, run, pages: Path) -> None:
        assert run(pages, "--review", pages / "look.jsonl", "--review-below", "0.5")[0] == 0
        assert (pages / "look.jsonl").read_text().count("\n") == 1

    def test_writes_list_despite_failed_page(self, run, pages: Path) -> None:
        (pages / "d.html").write_bytes(b"")
        assert run(pages, "--review", pages / "look.jsonl")[0] == 1
        assert (pages / "look.jsonl").read_text().count("\n") == 2

    def test_a_method_without_confidence(self, run, page: Path, tmp_path: Path) -> None:
        code, out, errors = run(page, "--review", tmp_path / "look.jsonl")
        assert (code, out) == (2, "")
        assert len(errors) == 1
        assert "the method text gives none" in errors[0]
        assert not (tmp_path / "look.jsonl").exists()


class TestBadInput:
    """Bad input: each has a result, or one clear line and an exit code."""

    def assert_fails(self, answer: tuple[int, str, list[str]], code: int, *words: str) -> None:
        assert answer[:2] == (code, "")
        assert len(answer[2]) == 1
        assert answer[2][0].startswith("vclean: ")
        assert all(word in answer[2][0] for word in words)

    @pytest.mark.parametrize("charset", ["utf-8", "utf-16", "no-such-charset", ""])
    def test_wrongly_declared(self, run, page: Path, charset: str) -> None:
        text = "Příliš žluťoučký kůň úpěl ďábelské ódy o nešťastné lásce a vytrvalém dešti."
        page.write_bytes(f"<meta charset='{charset}'><p>{text}".encode("cp1250"))
        assert run(page)[1] == f"{text}\n"

    def test_50_mb(self, run, page: Path) -> None:
        page.write_bytes(b"<p>all work and no play</p>\n" * (50 * 2**20 // 28 + 1))
        start = time.monotonic()
        self.assert_fails(run(page), 5, str(page), "33,554,432 bytes", "--max-bytes")
        assert time.monotonic() - start < 10

    def test_100_000_nested_elements(self, run, page: Path) -> None:
        page.write_text("<div>" * 100_000 + "<p>deep down" + "</div>" * 100_000)
        start = time.monotonic()
        self.assert_fails(run(page), 5, str(page), "nest")
        assert time.monotonic() - start < 10

    def test_over_the_limit_of_elements(self, run, page: Path) -> None:
        page.write_text("<p>x" * 160_000)
        self.assert_fails(run(page), 5, str(page), "150,000", "--max-nodes")

    def test_a_frameset(self, run, page: Path) -> None:
        page.write_text("<frameset cols='20%,*'><frame src=menu.html><frame src=main.html></frameset>")
        code, out, errors = run(page)
        assert (code, out) == (0, "")
        assert errors == [f"vclean: {page}: no text: the page is a frameset; clean its frames: menu.html, main.html"]

    def test_quiet_omits_reason_for_missing_text(self, run, page: Path) -> None:
        page.write_text("<body><script>1</script>")
        assert run(page, "-q") == (0, "", [])

    def test_a_redirect_loop(self, run, site: str) -> None:
        self.assert_fails(
            run(f"{site}/loop", "--allow-host", "127.0.0.1"), 7, f"{site}/loop", "redirects more than 10 times"
        )

    @pytest.mark.parametrize("content", [b"nothing like it", b"", PAGE[: len(PAGE) // 4]])
    def test_an_archive_without_a_page(self, run, tmp_path: Path, content: bytes) -> None:
        # The exit code is that of the error; 1 is for runs with some results.
        (tmp_path / "a.warc").write_bytes(content)
        self.assert_fails(run(tmp_path / "a.warc"), 3, "a.warc")

    @pytest.mark.parametrize("name", ["a.parquet", "a.jsonl"])
    def test_a_table_without_rows(self, run, tmp_path: Path, name: str) -> None:
        if name.endswith("parquet"):
            pq.write_table(pa.schema([("html", pa.binary())]).empty_table(), tmp_path / name)
        else:
            (tmp_path / name).touch()
        self.assert_fails(run(tmp_path / name), 4, f"{name} is empty: it has no rows")

    def test_standard_input_twice(self, run) -> None:
        self.assert_fails(run("-", "-"), 2, "name it once")

    def test_several_arguments_without_result(self, run) -> None:
        assert run("none.html", "neither.html")[0] == 1

    def test_bad_usage(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--no-such"]) == 2
        captured = capsys.readouterr()
        assert (captured.out, len(captured.err.splitlines())) == ("", 1)


class TestMain:
    def test_verbose_prints_traceback_of_bug(self, run, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise ValueError("odd")

        monkeypatch.setattr(Pipeline, "read_blocks", fail)
        assert any("Traceback" in line for line in run(page, "-v")[2])

    def test_an_interrupt(self, run, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Pipeline, "read_blocks", interrupt)
        assert run(page) == (130, "", [])

    def test_every_exit_code_belongs_to_an_error_class(self) -> None:
        codes = [kind.exit_code for kind in VcleanError.__subclasses__()]
        assert len(codes) == len(set(codes))


@pytest.mark.slow
class TestProcess:
    def test_the_module_runs(self, page: Path) -> None:
        running = process(page, "--method", "text")
        out, errors = running.communicate(timeout=60)
        assert (running.returncode, out.decode(), errors) == (0, TEXT, b"")

    def test_no_standard_output(self, page: Path) -> None:
        """Run `vclean PAGE >&-`."""
        command = shlex.join([sys.executable, "-m", "vclean", str(page), "--method", "text"])
        ended = subprocess.run(["sh", "-c", f"{command} >&-"], capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 12
        assert ended.stderr == "vclean: standard output is closed: open it, if only to /dev/null\n"

    def test_reader_closes_pipe_early(self, page: Path) -> None:
        """Run `vclean PAGE... | head -1`: there is no message and no failure."""
        running = process(*[page] * 50, "--method", "text")
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        errors = running.stderr.read()
        running.stderr.close()
        assert (running.wait(60), errors) == (0, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
    def test_version_on_full_disk(self) -> None:
        with Path("/dev/full").open("wb") as full:
            running = process("--version", stdout=full)
            _, errors = running.communicate(timeout=60)
        assert running.returncode == 12
        assert errors.startswith(b"vclean: cannot write the output: the disk is full")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
    def test_a_full_disk(self, page: Path) -> None:
        with Path("/dev/full").open("wb") as full:
            running = process(page, "--method", "text", stdout=full)
            _, errors = running.communicate(timeout=60)
        assert running.returncode == 12
        assert errors.startswith(b"vclean: cannot write the output: the disk is full")
        assert errors.count(b"\n") == 1

    @pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
    def test_control_c_leaves_nothing_behind(self, page: Path, tmp_path: Path) -> None:
        out = tmp_path / "out.jsonl"
        pipe = tmp_path / "pipe.html"
        os.mkfifo(pipe)
        running = process(page, pipe, "--method", "text", "-f", "json", "-o", out)
        with pipe.open("wb") as writer:
            writer.write(b"<p>never done")
            writer.flush()
            running.send_signal(signal.SIGINT)
        # The end of the page wakes a reader whom the signal reached too early to interrupt the reading itself.
        _, errors = running.communicate(timeout=60)
        assert (running.returncode, errors) == (130, b"")
        assert {path.name for path in tmp_path.iterdir()} == {"page.html", "pipe.html"}


class TestDescribeUnexpected:
    @pytest.mark.parametrize(
        ("error", "start"),
        [(ValueError("odd\n thing"), "unexpected ValueError: odd thing;"), (MemoryError(), "unexpected MemoryError;")],
    )
    def test_one_line(self, error: Exception, start: str) -> None:
        assert describe_unexpected(error).startswith(start)


class TestSuggestOption:
    def test_other_notes_need_no_option(self) -> None:
        result = clean("<iframe/><script>1</script>", method="text")
        assert [suggest_option(result, note) for note in result.notes] == ["", "; try --render --js"]


def test_lists_several_pages_in_a_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<h1>Rain</h1><p>It rained.</p><p hidden>Page {name}</p>")
    out = tmp_path / "out"
    assert main([str(tmp_path / "a.html"), str(tmp_path / "b.html"), "--show-hidden", "-o", str(out), "-q"]) == 0
    assert (out / "a.txt").read_text() == "hidden\tdisplay\t-\t/html[1]/body[1]/p[2]\tPage a\n"
    assert (out / "b.txt").read_text().endswith("\tPage b\n")
