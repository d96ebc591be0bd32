from __future__ import annotations

from pathlib import Path

import pytest
from helpers.pages import parsed

from vclean.cli.commands.evaluate_segments import ATOMS, METHODS, EvaluateSegmentsOptions
from vclean.errors import UsageError


def scored(*arguments: str) -> EvaluateSegmentsOptions:
    options = parsed("evaluate-segments", *arguments)
    assert isinstance(options, EvaluateSegmentsOptions)
    return options


class TestEvaluateSegments:
    def test_defaults(self) -> None:
        assert scored("a.warc") == EvaluateSegmentsOptions(
            archive=Path("a.warc"),
            pages=None,
            levels=(1, 2),
            atoms=ATOMS,
            methods=METHODS,
            marked_only=False,
            json=None,
            truth=None,
            snapshots=None,
            verbosity=0,
        )

    def test_all_options(self) -> None:
        arguments = [
            "--pages",
            "p.txt",
            "--level",
            "2",
            "--atoms",
            "pixels,chars",
            "--method",
            "dom@2",
            "--method",
            "page",
        ]
        files = ["--json", "f.json", "--truth", "t.jsonl", "--snapshots", "kept", "--marked-only"]
        assert scored(*arguments, "a.warc", *files) == EvaluateSegmentsOptions(
            archive=Path("a.warc"),
            pages=Path("p.txt"),
            levels=(2,),
            atoms=("pixels", "chars"),
            methods=("dom@2", "page"),
            marked_only=True,
            json=Path("f.json"),
            truth=Path("t.jsonl"),
            snapshots=Path("kept"),
            verbosity=0,
        )

    def test_lists_may_have_spaces_and_duplicates(self) -> None:
        assert scored("a", "--atoms", "chars, nodes,chars", "--level", "2,1").atoms == ("chars", "nodes")
        assert scored("a", "--level", "2,1").levels == (2, 1)

    def test_scores_duplicate_method_once(self) -> None:
        assert scored("a", "--method", "dom", "--method", "dom").methods == ("dom",)

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            ((), "ARCHIVE"),
            (("a", "--level", "3"), "'3' is none of 1, 2"),
            (("a", "--level", ""), "is none of 1, 2"),
            (("a", "--atoms", "chars,words"), "'words' is none of chars"),
            (("a", "b"), "b"),
        ],
    )
    def test_rejects_invalid_values(self, arguments: tuple[str, ...], reason: str) -> None:
        with pytest.raises(UsageError, match=reason):
            scored(*arguments)
