from __future__ import annotations

from pathlib import Path

import pytest
from helpers.pages import parsed

from vclean.errors import UsageError
from vclean.labelling.command import LabelOptions
from vclean.settings import RenderSettings


class TestOptions:
    def test_defaults(self) -> None:
        assert parsed("label", "a.html", "-o", "p") == LabelOptions(
            pages=["a.html"],
            out=Path("p"),
            annotator="me",
            model=None,
            port=0,
            open=False,
            export=None,
            agreement=None,
            url="",
            settings=RenderSettings(),
            verbosity=0,
        )

    def test_all_options(self) -> None:
        arguments = ["a", "b", "-o", "p", "--annotator", "anna.b-2", "--port", "8000", "--open", "--js", "--model", "m"]
        options = parsed("label", *arguments, "--url", "https://a.example/", "--timeout", "9", "-v")
        assert (options.annotator, options.port, options.open, options.model) == ("anna.b-2", 8000, True, Path("m"))
        assert (options.settings.scripts, options.settings.deadline, options.verbosity) == (True, 9, 1)

    def test_project_without_pages(self) -> None:
        assert parsed("label", "-o", "p").pages == []

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["a.html"], "--out PROJECT"),
            ([], "--out PROJECT"),
            (["a", "-o", "p", "--port", "0"], "has to be positive"),
            (["a", "-o", "p", "--port", "70000"], "1 to 65535"),
            (["a", "-o", "p", "--annotator", "../x"], "has to be at most"),
            (["a", "-o", "p", "--annotator", ""], "has to be at most"),
            (["a", "-o", "p", "--annotator", "x" * 65], "has to be at most"),
            (["a", "-o", "p", "--export", "e"], "give no PAGE"),
            (["-o", "p", "--export", "p/e"], "export to a folder outside"),
            (["-o", "p", "--export", "p"], "export to a folder outside"),
            (["--export", "e"], "--out PROJECT"),
            (["--agreement", "a"], "expected 2 arguments"),
            (["x", "--agreement", "a", "b"], r"expected|give no PAGE"),
            (["-o", "p", "--agreement", "a", "b"], "give no PAGE"),
            (["-o", "p", "--export", "e", "--agreement", "a", "b"], "not allowed with"),
            (["", "-o", "p"], "a PAGE is empty"),
            (["a", "-o", "p", "--url", "ftp://x"], "has to start with http"),
        ],
    )
    def test_invalid_options(self, arguments: list[str], reason: str) -> None:
        with pytest.raises(UsageError, match=reason):
            parsed("label", *arguments)

    def test_agreement(self) -> None:
        options = parsed("label", "--agreement", "a", "b")
        assert (options.agreement, options.out) == ([Path("a"), Path("b")], None)
