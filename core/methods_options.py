"""The arguments of `vclean methods` and `vclean cleaneval-score`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vclean.arguments import Parser


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodsOptions:
    """`vclean methods`: `json` for a machine-readable list."""

    json: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanevalScoreOptions:
    """`vclean cleaneval-score`: two files, or two folders of files of the same names; `json` for figures as JSON."""

    gold: Path
    predicted: Path
    json: bool


def parse_methods(arguments: list[str]) -> MethodsOptions:
    """The options of `vclean methods`."""
    parser = Parser(prog="vclean methods", description="List the methods that label blocks, and what each needs.")
    parser.add_argument("--json", action="store_true", help="as a JSON array")
    return MethodsOptions(**vars(parser.parse_args(arguments)))


def parse_cleaneval_score(arguments: list[str]) -> CleanevalScoreOptions:
    """The options of `vclean cleaneval-score`."""
    parser = Parser(
        prog="vclean cleaneval-score",
        description="Score clean text against gold text as CleanEval 2007 did: text only, and text with marks.",
    )
    add = parser.add_argument
    add("gold", type=Path, metavar="GOLD", help="a file of gold text with <h>, <p>, <l>; or a folder of such")
    add("predicted", type=Path, metavar="PREDICTED", help="the clean text; or a folder of files of the same names")
    add("--json", action="store_true", help="as a JSON object")
    return CleanevalScoreOptions(**vars(parser.parse_args(arguments)))
