from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from helpers.pages import parsed

from vclean.cli.commands.clean import FORMATS, CleanOptions
from vclean.cli.commands.cleaneval_score import CleanevalScoreOptions
from vclean.cli.commands.evaluate import EvaluateOptions
from vclean.cli.commands.installation import DoctorOptions, SetupOptions
from vclean.cli.commands.methods import MethodsOptions
from vclean.cli.commands.train import TrainOptions
from vclean.cli.main import COMMANDS, PROGRAM, main, main_inner
from vclean.errors import UsageError
from vclean.output import registry
from vclean.settings import Policy, RenderSettings

HELP = """
import sys
from vclean.cli.main import main
main(["--help"])
print(*sys.modules, file=sys.stderr)
"""


def clean(*arguments: str) -> CleanOptions:
    options = parsed(*arguments)
    assert isinstance(options, CleanOptions)
    return options


class TestClean:
    def test_options_between_pages(self) -> None:
        options = clean("a.html", "-f", "text", "b.html", "--limit", "3", "c.html")
        assert (options.pages, options.format, options.limit) == (["a.html", "b.html", "c.html"], "text", 3)

    @pytest.mark.parametrize("render", ["--render", "--js", "--overlay=a.png"])
    def test_width_of_rendered_pages(self, render: str) -> None:
        assert clean("a.html", *render.split("="), "--width", "800").settings.width == 800

    def test_defaults(self) -> None:
        options = clean("page.html")
        assert options.pages == ["page.html"]
        assert (options.format, options.cleaning.method) == ("markdown", "vclean")
        assert options.settings == RenderSettings()
        assert (options.cleaning.render, options.settings.scripts, options.url) == (False, "auto", "")
        assert (options.out, options.overlay, options.cleaning.model) == (None, None, None)
        assert options.verbosity == 0

    def test_options_after_page(self) -> None:
        options = clean(
            "a", "b", "--render", "--js", "-f", "json", "-o", "out", "--timeout", "2.5", "--overlay", "x.PNG"
        )
        assert options.pages == ["a", "b"]
        assert options.cleaning.render
        assert options.settings.scripts == "on"
        assert (options.format, options.out, options.overlay) == ("json", Path("out"), Path("x.PNG"))
        assert options.settings == RenderSettings(scripts="on", deadline=2.5)

    @pytest.mark.parametrize(("arguments", "below"), [((), 0.8), (("--review-below", "0.6"), 0.6)])
    def test_review(self, arguments: tuple[str, ...], below: float) -> None:
        options = clean("a", "--review", "look.jsonl", *arguments)
        assert (options.review, options.review_below) == (Path("look.jsonl"), below)

    @pytest.mark.parametrize(("arguments", "compared"), [((), False), (("--same-site",), True)])
    def test_same_site(self, arguments: tuple[str, ...], compared: bool) -> None:
        assert clean("a", *arguments).same_site is compared

    @pytest.mark.parametrize(
        ("arguments", "policy"),
        [
            ((), Policy()),
            (("--precision",), Policy(recall_weight=0.25)),
            (("--recall",), Policy(recall_weight=4)),
            (("--comments", "in"), Policy(comments=True)),
            (("--title", "out"), Policy(title=False)),
            (("--images", "out"), Policy(images=False)),
            (("--comments", "out", "--recall"), Policy(recall_weight=4, comments=False)),
        ],
    )
    def test_policy(self, arguments: tuple[str, ...], policy: Policy) -> None:
        assert clean("a", *arguments).cleaning.policy == policy

    @pytest.mark.parametrize("outputs", [("-o", "x", "--review", "x"), ("--overlay", "a.png", "--review", "./a.png")])
    def test_two_outputs_in_one_file(self, outputs: tuple[str, ...]) -> None:
        with pytest.raises(UsageError, match="have to be different files"):
            clean("a", *outputs)

    @pytest.mark.parametrize("option", ["-o", "--review"])
    def test_rejects_output_that_overwrites_page(self, tmp_path: Path, option: str) -> None:
        """Overwrite neither a page from the command line nor a page in a folder."""
        page = tmp_path / "page.html"
        page.write_text("<p>Hello.")
        for path in (page, tmp_path):
            with pytest.raises(UsageError, match="is one of the pages"):
                clean(str(path), option, str(page))
        assert clean(str(tmp_path), option, str(tmp_path / "new.html"))

    def test_precision_or_recall(self) -> None:
        with pytest.raises(UsageError, match="not allowed with"):
            clean("a", "--precision", "--recall")

    @pytest.mark.parametrize(
        ("arguments", "render", "pages"),
        [
            (["a", "--render", "auto"], "auto", ["a"]),
            (["--render", "auto", "a", "b"], "auto", ["a", "b"]),
            (["a", "--render"], True, ["a"]),
            (["auto", "--render"], True, ["auto"]),
            (["--overlay", "o.png", "a", "auto"], True, ["a", "auto"]),
            (["--render", "--", "auto"], True, ["auto"]),
            (["--render", "./auto"], True, ["./auto"]),
            (["a"], False, ["a"]),
        ],
    )
    def test_render(self, arguments: list[str], render: object, pages: list[str]) -> None:
        options = clean(*arguments)
        assert (options.cleaning.render, list(options.pages)) == (render, pages)

    @pytest.mark.browser
    def test_render_auto_renders_what_needs_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        page = tmp_path / "a.html"
        page.write_text(f"<style>p + p {{ opacity: 0 }}</style><h1>Mill</h1><p>{'The mill stood. ' * 20}<p>A secret.")
        assert main([str(page), "--render", "auto", "--method", "text"]) == 0
        shown = capsys.readouterr().out
        assert "The mill stood." in shown
        assert "secret" not in shown

    def test_no_review(self) -> None:
        assert clean("a").review is None

    def test_standard_input(self) -> None:
        assert clean("-", "--url", "https://example.org/").url == "https://example.org/"

    @pytest.mark.parametrize(("flag", "verbosity"), [("-v", 1), ("-q", -1)])
    def test_verbosity(self, flag: str, verbosity: int) -> None:
        assert clean("a", flag).verbosity == verbosity

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "required: PAGE"),
            (["--render", "auto"], "required: PAGE"),
            (["a", "--no-such"], "unrecognized arguments: --no-such"),
            (["a", "--forma", "json"], "unrecognized arguments: --forma; did you mean --format"),
            (["a", "--render=1"], "argument --render: takes no value"),
            (["a", "--method"], "argument --method: expected one argument"),
            (["a", "-o", "--render"], "argument -o/--out: expected one argument"),
            (["a", "-f", "--", "b"], "argument -f/--format: expected one argument"),
            (["a", "-f", "pdf"], "argument -f/--format: 'pdf' is not one of"),
            (["a", "--timeout", "0"], "has to be positive"),
            (["a", "--timeout", "inf"], "has to be positive"),
            (["a", "--timeout", "nan"], "has to be positive"),
            (["a", "--timeout", "soon"], "'soon' is not a number"),
            (["a", "--max-bytes", "1.5"], "'1.5' is not a whole number"),
            (["a", "--width", "-1"], "has to be positive"),
            (["a", "--width", "800"], "argument --width: has no effect on pages that are not rendered"),
            (["a", "--height", "800"], "argument --height: has no effect on pages that are not rendered"),
            (["a", "--limit", "0"], "argument --limit: has to be positive"),
            (["a", "-v", "-q"], "not allowed with"),
            (["a", "--overlay", "a.jpg"], r"end in \.png, \.svg or \.html"),
            (["a", ""], "a PAGE is empty"),
            (["a", "--url", "example.org"], "http:// or https://"),
            (["a", "--review-below", "0.5"], "--review-below: needs --review FILE"),
            (["a", "--review", "r", "--review-below", "0"], "has to be positive"),
            (["a", "--review", "r", "--review-below", "80"], "has to be 1 or less, not 80"),
            (["a", "--review", "r", "--review-below", "low"], "'low' is not a number"),
        ],
    )
    def test_usage_errors_are_one_line(self, arguments: list[str], message: str) -> None:
        with pytest.raises(UsageError, match=message) as failure:
            parsed(*arguments)
        assert "\n" not in str(failure.value)

    def test_a_value_that_begins_with_a_hyphen(self) -> None:
        assert clean("a", "--out=-x", "--review", "-").out == Path("-x")

    def test_words_after_two_hyphens_are_pages(self) -> None:
        assert clean("a", "--", "-o", "--help").pages == ["a", "-o", "--help"]


