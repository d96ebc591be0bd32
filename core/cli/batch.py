"""A run of a command over pages: where they come from, what failed, and what that makes of the exit code."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from vclean.errors import BrowserMissingError, ModelError, NotHtmlError, OutputError, UsageError, VcleanError
from vclean.progress import tracked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from vclean.input.sources import Source
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result
    from vclean.settings import RenderSettings


def unexpected(error: Exception) -> str:
    """A bug, in one line."""
    reason = " ".join(str(error).split())
    return f"unexpected {type(error).__name__}{': ' * bool(reason)}{reason}; -v shows where: please report it"


def why_empty(result: Result, *, scripted: bool) -> str:
    """What of the page explains that there is no text, and what to try; for a result without any.

    Args:
        result: of the page.
        scripted: whether there are scripts in its source.
    """
    snapshot = result.columns.snapshot
    if snapshot.is_tag({"frameset"}).any():
        return f"no text: the page is a frameset; clean its frames: {_frames(snapshot)}"
    if count := len(result.columns):
        return f"no text: all {count} blocks were taken for boilerplate; -f json shows them, --method text keeps them"
    if snapshot.settings.get("scripts"):
        return "no text: the page shows none, even with its scripts run"
    if scripted:
        return f"no text: the page has only scripts; try {'--js' if snapshot.rendered else '--render --js'}"
    return "no text: the page has none"


def _frames(snapshot: Snapshot) -> str:
    sources = snapshot.attributes("src")
    frames = snapshot.is_tag({"frame"}).nonzero()[0].tolist()
    return ", ".join(sources[frame] for frame in frames if frame in sources) or "it names none"


def has_scripts(page: Page) -> bool:
    """Whether there is a script in the source; a snapshot leaves scripts out. A live page may well have some."""
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "replace")
    return page.live or b"<script" in content.lower()


_FATAL: Final = (BrowserMissingError, ModelError, OutputError, UsageError)
"""What would go wrong again with the next page."""

_log = logging.getLogger("vclean")


class PageOptions(Protocol):
    """What commands over pages have in common; see `vclean.cli.commands.clean.CleanOptions`."""

    @property
    def pages(self) -> list[str]:
        """The inputs, as given."""

    @property
    def out(self) -> Path | None:
        """File or folder; None for standard output."""

    @property
    def url(self) -> str:
        """The address of pages that come without one."""

    @property
    def settings(self) -> RenderSettings:
        """How to render, and what bounds a page."""

    @property
    def verbosity(self) -> int:
        """-1 quiet, 0 normal, 1 talkative."""


class PageRun:
    """One run of a command over pages.

    Attributes:
        many: whether there may be several pages.
        settings: how to render, and what bounds a page.
        renders: whether pages are rendered.
        done: how many pages were done so far.
    """

    def __init__(self, options: PageOptions, *, renders: bool) -> None:
        from vclean.input.sources import holds_many

        self.many = len(options.pages) > 1 or any(map(holds_many, options.pages))
        self.settings = options.settings
        self.renders = renders
        self.done = 0
        self._options = options
        self._codes: set[int] = set()

    @property
    def exit_code(self) -> int:
        """0 if nothing failed, 1 if something did, unless that was all of one argument, and for one reason."""
        if len(self._codes) == 1 and not self.done and len(self._options.pages) == 1:
            return next(iter(self._codes))
        return int(bool(self._codes))

    def sources(self) -> Iterator[Source]:
        """The pages of all arguments, counted on standard error; an argument that gives none is reported."""
        torn = self._options.out is None and sys.stdout.isatty() and sys.stderr is not None and sys.stderr.isatty()
        if not self.many or torn:  # a bar would stand between the lines of the text
            yield from self._found()
        else:
            yield from tracked(self._found(), "done", "pages")

    def read(self, source: Source) -> Page:
        """The page of a source; one without an address gets that of the options."""
        from vclean.input.sources import at_url

        page = source.read()
        return at_url(page, self._options.url) if self._options.url and not page.url else page

    @contextmanager
    def reported(self, name: str) -> Iterator[None]:
        """Give errors the page's name; among several pages say them and go on, unless the next would fail too."""
        try:
            yield
        except _FATAL:
            raise
        except VcleanError as error:
            message = str(error) if name in str(error) else f"{name}: {error}"
            if not self.many:
                raise type(error)(message) from error
            self._codes.add(error.exit_code)
            self.fail(message)

    def fail(self, message: str) -> None:
        """Say that one of several pages failed: which, and why."""
        _log.error("%s", message)

    def _found(self) -> Iterator[Source]:
        from vclean.input.sources import find

        for argument in self._options.pages:
            with self.reported(argument):
                source = None
                for source in find(argument, self.settings, live=self.renders):
                    yield source
                if source is None:
                    raise NotHtmlError(f"{argument} is empty: it has no rows, and so no pages")


@contextmanager
def bugs_reported() -> Iterator[None]:
    """One page that hits a bug must not end a run over many."""
    try:
        yield
    except VcleanError:
        raise
    except Exception as error:
        _log.debug("", exc_info=True)
        raise VcleanError(f"{unexpected(error)}, with the page") from error
