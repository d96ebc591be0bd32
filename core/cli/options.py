"""Define options that several commands share. Their fields have the names of the settings that they set."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click

from vclean.cli.command import POSITIVE, AnyValue, Options, argument, flag, is_on_command_line, option
from vclean.errors import UsageError
from vclean.runtime import log_json
from vclean.settings import OVERLAY_FORMATS, CleanerSettings, Policy, RenderSettings

if TYPE_CHECKING:
    from vclean.settings import HiddenPolicy, RenderMode, Scripts

_PAGES: Final = (".html", ".htm", ".xhtml", ".mhtml", ".mht")

_PRECISION_WEIGHT: Final = 0.25
_RECALL_WEIGHT: Final = 4.0
"""Weights of recall relative to precision, with `--precision` and `--recall`."""
_NEEDS_RENDERING: Final = ("width", "height", "hide_overlays", "scripts")

COUNT: Final = click.IntRange(0)
PORT: Final = click.IntRange(1, 65_535)
_SECONDS: Final = click.FloatRange(0, 86_400, min_open=True)

RENDERING: Final = "Rendering and limits of a page"
CONTENT: Final = "What counts as content"
INPUT: Final = "Input"
OUTPUT: Final = "Output"


def complete_methods(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the sorted names of methods that begin with `incomplete`."""
    from vclean.classify.methods import names

    return sorted(name for name in names() if name.startswith(incomplete))


def render_setting(usage: str, field: str, text: str) -> AnyValue:
    """Declare an option for a number of `RenderSettings`, with the default of its field."""
    default = getattr(RenderSettings(), field)
    kind = _SECONDS if isinstance(default, float) else POSITIVE
    return option(usage, f"{text} ({default:.10g})", type=kind, default=default)


def in_or_out(name: str, text: str, *, default: str | None = None) -> AnyValue:
    """Declare an option for a field of `Policy` that is True ("in"), False ("out") or, without the option, None."""
    return option(
        f"{name} in|out",
        f"keep (in) or drop (out) {text}{' ({default})' * bool(default)}",
        default=default,
        callback=lambda _context, _option, value: None if value is None else value == "in",
    )


class MessageOptions(Options):
    """Options for messages on standard error."""

    verbose: bool = flag("-v, --verbose", "print more on standard error")
    quiet: bool = flag("-q, --quiet", "only print errors", excludes="verbose")
    log_json: bool = flag(
        "--log-json",
        "write messages as JSON lines",
        expose_value=False,
        callback=lambda _context, _option, value: log_json() if value else None,
    )

    @property
    def verbosity(self) -> int:
        """Return -1 for quiet, 0 for normal, 1 for verbose."""
        return self.verbose - self.quiet


class RenderOptions(Options):
    """Options of `RenderSettings`."""

    section = RENDERING

    scripts: Scripts = option(
        "--scripts auto|on|off",
        "run the scripts of rendered pages: always (on), never, or where a page waits for them ({default})",
        default=RenderSettings().scripts,
    )
    js: bool = flag("--js", "render pages and run their scripts: --scripts on")
    deadline: float = render_setting("--timeout S", "deadline", "limit the time of each step of one page, in seconds")
    max_bytes: int = render_setting("--max-bytes N", "max_bytes", "limit the size of a page, in bytes")
    max_nodes: int = render_setting("--max-nodes N", "max_nodes", "limit the number of elements of a page")
    width: int = render_setting("--width PX", "width", "set the width of the viewport")
    height: int = render_setting("--height PX", "height", "set the height of the viewport")
    allow_hosts: list[str] = option(
        "--allow-host HOST",
        "also fetch from this host if it is not public, such as localhost; repeatable",
        multiple=True,
    )
    force_html: bool = flag("--force-html", "clean JSON, feeds and plain text as if they were HTML")

    @property
    def runs_scripts(self) -> bool:
        """Return whether the scripts of all pages run."""
        return self.js or self.scripts == "on"

    @property
    def render_mode(self) -> RenderMode:
        """Return whether pages are rendered."""
        return True

    @cached_property
    def settings(self) -> RenderSettings:
        """Return the settings; on pages that are not rendered, those of rendering have their defaults.

        Raises:
            UsageError: a value is out of range.
        """
        ignored = () if self.render_mode else _NEEDS_RENDERING
        names = [each.name for each in fields(RenderSettings) if hasattr(self, each.name) and each.name not in ignored]
        values = {name: getattr(self, name) for name in names}
        return RenderSettings(**values | ({"scripts": "on"} if self.runs_scripts else {}))

    def check(self) -> None:
        """Check the settings.

        Raises:
            UsageError: a value is out of range.
            click.UsageError: an option has no effect.
        """
        super().check()
        for name in () if self.render_mode else _NEEDS_RENDERING:
            if hasattr(self, name) and is_on_command_line(name):
                text = f"argument --{name.replace('_', '-')}: has no effect on pages that are not rendered"
                raise click.UsageError(text)
        _ = self.settings


