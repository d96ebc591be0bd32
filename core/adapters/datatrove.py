"""Clean pages in a datatrove pipeline: an extractor of text, and a step that also keeps labels and metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vclean.adapters.documents import label_counts
from vclean.api import Cleaner
from vclean.errors import VcleanError
from vclean.imports import requires_extra
from vclean.output import json, writer
from vclean.page import Page
from vclean.settings import CleanerSettings

with requires_extra("datatrove", "datatrove"):
    from datatrove.pipeline.base import PipelineStep
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.utils.typeshelper import StatHints

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Unpack

    from datatrove.data import Document

    from vclean.settings import CleanerOptions

TIMEOUT: Final = 30.0
"""Seconds for a page. The first page of a process also loads the model and, with rendering, starts the browser."""

_PAGE_FIELDS: Final = ("title", "language", "rendered", "confidence", "empty")


class VcleanExtractor(BaseExtractor):
    """Extractor of text from HTML, in place of datatrove's `Trafilatura`.

    datatrove runs it in a separate process, gives it no URL, and drops documents without text. Pages that cannot be
    read have none.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        format: the output format: text, cleaneval, markdown, html or json.
        timeout: the limit on the seconds of one page; it also applies to loading the model.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        ExtraMissingError: datatrove is not installed.
        UsageError: an option or the format does not exist.
    """

    name = "🧹 vclean"

    def __init__(
        self,
        settings: CleanerSettings | None = None,
        *,
        format: str = "text",  # noqa: A002 - it is the name of the option, too
        timeout: float = TIMEOUT,
        **options: Unpack[CleanerOptions],
    ) -> None:
        super().__init__(timeout)
        self.settings = (settings or CleanerSettings()).replace(**options)
        self.format = format
        self._cleaner: Cleaner | None = None
        writer(format)

    def run(self, data: Iterable[Document] | None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the documents with their text; arguments as for `VcleanStep.run`.

        Raises:
            VcleanError: an error that every page would repeat. In its process datatrove would drop every document.
        """
        with Cleaner(self.settings):
            pass
        yield from super().run(data, rank, world_size)

    def extract(self, text: str) -> str:
        """Return the text of a page; empty if it cannot be read. datatrove's first call, without HTML, loads the model.

        Args:
            text: the HTML.
        """
        if self._cleaner is None:
            self._cleaner = Cleaner(self.settings).__enter__()  # it ends with the process
        if not text:
            return ""
        try:
            return self._cleaner.clean(text).to(self.format)
        except VcleanError:
            return ""  # an exception would end the process


class VcleanStep(PipelineStep):
    """Step that replaces the HTML of documents by their text, and adds metadata.

    The URL is `url` in the metadata of a document, as readers of archives set it. Added are `vclean_labels` (the number
    of blocks by label), `vclean_title`, `vclean_language`, `vclean_rendered`, `vclean_confidence` and `vclean_empty`
    (why there is no text). A document that cannot be read is dropped, and counted by its error.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        format: the output format: text, cleaneval, markdown, html or json.
        keep_empty: whether to keep documents without text.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        ExtraMissingError: datatrove is not installed.
        UsageError: an option or the format does not exist.
    """

    type = "🛢 - EXTRAC"
    name = "🧹 vclean"

    def __init__(
        self,
        settings: CleanerSettings | None = None,
        *,
        format: str = "text",  # noqa: A002 - it is the name of the option, too
        keep_empty: bool = False,
        **options: Unpack[CleanerOptions],
    ) -> None:
        super().__init__()
        self.settings = (settings or CleanerSettings()).replace(**options)
        self.format = format
        self.keep_empty = keep_empty
        writer(format)

    def run(self, data: Iterable[Document] | None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:  # noqa: ARG002 - the signature is that of datatrove
        """Yield the documents with their text.

        Args:
            data: documents with HTML.
            rank: number of this task; not used.
            world_size: number of tasks; not used.
        """
        with Cleaner(self.settings) as cleaner:
            for document in data or ():
                self.stat_update(StatHints.total)
                with self.track_time():
                    is_read = self._clean(cleaner, document)
                if is_read and (document.text or self.keep_empty):
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(document)
                    yield document
                else:
                    self.stat_update(StatHints.dropped)

    def _clean(self, cleaner: Cleaner, document: Document) -> bool:
        """Clean a document in place, and return whether it could be read."""
        url = str(document.metadata.get("url") or "")
        try:
            result = cleaner.clean(Page(content=document.text, url=url, id=document.id))
        except VcleanError as error:
            self.stat_update(f"failed: {type(error).__name__}")
            return False
        document.text = result.to(self.format)
        fields = json.page_fields(result)
        fields["empty"] = fields["empty"] and str(fields["empty"])  # writers need strings
        document.metadata |= {"vclean_labels": label_counts(result)}
        document.metadata |= {f"vclean_{name}": fields[name] for name in _PAGE_FIELDS}
        return True
