"""The arguments of `vclean label`."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.arguments import (
    Parser,
    add_caps,
    add_loudness,
    check_pages,
    port,
    take_settings,
    take_verbosity,
)
from vclean.errors import UsageError

if TYPE_CHECKING:
    from vclean.settings import RenderSettings

ANNOTATOR: Final = "me"
_NAME: Final = re.compile(r"\w[\w.-]{0,63}")

_EPILOG: Final = """\
Open the printed address in a browser: click or drag to select blocks, press h, p, l, c or o to say what they are,
Enter when the page is done. Ctrl-C ends the server; the same command goes on where you were.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions:
    """`vclean label`: pages, who labels them, and where the gold goes.

    Attributes:
        pages: the inputs, as given; none for all the pages that the project has.
        out: the folder of the project; None with `agreement`.
        annotator: who labels.
        model: a model file in place of the shipped one.
        port: of the server; 0 for any.
        open: whether to open the browser.
        export: a folder for the gold; nothing is served then.
        agreement: two files or folders of gold to be compared; nothing is served then.
        url: the address of pages that come without one.
        settings: how to render, and what bounds a page.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    pages: list[str]
    out: Path | None
    annotator: str
    model: Path | None
    port: int
    open: bool
    export: Path | None
    agreement: list[Path] | None
    url: str
    settings: RenderSettings
    verbosity: int


def parse_label(arguments: list[str]) -> LabelOptions:
    """The options of the command.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help`.
    """
    parser = Parser(
        prog="vclean label",
        description="Label pages by click, in a browser on this machine; every change is saved at once.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("pages", nargs="*", metavar="PAGE", help="what to label, as for vclean itself; none for all those in PROJECT")
    add("-o", "--out", type=Path, metavar="PROJECT", help="folder of rendered pages and gold; made if it is not there")
    add("--annotator", type=_annotator, default=ANNOTATOR, metavar="NAME", help="who labels (%(default)s)")
    add("--model", type=Path, metavar="FILE", help="a model in place of the shipped one")
    add("--port", type=port, default=0, metavar="N", help="port of the server (any that is free)")
    add("--open", action="store_true", help="open the address in the browser")
    instead = parser.add_mutually_exclusive_group()
    text = "write the gold of all pages that are done, with their snapshots, and serve nothing"
    instead.add_argument("--export", type=Path, metavar="FOLDER", help=text)
    text = "compare two annotators' gold (files, or folders of them), and serve nothing"
    instead.add_argument("--agreement", type=Path, nargs=2, metavar="GOLD", help=text)
    add("--js", action="store_true", help="run the pages' scripts")
    add("--url", default="", metavar="BASE", help="the address of a page that comes without one")
    add_caps(parser)
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    settings = take_settings(values, scripts=values.pop("js"))
    return _checked(LabelOptions(settings=settings, verbosity=take_verbosity(values), **values))


def _checked(options: LabelOptions) -> LabelOptions:
    check_pages(options.pages, options.url)
    if options.agreement:
        if options.pages or options.out:
            raise UsageError("--agreement compares two files of gold: give no PAGE and no --out with it")
    elif options.out is None:
        raise UsageError("name the folder where the gold goes: --out PROJECT")
    elif options.export and options.pages:
        raise UsageError("--export writes the gold of all pages of the project: give no PAGE with it")
    elif options.export and options.export.resolve().is_relative_to(options.out.resolve()):
        raise UsageError(f"{options.export} is in the project {options.out}: export to a folder outside")
    return options


def _annotator(text: str) -> str:
    """An argument type: a name that can be that of a file on every system."""
    if not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(f"has to be letters, digits, dots, hyphens, up to 64, not {text!r}")
    return text