class TestOtherCommands:
    def test_setup(self) -> None:
        assert parsed("setup") == SetupOptions()

    def test_doctor(self) -> None:
        assert parsed("doctor", "--json") == DoctorOptions(json=True)

    def test_train(self) -> None:
        arguments = ["train", "a.parquet", "b.parquet", "-o", "m", "--snapshots", "s", "--predictions", "p"]
        assert parsed(*arguments) == TrainOptions(
            method="vclean",
            corpora=[Path("a.parquet"), Path("b.parquet")],
            corrections=None,
            regions=[],
            metadata=None,
            out=Path("m"),
            predictions=Path("p"),
            snapshots=Path("s"),
            force=False,
            verbosity=0,
        )

    def test_corrections_need_no_corpus(self) -> None:
        options = parsed("train", "--corrections", "gold.jsonl", "-o", "m")
        assert isinstance(options, TrainOptions)
        assert (options.corpora, options.corrections) == ([], Path("gold.jsonl"))

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            ([], "name a CORPUS, or --corrections GOLD"),
            (["--corrections", "g", "--regions", "r"], "need a CORPUS"),
            (["--corrections", "g", "--predictions", "p"], "need a CORPUS"),
            (["a.parquet", "--force"], "--force needs --corrections GOLD"),
            (["a.parquet", "--corrections", "g", "--method", "fiasco"], "train the method vclean only"),
        ],
    )
    def test_rejects_training_of_untrained_methods(self, arguments: list[str], reason: str) -> None:
        with pytest.raises(UsageError, match=reason):
            parsed("train", "-o", "m", *arguments)

    def test_archives_for_the_region_model(self) -> None:
        options = parsed("train", "-o", "m", "a.warc.gz", "--regions", "b.warc", "--regions", "c.wacz")
        assert isinstance(options, TrainOptions)
        assert options.corpora == [Path("a.warc.gz")]
        assert options.regions == [Path("b.warc"), Path("c.wacz")]

    def test_evaluate(self) -> None:
        arguments = ["evaluate", "a.parquet", "--render", "--method", "bte", "--method", "text", "--folds", "5"]
        assert parsed(*arguments, "--json", "f.json", "--predictions", "p.jsonl") == EvaluateOptions(
            corpora=[Path("a.parquet")],
            render=True,
            methods=["bte", "text"],
            folds=5,
            json=Path("f.json"),
            predictions=Path("p.jsonl"),
            snapshots=None,
            verbosity=0,
        )

    @pytest.mark.parametrize(
        "command",
        [
            ["train", "a", "-o", "m"],
            ["evaluate", "a"],
            ["report", "a"],
            ["evaluate-segments", "a"],
            ["train-segments", "a", "-o", "m"],
        ],
        ids=lambda command: command[0],
    )
    @pytest.mark.parametrize(("flag", "verbosity"), [("-v", 1), ("-q", -1)])
    def test_verbosity_of_commands(self, command: list[str], flag: str, verbosity: int) -> None:
        options = parsed(*command, flag)
        assert not isinstance(options, DoctorOptions | SetupOptions | MethodsOptions | CleanevalScoreOptions)
        assert options.verbosity == verbosity

    def test_evaluate_defaults_to_the_model(self) -> None:
        options = parsed("evaluate", "a.parquet")
        assert isinstance(options, EvaluateOptions)
        assert (options.methods, options.folds) == (["vclean"], 0)

    @pytest.mark.parametrize("folds", ["1", "2"])
    def test_too_few_folds(self, folds: str) -> None:
        with pytest.raises(UsageError, match="K has to be 3 or more"):
            parsed("evaluate", "a.parquet", "--folds", folds)

    @pytest.mark.parametrize(
        ("word", "command"),
        [
            ("evalute", "evaluate"),
            ("Train", "train"),
            ("sgement", "segment"),
            ("evaluate-segmets", "evaluate-segments"),
            ("help", "--help"),
            ("version", "--version"),
        ],
    )
    def test_suggests_command_for_mistyped_word(self, word: str, command: str) -> None:
        # The word is checked before its options, which are not those of the main command.
        with pytest.raises(UsageError, match=f"did you mean vclean {command}\\?"):
            parsed(word, "a.parquet", "--folds", "5")

    @pytest.mark.parametrize("word", ["page", "evalute.html", "pages/evalute", "-", "news"])
    def test_other_words_are_pages(self, word: str) -> None:
        assert clean(word).pages == [word]

    def test_existing_file_is_a_page(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "evalute").touch()
        assert clean("evalute").pages == ["evalute"]

    def test_a_page_called_like_an_option(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "-page.html").touch()
        with pytest.raises(UsageError, match=r"write \./-page\.html for the file"):
            parsed("-f", "json", "-page.html")
        assert clean("--", "-page.html").pages == ["-page.html"]

    def test_a_page_called_like_a_command(self) -> None:
        assert clean("./setup").pages == ["./setup"]

    @pytest.mark.parametrize("command", ["setup", "doctor", "train", "evaluate"])
    def test_unknown_options_name_the_command(self, command: str) -> None:
        with pytest.raises(UsageError, match=f"see vclean {command} --help"):
            parsed(command, "--no-such")

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


class TestCommands:
    def test_formats(self) -> None:
        assert registry.FORMATS == FORMATS

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_help(self, name: str, capsys: pytest.CaptureFixture[str]) -> None:
        # The help of each command fits a terminal of 80 columns.
        assert PROGRAM.get_command(click.Context(PROGRAM), name).name == name  # type: ignore[union-attr]
        assert main_inner([name, "--help"]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith(f"Usage: vclean {name} ")
        assert max(map(len, shown.splitlines())) <= 80

    def test_help_imports_no_other_command(self) -> None:
        ended = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
        assert ended.stdout.startswith("Usage: vclean ")
        loaded = set(ended.stderr.split())
        assert "vclean.cli.options" in loaded
        assert not loaded & {"numpy", "vclean.farm.command", "vclean.cli.commands.diff", "vclean.cli.commands.evaluate"}
