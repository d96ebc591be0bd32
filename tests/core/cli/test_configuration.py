"""Test the configuration file: where it is found, which options it sets, and its errors."""

from __future__ import annotations

import json

import pytest

from vclean.cli.main import VARIABLE, find_configuration, main, parse_args
from vclean.errors import InputError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder, with a page."""
    (tmp_path / "page.html").write_text("<title>T</title><h1>Rain</h1><p>It rained all day in the old town.")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path


class TestFindConfiguration:
    def test_nearest_file_wins(self, folder):
        # The files of other projects are skipped.
        inner = folder / "a" / "b"
        inner.mkdir(parents=True)
        (folder / "vclean.toml").write_text("quiet = true")
        (folder / "a" / "pyproject.toml").write_text("[project]\nname = 'x'")
        assert find_configuration(inner) == (folder / "vclean.toml", {"quiet": True})
        (folder / "a" / "pyproject.toml").write_text("[tool.vclean]\nlimit = 3")
        assert find_configuration(inner) == (folder / "a" / "pyproject.toml", {"limit": 3})

    def test_variable_names_the_file_or_none(self, folder, monkeypatch):
        (folder / "vclean.toml").write_text("quiet = true")
        (folder / "other.toml").write_text("limit = 3")
        monkeypatch.setenv(VARIABLE, str(folder / "other.toml"))
        assert find_configuration(folder) == (folder / "other.toml", {"limit": 3})
        monkeypatch.setenv(VARIABLE, "")
        assert find_configuration(folder) is None
        monkeypatch.setenv(VARIABLE, "missing.toml")
        with pytest.raises(InputError, match=r"missing\.toml cannot be read"):
            find_configuration(folder)


class TestDefaults:
    def test_option_holds_for_commands_that_have_it(self, folder):
        (folder / "vclean.toml").write_text("quiet = true\nformat = 'markdown'\n[farm]\nout = 'rows'\nworkers = 3")
        page = parse_args(["page.html"])
        assert (page.format, page.verbosity) == ("markdown", -1)
        farm = parse_args(["farm", "page.html"])
        assert (farm.out, farm.run.workers, farm.verbosity) == (folder / "rows", 3, -1)

    def test_value_of_another_command_is_ignored(self, folder):
        """Skip a format that `vclean segment` does not have, and a value of `vclean farm --render`."""
        (folder / "vclean.toml").write_text("format = 'markdown'\nrender = 'auto'")
        assert parse_args(["segment", "page.html"]).format == "json"
        page = parse_args(["page.html"])
        assert (page.format, page.cleaning.render) == ("markdown", False)
        assert parse_args(["farm", "page.html", "-o", "o"]).cleaning.render == "auto"

    def test_command_line_wins_over_a_contrary_default(self, folder):
        (folder / "vclean.toml").write_text("quiet = true\nprecision = true\n[farm]\nrender = 'auto'")
        page = parse_args(["page.html", "-v", "--recall"])
        assert (page.verbosity, page.cleaning.policy.recall_weight) == (1, 4)
        assert parse_args(["farm", "page.html", "-o", "o", "--no-render"]).cleaning.render is False

    def test_repeatable_option(self, folder):
        for text in ("allow-host = 'wiki'", "allow-host = ['wiki']"):
            (folder / "vclean.toml").write_text(text)
            assert parse_args(["page.html"]).settings.allow_hosts == ("wiki",)

    def test_paths_are_relative_to_the_file(self, folder, monkeypatch):
        (folder / "vclean.toml").write_text("model = 'my.vclean'")
        (folder / "a").mkdir()
        monkeypatch.chdir(folder / "a")
        assert parse_args(["page.html"]).cleaning.model == folder / "my.vclean"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("formt = 'html'", "no option --formt"),
            ("help = true", "no option --help"),
            ("[farm]\nformat = 'html'", "no option --format: see vclean farm --help"),
            ("[form]\nformat = 'html'", "no command 'form'"),
            ("format = 'pdf'", "argument -f/--format in the configuration file: 'pdf' is not one of"),
            ("js = 1", "js has to be true or false, not 1"),
            ("out = true", "out needs a value, not True"),
            ("render = 'maybe'", "render has to be true or false, not 'maybe'"),
            ("limit = 'many'", "argument --limit in the configuration file"),
            ("format = ", "vclean.toml is not a TOML file"),
        ],
    )
    def test_mistakes_are_one_line(self, folder, capsys, text, message):
        (folder / "vclean.toml").write_text(text)
        assert main(["page.html"]) != 0
        errors = capsys.readouterr().err
        assert message in errors
        assert errors.count("\n") == 1


def test_messages_are_json_in_this_run(folder, capsys):
    assert main([str(folder / "missing.html"), str(folder / "page.html"), "--log-json"]) == 1
    output = capsys.readouterr()
    first, *others = [json.loads(line) for line in output.err.splitlines()]
    assert first["level"] == "error"
    assert "missing.html does not exist" in first["message"]
    assert all(entry["time"].endswith("Z") for entry in (first, *others))
    assert "Rain" in output.out
    main(["missing.html"])
    assert capsys.readouterr().err.startswith("vclean: missing.html")