class HiddenOption(Options):
    """Option for text that is not shown."""

    section = CONTENT

    hidden: HiddenPolicy = option(
        "--hidden drop|revealable|keep",
        "text that is not shown: drop all of it, keep what a reader can open, or keep all ({default})",
        default=Policy().hidden,
    )


class OverlayOptions(Options):
    """Option for screenshots without overlays."""

    section = RENDERING

    hide_overlays: bool = flag(
        "--hide-overlays", "with --overlay: take the screenshot without consent bars and other pop-ups"
    )


class CleaningOptions(HiddenOption, RenderOptions):
    """Options of `CleanerSettings` and its `Policy`."""

    section = CONTENT

    method: str = option(
        "--method NAME",
        "label blocks with this method, see `vclean methods` ({default})",
        default=CleanerSettings().method,
        shell_complete=complete_methods,
    )
    model: Path | None = option("--model FILE", "use this model in place of the shipped model")
    templates: Path | None = option(
        "--templates FOLDER", "use the selector file HOST.txt in this folder for pages of HOST"
    )
    precision: bool = flag("--precision", "only keep blocks that are very probably content")
    recall: bool = flag("--recall", "also keep blocks that may be content", excludes="precision")
    purpose: str = option(
        "--for article|corpus|everything",
        "what the text is for: the article, a text corpus, or everything on the page but navigation ({default})",
        default="article",
    )
    comments: bool | None = in_or_out("--comments", "reader comments")
    captions: bool | None = in_or_out("--captions", "captions of images and tables")
    byline: bool | None = in_or_out("--byline", "names of authors and dates next to the title")
    lists: bool | None = in_or_out("--lists", "lists of links, documents and products")
    title: bool | None = in_or_out("--title", "the headline of a page", default="in")
    images: bool | None = in_or_out("--images", "images of the content in Markdown, HTML and chunks", default="in")
    ruby: bool | None = in_or_out("--ruby", "readings beside Chinese and Japanese letters", default="out")

    @cached_property
    def cleaning(self) -> CleanerSettings:
        """Return the settings that determine the result of a page.

        Raises:
            UsageError: a value is wrong.
        """
        weight = _RECALL_WEIGHT if self.recall else _PRECISION_WEIGHT if self.precision else None
        names = [each.name for each in fields(Policy) if hasattr(self, each.name)]
        policy = Policy.for_purpose(self.purpose, recall_weight=weight, **{name: getattr(self, name) for name in names})
        return CleanerSettings(
            render=self.render_mode,
            rendering=self.settings,
            method=self.method,
            model=self.model,
            templates=self.templates,
            policy=policy,
        )

    def check(self) -> None:
        """Check the settings; see `cleaning`."""
        super().check()
        _ = self.cleaning


class LimitOption(Options):
    """Option for the largest number of pages of a run."""

    section = INPUT

    limit: int | None = option("--limit N", "read at most N pages (all)")


class PageOptions(LimitOption, RenderOptions, MessageOptions):
    """Options of a command over pages."""

    section = INPUT

    pages: list[str] = argument("PAGE...", "pages, as for vclean itself: see vclean --help")
    out: Path | None = option(
        "-o, --out OUT",
        "write to this file; several pages: to this folder, or with -f json to one file (standard output)",
    )
    url: str = option("--url BASE", "set the URL of pages without one", default="")

    def check(self) -> None:
        """Check the inputs, and that outputs do not overwrite each other or an input.

        Raises:
            UsageError: a value is not allowed.
        """
        super().check()
        overlay = cast("Path | None", getattr(self, "overlay", None))
        if overlay and overlay.suffix.lower() not in OVERLAY_FORMATS:
            raise UsageError(f"the overlay {overlay} has to end in .png, .svg or .html")
        if "" in self.pages:
            raise UsageError("a PAGE is empty: name a file, a folder, a URL, or - for standard input")
        if self.pages.count("-") > 1:
            raise UsageError("- is standard input, which can only be read once: name it once")
        if self.url and not self.url.lower().startswith(("http://", "https://")):
            raise UsageError(f"--url has to start with http:// or https://, not {self.url!r}")
        outputs = [path.resolve() for name in ("out", "overlay", "review") if (path := getattr(self, name, None))]
        if len(set(outputs)) < len(outputs):
            raise UsageError("the outputs have to be different files")
        inputs = {Path(page).resolve() for page in self.pages}
        for output in outputs:
            overwrites = output in inputs or (inputs & set(output.parents) and output.suffix.lower() in _PAGES)
            if overwrites and output.is_file():
                raise UsageError(f"{output} is one of the pages: write to another file")


SNAPSHOTS: Final = ("--snapshots FOLDER", "store rendered pages in this folder, and do not render them again")
