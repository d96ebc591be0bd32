from __future__ import annotations

from pathlib import Path

import pytest
from helpers.pages import parsed

from vclean.cli.main import main_inner
from vclean.errors import UsageError
from vclean.farm.settings import RunSettings
from vclean.settings import CleanerSettings, Policy, RenderSettings


def farmed(*arguments):
    return parsed("farm", "in", "-o", "out", *arguments)


class TestDefaults:
    def test_equal_those_of_the_settings(self):
        options = farmed()
        assert options.cleaning == CleanerSettings(render=True, rendering=RenderSettings(deadline=30.0))
        assert options.run == RunSettings()

    def test_are_a_new_local_run(self):
        options = farmed()
        assert (options.inputs, options.out, options.pages) == (["in"], Path("out"), None)
        assert (options.resume, options.retry_failed) == (False, False)
        assert (options.engine, options.address, options.metrics, options.verbosity) == ("local", None, None, 0)


class TestCleaningOptions:
    def test_no_render(self):
        assert not farmed("--no-render").cleaning.render

    def test_scripts_turn_rendering_on(self):
        cleaning = farmed("--no-render", "--js").cleaning
        assert cleaning.render
        assert cleaning.rendering.scripts

    def test_all_options(self):
        cleaning = farmed(
            *("--network", "public", "--method", "bte", "--model", "m", "--recall", "--comments", "out"),
            *("--templates", "t"),
            *("--timeout", "5", "--max-nodes", "9", "--max-bytes", "8", "--width", "700", "--height", "600"),
        ).cleaning
        page = RenderSettings(deadline=5, max_nodes=9, max_bytes=8, width=700, height=600)
        policy = Policy(recall_weight=4.0, comments=False)
        assert cleaning == CleanerSettings(
            network="public",
            method="bte",
            model=Path("m"),
            templates=Path("t"),
            policy=policy,
            rendering=page,
            render=True,
        )


class TestRunOptions:
    def test_all_options(self):
        run = farmed(
            *("--workers", "7", "--retries", "0", "--max-memory", "1G", "--part-rows", "9", "--keep-snapshots")
        ).run
        assert run == RunSettings(workers=7, retries=0, max_memory=2**30, part_rows=9, snapshots=True)

    @pytest.mark.parametrize(
        ("size", "there"), [("512M", 2**29), ("1.5g", 3 * 2**29), ("1t", 2**40), ("300000000", 300_000_000)]
    )
    def test_memory_sizes(self, size, there):
        assert farmed("--max-memory", size).run.max_memory == there

    def test_retry_failed_implies_resume(self):
        options = farmed("--retry-failed")
        assert (options.resume, options.retry_failed) == (True, True)

    def test_ray_engine_and_address(self):
        options = farmed("--engine", "ray", "--address", "10.0.0.1:6379")
        assert (options.engine, options.address) == ("ray", "10.0.0.1:6379")

    @pytest.mark.parametrize(
        ("option", "value", "expected"),
        [
            ("--metrics-port", "9100", "127.0.0.1:9100"),
            ("--metrics", "9100", "127.0.0.1:9100"),
            ("--metrics", "0.0.0.0:9100", "0.0.0.0:9100"),
            ("--metrics", "[::1]:9100", "::1:9100"),
        ],
    )
    def test_metrics(self, option: str, value: str, expected: str):
        assert farmed(option, value).metrics == expected


class TestInvalidOptions:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--address", "x"], "--address: needs --engine ray"),
            (["--engine", "dask"], "'dask' is not one of"),
            (["--workers", "0"], "has to be positive"),
            (["--retries", "-1"], "has to be a whole number"),
            (["--max-memory", "10M"], "max_memory has to be at least 268,435,456"),
            (["--max-memory", "much"], "'much' is not a number"),
            (["--max-memory", "G"], "'' is not a number"),
            (["--metrics-port", "70000"], "has to be 1 to 65535"),
            (["-q", "-v"], "not allowed with"),
            (["--precision", "--recall"], "not allowed with"),
        ],
    )
    def test_invalid_values(self, arguments, message):
        with pytest.raises(UsageError, match=message):
            farmed(*arguments)

    @pytest.mark.parametrize("arguments", [["in"], ["-o", "out"], []])
    def test_inputs_and_output_are_required(self, arguments):
        with pytest.raises(UsageError, match="required"):
            parsed("farm", *arguments)

    def test_errors_refer_to_help(self):
        with pytest.raises(UsageError, match="see vclean farm --help"):
            farmed("--colour")


class TestHelp:
    def test_describes_inputs_and_outputs(self, capsys):
        assert main_inner(["farm", "--help"]) == 0
        message = capsys.readouterr().out
        assert all(word in message for word in ("WARC", "OUT/parts", "Exit codes", "--retry-failed", "--metrics"))
