from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, STYLE, record, response
from helpers.pages import Even

from vclean.api import clean
from vclean.classify.content import model
from vclean.cli.batch import describe_unexpected, suggest_option
from vclean.cli.main import main
from vclean.errors import VcleanError
from vclean.pipeline import Pipeline
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.result import Result

HTML = "<html lang=en><title>Weather</title><h1>Rain</h1><p>It rained all day in the valley."
TEXT = "# Rain\n\nIt rained all day in the valley.\n"


@pytest.fixture
def run(capsys):
    """Run the command line with a method that needs no model; return exit code, output and error lines."""

    def call(*arguments, method="text"):
        code = main([*map(str, arguments), "--method", method])
        captured = capsys.readouterr()
        return code, captured.out, captured.err.splitlines()

    return call


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(HTML)
    return path


def process(*arguments, **options):
    command = [sys.executable, "-m", "vclean", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **(pipes | options))  # type: ignore[call-overload]


def parquet():
    out = io.BytesIO()
    pq.write_table(pa.schema([("html", pa.binary())]).empty_table(), out)
    return out.getvalue()


ARCHIVE = PAGE + record("http://a.example/other", response(b"<p>two", "text/html")) + STYLE
FILES = {
    "page.html": HTML.encode,
    "feed.xml": lambda: b"<rss><channel><item><description>It rained.</description></item></channel></rss>",
    "frames.html": lambda: b"<frameset cols='20%,*'><frame src=menu.html><frame src=main.html></frameset>",
    "script.html": lambda: b"<body><script>1</script>",
    "large.html": lambda: b"<p>all work and no play</p>\n" * (50 * 2**20 // 28 + 1),
    "deep.html": lambda: b"<div>" * 100_000 + b"<p>deep down" + b"</div>" * 100_000,
    "many.html": lambda: b"<p>x" * 160_000,
    "a.warc": lambda: ARCHIVE,
    "other.warc": lambda: b"nothing like it",
    "empty.warc": lambda: b"",
    "cut.warc": lambda: PAGE[: len(PAGE) // 4],
    "empty.parquet": parquet,
    "empty.jsonl": lambda: b"",
}
"""Content of the inputs, by name; the large ones are made when they are used."""


class TestOnePage:
    @pytest.mark.parametrize(
        ("line", "code", "text", "error"),
        [
            ("page.html -v", 0, TEXT, "2 of 2 blocks kept"),
            ("page.html --same-site", 2, "", "the method text cannot compare"),
            ("page.html --review look.jsonl", 2, "", "the method text gives none"),
            ("page.html --page http://a.example/other", 2, "", "one web archive"),
            ("a.warc a.warc --page http://a.example/other", 2, "", "one web archive"),
            ("a.warc --page http://a.example/other", 0, "two\n", ""),
            (
                "a.warc --page http://a.example/othr", 3, "",
                "a.warc has no page http://a.example/othr: check the URL",
            ),
            *((f"missing.html {option} none/out.png", 12, "", "none") for option in ("-o", "--overlay", "--review")),
            ("feed.xml", 4, "", "this is an RSS feed, not HTML: --force-html"),
            ("feed.xml --force-html", 0, "It rained.", ""),
            (
                "frames.html", 0, "",
                "frames.html: no text: the page is a frameset; clean its frames: menu.html, main.html",
            ),
            ("script.html -q", 0, "", ""),
            ("large.html", 5, "", r"large.html .*33,554,432 bytes.*--max-bytes"),
            ("deep.html", 5, "", r"deep.html.*nest"),
            ("many.html", 5, "", r"many.html.*150,000.*--max-nodes"),
            *((f"{name}.warc", 3, "", f"{name}.warc") for name in ("other", "empty", "cut")),  # 1 is for some results
            *((f"empty.{end}", 4, "", f"empty.{end} is empty: it has no rows") for end in ("parquet", "jsonl")),
        ],
    )  # fmt: skip
    def test_result_or_one_line_and_exit_code(self, *, line, code, text, error, run, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name in {*line.split()} & {*FILES}:
            (tmp_path / name).write_bytes(FILES[name]())
        start = time.monotonic()
        exit_code, out, errors = run(*line.split())
        assert time.monotonic() - start < 10
        assert (exit_code, text in out, bool(out)) == (code, True, bool(text))
        assert len(errors) == bool(error)
        assert all(re.match(f"vclean: .*{error}", line) for line in errors)
        assert not Path("look.jsonl").exists()

    def test_the_url_is_for_pages_without_one(self, run, tmp_path):
        link = "<p>See <a href=more.html>more</a>"
        columns = {"html": [link, link], "url": ["https://own.example/", None]}
        pq.write_table(pa.table(columns), tmp_path / "a.parquet")
        out = run(tmp_path / "a.parquet", "--url", "https://given.example/", "-f", "markdown")[1]
        assert out.index("(https://own.example/more.html)") < out.index("(https://given.example/more.html)")

    @pytest.mark.parametrize("charset", ["utf-8", "utf-16", "no-such-charset", ""])
    def test_charset_is_wrongly_declared(self, run, page, charset):
        text = "Příliš žluťoučký kůň úpěl ďábelské ódy o nešťastné lásce a vytrvalém dešti."
        page.write_bytes(f"<meta charset='{charset}'><p>{text}".encode("cp1250"))
        assert run(page)[1] == f"{text}\n"


class TestSeveralPages:
    @pytest.fixture
    def pages(self, tmp_path):
        paths = [tmp_path / name for name in ("a.html", "b.html")]
        for path in paths:
            path.write_text(f"<p>Page {path.stem}.")
        return paths

    def test_json_lines(self, run, pages, tmp_path):
        _, out, _ = run(*pages, "-f", "json")
        assert [json.loads(line)["id"] for line in out.splitlines()] == [str(path) for path in pages]
        assert run(*pages, "-f", "json", "-o", tmp_path / "all.jsonl")[0] == 0
        assert (tmp_path / "all.jsonl").read_text() == out

    def test_overlay_for_each_page_has_name_of_result(self, run, pages, tmp_path, monkeypatch):
        # The folders of overlays and results are created.
        monkeypatch.setattr(renderer, "Renderer", lambda *_, **__: nullcontext())
        monkeypatch.setattr(Pipeline, "read", lambda _, page, screenshot: Rendering(parse(page)))
        monkeypatch.setattr(Result, "overlay", lambda *_: b"a picture")
        long = tmp_path / ("n" * 200 + ".html")
        long.write_text("<p>x")
        assert run(*pages, long, "--overlay", tmp_path / "mo" / "x.png", "-o", tmp_path / "out")[0] == 0
        pictures = {path.stem.removeprefix("x-") for path in (tmp_path / "mo").iterdir()}
        assert pictures == {path.stem for path in (tmp_path / "out").iterdir()}
        assert len(pictures) == 3

    def test_names_bad_page_and_continues(self, run, pages, tmp_path):
        (tmp_path / "bad.html").write_bytes(b"%PDF-1.7")
        code, out, errors = run(pages[0], tmp_path / "bad.html", "missing.html", pages[1])
        assert code == 1
        assert out.count("<!--") == 2
        assert errors == [
            f"vclean: {tmp_path / 'bad.html'}: this is a PDF document, not HTML",
            "vclean: missing.html does not exist: check the name, or begin a web address with https://",
        ]

    def test_lists_of_hidden_text_in_a_folder(self, run, pages, tmp_path):
        pages[0].write_text("<h1>Rain</h1><p>It rained.</p><p hidden>Page a</p>")
        assert run(*pages, "--show-hidden", "-o", tmp_path / "out", "-q")[0] == 0
        assert (tmp_path / "out" / "a.txt").read_text() == "hidden\tdisplay\t-\t/html[1]/body[1]/p[2]\tPage a\n"
        assert (tmp_path / "out" / "b.txt").read_text() == ""

    def test_error_that_would_recur_ends_run(self, run, pages):
        code, _, errors = run(*pages, "-o", pages[0] / "below")
        assert (code, len(errors)) == (12, 1)

    def test_several_arguments_without_result(self, run):
        assert run("none.html", "neither.html")[0] == 1


def test_same_site_reads_all_pages_and_labels_each(run, tmp_path, monkeypatch):
    # A bad page is named, and the reason for missing text; the others are cleaned.
    monkeypatch.setattr(model, "load", lambda _: Even())
    for name, text in (("a", "<p>Home<p>Rain all day."), ("b", "<p>Home<p>A dry day."), ("bad", "")):
        (tmp_path / f"{name}.html").write_text(text)
    (tmp_path / "c.html").write_text("<body><script>draw()</script>")
    code, out, errors = run(tmp_path, "--same-site", "-v", method="vclean")
    assert (code, out.count("<!--")) == (1, 3)
    assert [line.rpartition("/")[2].partition(",")[0] for line in errors] == [
        "bad.html: the document is empty",
        "a.html: 2 of 2 blocks kept",
        "b.html: 2 of 2 blocks kept",
        "c.html: no text: the page has only scripts; try --render --js",
        "c.html: 0 of 0 blocks kept",
    ]


@pytest.mark.parametrize(("options", "listed"), [([], [0.2, 0.7]), (["--review-below", "0.7"], [0.2])])
def test_review_lists_pages_of_low_confidence_despite_a_failed_one(options, listed, run, tmp_path, monkeypatch):
    label = Pipeline.label

    def told(self, blocks, **_):
        result = label(self, blocks)
        confidence = float(blocks.columns.snapshot.title)
        return replace(result, prediction=replace(result.prediction, confidence=confidence))

    monkeypatch.setattr(Pipeline, "label", told)
    for confidence in (0.7, 0.2, 0.9):
        (tmp_path / f"{confidence}.html").write_text(HTML.replace("Weather", str(confidence)))
    (tmp_path / "bad.html").touch()
    assert run(tmp_path, "--review", tmp_path / "look.jsonl", *options)[0] == 1
    lines = (tmp_path / "look.jsonl").read_text().splitlines()
    assert [json.loads(line)["confidence"] for line in lines] == listed


class TestMain:
    def test_verbose_prints_traceback_of_bug(self, run, page, monkeypatch):
        monkeypatch.setattr(Pipeline, "extract_blocks", Mock(side_effect=ValueError("odd")))
        assert any("Traceback" in line for line in run(page, "-v")[2])

    def test_an_interrupt(self, run, page, monkeypatch):
        monkeypatch.setattr(Pipeline, "extract_blocks", Mock(side_effect=KeyboardInterrupt))
        assert run(page) == (130, "", [])

    def test_every_exit_code_belongs_to_an_error_class(self):
        codes = [kind.exit_code for kind in VcleanError.__subclasses__()]
        assert len(codes) == len(set(codes))


@pytest.mark.slow
class TestProcess:
    def test_output_is_utf8_in_any_terminal(self, page):
        page.write_text("<p>žluť 日本", encoding="utf-8")
        environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
        running = process(page, "--method", "text", env=environment)
        out, errors = running.communicate(timeout=60)
        assert (running.returncode, out.decode(), errors) == (0, "žluť 日本\n", b"")

    def test_no_standard_output(self, page):
        """Run `vclean PAGE >&-`."""
        command = shlex.join([sys.executable, "-m", "vclean", str(page), "--method", "text"])
        ended = subprocess.run(["sh", "-c", f"{command} >&-"], capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 12
        assert ended.stderr == "vclean: standard output is closed: open it, if only to /dev/null\n"

    def test_reader_closes_pipe_early(self, page):
        """Run `vclean PAGE... | head -1`: there is no message and no failure."""
        running = process(*[page] * 50, "--method", "text")
        running.stdout.readline()
        running.stdout.close()
        errors = running.stderr.read()
        running.stderr.close()
        assert (running.wait(60), errors) == (0, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
    @pytest.mark.parametrize("is_version", [True, False])
    def test_a_full_disk(self, page, is_version):
        with Path("/dev/full").open("wb") as full:
            running = process(*["--version"] if is_version else [page, "--method", "text"], stdout=full)
            _, errors = running.communicate(timeout=60)
        assert running.returncode == 12
        assert errors.startswith(b"vclean: cannot write the output: the disk is full")
        assert errors.count(b"\n") == 1

    @pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
    def test_control_c_leaves_nothing_behind(self, page, tmp_path):
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


@pytest.mark.parametrize(
    ("error", "start"),
    [(ValueError("odd\n thing"), "unexpected ValueError: odd thing;"), (MemoryError(), "unexpected MemoryError;")],
)
def test_unexpected_error_is_one_line(error, start):
    assert describe_unexpected(error).startswith(start)


def test_other_notes_suggest_no_option():
    result = clean("<iframe/><script>1</script>", method="text")
    assert [suggest_option(result, note) for note in result.notes] == ["", "; try --render --js"]
