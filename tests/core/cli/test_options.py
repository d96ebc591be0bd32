"""Options of all commands: the values that command lines give, and the errors of wrong ones."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import click
import pytest
from helpers.pages import parsed

from vclean.cli import segments
from vclean.cli.main import COMMANDS, PROGRAM, main, main_inner
from vclean.errors import UsageError
from vclean.farm.rows import RunSettings
from vclean.features.segments import formats
from vclean.output import EXPLANATION, FRONT_MATTER, HIDDEN_LIST
from vclean.settings import CleanerSettings, Policy, RenderSettings

FARM = "farm in -o out"
DIFF = "diff page.html --method bte"
URL = "https://example.org/"
EVERYTHING = Policy(convention="cleaneval", comments=True, captions=True, byline=True, lists=True, recall_weight=4)

VALUES = [
    ("a.html -f text b --limit 3 c", {"pages": ["a.html", "b", "c"], "format": "text", "limit": 3}),
    ("a", {"format": "markdown", "cleaning": CleanerSettings(), "settings": RenderSettings(), "url": "", "out": None}),
    ("a", {"overlay": None, "review": None, "verbosity": 0, "same_site": False, "cleaning.explain": False}),
    (
        "a b --render --js -f json -o out --timeout 2.5 --overlay x.PNG",
        {
            "pages": ["a", "b"], "cleaning.render": True, "settings": RenderSettings(scripts="on", deadline=2.5),
            "format": "json", "out": Path("out"), "overlay": Path("x.PNG"),
        },
    ),
    *((f"a {flag} --width 800", {"settings.width": 800}) for flag in ("--render", "--js", "--overlay=a.png")),
    ("a --review look", {"review": Path("look"), "review_below": 0.8}),
    ("a --review look --review-below 0.6", {"review_below": 0.6}),
    ("a --same-site", {"same_site": True}),
    ("a --render auto", {"cleaning.render": "auto", "pages": ["a"]}),
    ("--render auto a b", {"cleaning.render": "auto", "pages": ["a", "b"]}),
    ("auto --render", {"cleaning.render": True, "pages": ["auto"]}),
    ("--overlay o.png a auto", {"cleaning.render": True, "pages": ["a", "auto"]}),
    ("--render -- auto", {"cleaning.render": True, "pages": ["auto"]}),
    ("--render ./auto", {"cleaning.render": True, "pages": ["./auto"]}),
    (f"- --url {URL}", {"pages": ["-"], "url": URL}),
    ("a --out=-x --review -", {"out": Path("-x")}),
    ("a -- -o --help", {"pages": ["a", "-o", "--help"]}),
    ("./setup", {"pages": ["./setup"]}),
    *((word, {"pages": [word]}) for word in ("page", "evalute.html", "pages/evalute", "-", "news")),
    ("a --precision", {"cleaning.policy": Policy(recall_weight=0.25)}),
    ("a --recall --comments out", {"cleaning.policy": Policy(recall_weight=4, comments=False)}),
    ("a --comments in --title out --images out", {"cleaning.policy": Policy(comments=True, title=False, images=False)}),
    ("a --for corpus --hidden keep", {"cleaning.policy": Policy(convention="cleaneval", hidden="keep")}),
    ("a --for everything", {"cleaning.policy": EVERYTHING}),
    ("a --for everything --precision", {"cleaning.policy.recall_weight": 0.25}),
    ("a --for everything --lists out", {"cleaning.policy.lists": False}),
    ("a --overlay o.html", {"cleaning.explain": True, "explain": False, "output": "markdown"}),
    ("a --overlay o.html -f text", {"cleaning.explain": True, "output": "text"}),
    ("a --overlay o.png", {"cleaning.explain": False, "output": "markdown"}),
    ("a --explain", {"cleaning.explain": True, "output": EXPLANATION}),
    ("a --explain -f json", {"cleaning.explain": True, "output": "json"}),
    ("a --show-hidden", {"output": HIDDEN_LIST}),
    ("a --front-matter", {"output": FRONT_MATTER}),
    ("a --template t.txt", {"cleaning.method": "template", "cleaning.model": Path("t.txt")}),
    ("a --method bte --model m --templates t", {"cleaning.method": "bte", "cleaning.templates": Path("t")}),
    (
        "segment a",
        {"pdoc": 5, "method": "vips", "format": "json", "hidden": "revealable", "settings": RenderSettings()},
    ),
    (
        f"segment a b --pdoc 9 -f webis -o out --overlay o.svg --method other --url {URL} --js --width 800 --timeout 3",
        {
            "pages": ["a", "b"], "pdoc": 9, "format": "webis", "method": "other", "out": Path("out"), "url": URL,
            "overlay": Path("o.svg"), "settings": RenderSettings(scripts="on", width=800, deadline=3),
        },
    ),
    ("diff page.html --model a.vclean --method bte", {"sides": ("a.vclean", "bte"), "format": "text"}),
    (DIFF, {"sides": ("vclean", "bte"), "render_mode": False}),
    *(
        (f"{DIFF} {arguments}", {"format": expected})
        for arguments, expected in {
            "-o d.html": "html", "-o d.HTM": "html", "-o d.jsonl": "json", "-o d": "text", "-o d.html -f json": "json",
        }.items()
    ),
    (f"{DIFF} --js --timeout 5 -q", {"settings": RenderSettings(scripts="on", deadline=5), "verbosity": -1}),
    (FARM, {"cleaning": CleanerSettings(render=True), "run": RunSettings(), "inputs": ["in"], "out": Path("out")}),
    (FARM, {"pages": None, "continues": False, "engine": "local", "address": None, "metrics": None, "verbosity": 0}),
    (f"{FARM} --no-render", {"cleaning.render": False}),
    (f"{FARM} --no-render --js", {"cleaning.render": True, "cleaning.rendering.scripts": "on"}),
    (f"{FARM} --render auto", {"cleaning.render": "auto"}),
    (f"{FARM} --render", {"cleaning.render": True}),
    (
        f"{FARM} --network public --method bte --model m --recall --comments out --templates t --timeout 5"
        " --max-nodes 9 --max-bytes 8 --width 700 --height 600",
        {
            "cleaning": CleanerSettings(
                network="public", method="bte", model=Path("m"), templates=Path("t"), render=True,
                policy=Policy(recall_weight=4, comments=False),
                rendering=RenderSettings(deadline=5, max_nodes=9, max_bytes=8, width=700, height=600),
            )
        },
    ),
    (
        f"{FARM} --workers 7 --retries 0 --max-memory 1G --part-rows 9 --keep-snapshots",
        {"run": RunSettings(workers=7, retries=0, max_memory=2**30, part_rows=9, snapshots=True)},
    ),
    *(
        (f"{FARM} --max-memory {size}", {"run.max_memory": expected})
        for size, expected in {"512M": 2**29, "1.5g": 3 * 2**29, "1t": 2**40, "300000000": 300_000_000}.items()
    ),
    (f"{FARM} --retry-failed", {"continues": False, "retry_failed": True}),
    (f"{FARM} --resume", {"continues": True, "retry_failed": False}),
    (f"{FARM} --engine ray --address 10.0.0.1:6379", {"engine": "ray", "address": "10.0.0.1:6379"}),
    (f"{FARM} --metrics-port 9100", {"metrics": "127.0.0.1:9100"}),
    (f"{FARM} --metrics 0.0.0.0:9100", {"metrics": "0.0.0.0:9100"}),
    (f"{FARM} --metrics [::1]:9100", {"metrics": "::1:9100"}),
    ("label a -o p", {"annotator": "me", "model": None, "port": None, "open": False, "settings": RenderSettings()}),
    (
        f"label a b -o p --annotator anna.b-2 --port 8000 --open --js --model m --url {URL} --timeout 9 -v",
        {"annotator": "anna.b-2", "port": 8000, "open": True, "model": Path("m"), "settings.deadline": 9},
    ),
    ("label -o p", {"pages": []}),
    ("label --agreement a b", {"agreement": [Path("a"), Path("b")], "out": None}),
    (
        "train a.parquet b.parquet -o m --snapshots s --predictions p",
        {
            "method": "vclean", "corpora": [Path("a.parquet"), Path("b.parquet")], "corrections": None, "regions": [],
            "out": Path("m"), "snapshots": Path("s"), "predictions": Path("p"), "force": False,
        },
    ),
    ("train --corrections gold.jsonl -o m", {"corpora": [], "corrections": Path("gold.jsonl")}),
    ("train -o m a --regions b.warc --regions c.wacz", {"regions": [Path("b.warc"), Path("c.wacz")]}),
    (
        "evaluate a --render --method bte --method text --folds 5 --json f --predictions p",
        {"corpora": [Path("a")], "render": True, "methods": ["bte", "text"], "folds": 5, "json": Path("f")},
    ),
    ("evaluate a", {"methods": ["vclean"], "folds": None, "json": None}),
    ("report a", {"methods": ["vclean"], "out": Path("report.html"), "render": False, "folds": None, "worst": 12}),
    ("report a --method bte --model m --worst 0", {"methods": ["bte", "m"], "worst": 0}),
    (
        "evaluate-segments a.warc",
        {
            "archive": Path("a.warc"), "levels": ["1", "2"], "methods": ["page", "dom", "vips"], "marked_only": False,
            "atoms": ["chars", "nodes", "pixels", "edges-fine", "edges-coarse"], "pages": None, "snapshots": None,
        },
    ),
    (
        "evaluate-segments a --pages p --level 2 --atoms pixels,chars,pixels --method dom@2 --marked-only --truth t",
        {"levels": ["2"], "atoms": ["pixels", "chars"], "methods": ["dom@2"], "marked_only": True, "truth": Path("t")},
    ),
    ("train-segments a -o m --pages p --snapshots s", {"out": Path("m"), "pages": Path("p"), "snapshots": Path("s")}),
    ("doctor --json", {"json": True}),
    *(
        (f"{command} {flag}", {"verbosity": verbosity})
        for command in ("a", "train a -o m", "evaluate a", "report a", "evaluate-segments a", "train-segments a -o m")
        for flag, verbosity in {"-v": 1, "-q": -1}.items()
    ),
    *(
        (f"{command} a --allow-host wiki --allow-host 10.0.0.7", {"settings.allow_hosts": ("wiki", "10.0.0.7")})
        for command in ("", "segment", "farm -o out", "diff --method bte")
    ),
]  # fmt: skip

ERRORS = [
    ("", "required: PAGE"),
    ("--render auto", "required: PAGE"),
    ("a --no-such", "unrecognized arguments: --no-such"),
    ("a --forma json", "unrecognized arguments: --forma; did you mean --format"),
    ("a --render=1", "argument --render: takes no value"),
    ("a --method", "argument --method: expected 1 argument"),
    ("a -o --render", "argument -o/--out: expected 1 argument"),
    ("a -f -- b", "argument -f/--format: expected 1 argument"),
    ("a -f pdf", "argument -f/--format: 'pdf' is not one of"),
    *((f"a --timeout {value}", "argument --timeout: .* is not in the range") for value in ("0", "inf")),
    ("a --timeout nan", "deadline has to be positive, not nan"),
    ("a --timeout soon", "argument --timeout: 'soon' is not a valid float"),
    ("a --max-bytes 1.5", "'1.5' is not a valid integer"),
    ("a --width -1", "is not in the range"),
    *(
        (f"a {option}", f"argument {option.split()[0]}: has no effect on pages that are not rendered")
        for option in ("--width 800", "--height 800", "--hide-overlays")
    ),
    ("a --limit 0", "argument --limit: 0 is not in the range"),
    ("a -v -q", "argument -q/--quiet: not allowed with argument -v/--verbose"),
    ("a --precision --recall", "argument --recall: not allowed with argument --precision"),
    ("a --overlay a.jpg", r"end in \.png, \.svg or \.html"),
    ("a ''", "a PAGE is empty"),
    ("- -", "name it once"),
    *((f"a --render {side}", "16 to 16,384 px") for side in ("--width 15", "--width 16385", "--height 15")),
    ("a --url example.org", "http:// or https://"),
    ("a --page http://x", "give one WARC or WACZ file"),
    ("a --template t --method bte", "argument --template: not allowed with --method or --model"),
    ("a --template t --model m", "argument --template: not allowed with --method or --model"),
    ("a --explain -f text", "--explain replaces the text: leave out -f text"),
    ("a --show-hidden --explain", "--show-hidden replaces the text"),
    ("a --front-matter -f json", "--front-matter is for Markdown"),
    ("a --review-below 0.5", "--review-below: needs --review FILE"),
    ("a --review r --review-below 0", "is not in the range"),
    ("a --review r --review-below 80", "80.0 is not in the range"),
    ("a --review r --review-below low", "argument --review-below: "),
    ("a -o x --review x", "have to be different files"),
    ("a --overlay a.png --review ./a.png", "have to be different files"),
    *(
        (f"{word} a.parquet --folds 5", rf"did you mean vclean {command}\?")  # before the options of the main command
        for word, command in {
            "evalute": "evaluate", "Train": "train", "sgement": "segment", "evaluate-segmets": "evaluate-segments",
            "help": "--help", "version": "--version",
        }.items()
    ),
    *((f"{command} --no-such", f"see vclean {command} --help") for command in ("setup", "doctor", "train", "evaluate")),
    ("segment", "PAGE"),
    ("segment ''", "a PAGE is empty"),
    ("segment p -f text", "'text' is not one of"),
    ("segment p --overlay o.gif", "has to end in .png, .svg or .html"),
    ("segment p --url example.org", "--url has to start with http"),
    ("segment p -o x.png --overlay ./x.png", "have to be different files"),
    *((f"segment p --pdoc {value}", "argument --pdoc: ") for value in ("0", "12", "-1", "x", "²")),
    *(
        (f"diff page.html {methods}", "two different methods or models")
        for methods in ("", "--method vclean", "--method a --method a", "--method a --method b --model c")
    ),
    (f"{FARM} ''", "an INPUT is empty"),
    (f"{FARM} --address x", "--address: needs --engine ray"),
    (f"{FARM} --engine dask", "'dask' is not one of"),
    (f"{FARM} --workers 0", "is not in the range"),
    (f"{FARM} --retries -1", "is not in the range"),
    (f"{FARM} --max-memory 10M", "--max-memory: a page needs at least 256M, not 10M"),
    (f"{FARM} --max-memory much", "'much' is not a valid float"),
    (f"{FARM} --max-memory G", "'' is not a valid float"),
    (f"{FARM} --metrics-port 70000", "70000 is not in the range"),
    (f"{FARM} --render --no-render", "argument --no-render: not allowed with argument --render"),
    (f"{FARM} --render auto --no-render", "argument --no-render: not allowed with argument --render"),
    (f"{FARM} --colour", "see vclean farm --help"),
    *((f"farm {arguments}", "required") for arguments in ("in", "-o out", "")),
    *((f"label {arguments}", "--out PROJECT") for arguments in ("a.html", "", "--export e")),
    ("label a -o p --port 0", "is not in the range"),
    ("label a -o p --port 70000", "is not in the range"),
    *((f"label a -o p --annotator {name}", "has to be at most") for name in ("../x", "''", "x" * 65)),
    ("label a -o p --export e", "give no PAGE"),
    ("label -o p --export p/e", "export to a folder outside"),
    ("label -o p --export p", "export to a folder outside"),
    ("label --agreement a", "expected 2 arguments"),
    ("label x --agreement a b", "expected|give no PAGE"),
    ("label -o p --agreement a b", "give no PAGE"),
    ("label -o p --export e --agreement a b", "not allowed with"),
    ("label '' -o p", "a PAGE is empty"),
    ("label a -o p --url ftp://x", "has to start with http"),
    ("train -o m", "name a CORPUS, or --corrections GOLD"),
    ("train -o m --corrections g --regions r", "argument --regions: needs CORPUS"),
    ("train -o m --corrections g --predictions p", "argument --predictions: needs CORPUS"),
    ("train -o m a --force", "argument --force: needs --corrections GOLD"),
    ("train -o m a --corrections g --method fiasco", "train the method vclean only"),
    ("train -o m a --regions r --method fiasco", "train the method vclean only"),
    ("evaluate a --folds 2", "argument --folds: 2 is not in the range"),
    ("report a --folds x", "argument --folds"),
    ("report a --worst -1", "argument --worst"),
    ("evaluate-segments", "ARCHIVE"),
    ("evaluate-segments a --level 3", "'3' is none of 1, 2"),
    ("evaluate-segments a --level ''", "is none of 1, 2"),
    ("evaluate-segments a --atoms chars,words", "'words' is none of chars"),
    ("evaluate-segments a b", "b"),
    *((f"train-segments {arguments}", "required") for arguments in ("", "a", "-o m")),
    ("mcp --no-network", "--no-network and no --allow-folder"),
    ("completion csh", "'csh' is not one of 'bash', 'zsh', 'fish'"),
]  # fmt: skip


def words(line: str) -> list[str]:
    return [word.strip("'") for word in line.split()]


class TestOptions:
    @pytest.mark.parametrize(("line", "expected"), VALUES, ids=[line for line, _ in VALUES])
    def test_values(self, line: str, expected: dict[str, object]) -> None:
        options = parsed(*words(line))
        assert {name: attrgetter(name)(options) for name in expected} == expected

    @pytest.mark.parametrize(("line", "message"), ERRORS, ids=[line for line, _ in ERRORS])
    def test_errors_are_one_line(self, line: str, message: str) -> None:
        with pytest.raises(UsageError, match=message) as failure:
            parsed(*words(line))
        assert "\n" not in str(failure.value)

    @pytest.mark.parametrize("line", ["-o", "--review", "segment -o", "diff --method bte -o"])
    def test_rejects_output_that_overwrites_page(self, tmp_path: Path, line: str) -> None:
        """Overwrite neither a page from the command line nor a page in a folder."""
        page = tmp_path / "page.html"
        page.write_text("<p>Hello.")
        for path in (page, tmp_path):
            with pytest.raises(UsageError, match="is one of the pages"):
                parsed(*words(line), str(page), str(path))
        assert parsed(*words(line), str(tmp_path / "new.html"), str(tmp_path))

    def test_existing_file_is_a_page(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "evalute").touch()
        assert parsed("evalute").pages == ["evalute"]
        assert parsed("--", "-page.html").pages == ["-page.html"]


@pytest.mark.browser
def test_render_auto_renders_what_needs_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "a.html"
    page.write_text(f"<style>p + p {{ opacity: 0 }}</style><h1>Mill</h1><p>{'The mill stood. ' * 20}<p>A secret.")
    assert main([str(page), "--render", "auto", "--method", "text"]) == 0
    shown = capsys.readouterr().out
    assert "The mill stood." in shown
    assert "secret" not in shown


class TestHelp:
    @pytest.mark.parametrize("arguments", [["--help"], ["setup", "--help"], ["evaluate", "-h"], ["--version"]])
    def test_help_and_version_print_and_leave(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main_inner(arguments) == 0
        assert "vclean" in capsys.readouterr().out

    def test_the_help_has_every_exit_code(self, capsys: pytest.CaptureFixture[str]) -> None:
        from vclean import errors

        main_inner(["--help"])
        codes = {item.exit_code for item in vars(errors).values() if isinstance(item, type)}
        text = " ".join(capsys.readouterr().out.split()).partition("Exit codes:")[2]
        assert all(f" {code} " in text for code in codes | {0, 130})

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_help(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        # The help of each command fits a terminal of 80 columns.
        assert PROGRAM.get_command(click.Context(PROGRAM), name).name == name  # type: ignore[union-attr]
        assert main_inner([name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith(f"Usage: vclean {name} ")
        assert max(map(len, shown.splitlines())) <= 80

    def test_own_options_come_first(self, capsys: pytest.CaptureFixture[str]) -> None:
        main_inner(["farm", "--help"])
        shown = capsys.readouterr().out
        parts = ["Arguments:", "Options:", "--resume", "--quiet", "Options that change the rows:", "--timeout", "--wet"]
        positions = [shown.index(part) for part in parts]
        assert positions == sorted(positions)


def test_formats_that_are_copied_for_a_faster_help() -> None:
    assert segments.FORMATS == formats.FORMATS
