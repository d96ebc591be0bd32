"""Parse web pages to LangChain documents: one document for each chunk of the content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vclean.adapters.documents import ChunkMaker
from vclean.api import Cleaner
from vclean.imports import requires_extra
from vclean.input.sources import is_url, read_file
from vclean.page import Page

with requires_extra("langchain", "LangChain"):
    from langchain_core.document_loaders import BaseBlobParser
    from langchain_core.documents import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.documents.base import Blob


class VcleanBlobParser(ChunkMaker, BaseBlobParser):
    """Parser of HTML and MHTML for every blob loader of LangChain.

    The URL of a page is `url` in the metadata of its blob, or the blob's source if that is an http(s) address.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        max_words: the limit on the words of a document; None for the default of `Result.chunks`.
        on_error: what to do with a page that cannot be read: `raise` the error, `skip` the page and log why, or
            also `collect` the error in `errors`.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        ExtraMissingError: LangChain is not installed.
    """

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Yield the chunks of a page; `vclean.adapters.documents.chunk_metadata` describes their metadata.

        Raises:
            VcleanError: the page cannot be read, with `on_error="raise"`; one of the subclasses in `vclean.errors`.
        """
        chunks, source = [], str(blob.source or "")
        url = blob.metadata.get("url") or (source if is_url(source) else "")
        with self.page_errors(source), Cleaner(self.settings) as cleaner:
            if blob.data is None and blob.path is not None:
                page = read_file(Path(blob.path), self.settings.rendering.max_bytes, url=url)
            else:
                page = Page(content=blob.as_bytes(), url=url, id=source)
            chunks = list(self.described_chunks(cleaner.clean(page)))
        for chunk, metadata in chunks:
            yield Document(page_content=chunk.text, metadata={**blob.metadata, **metadata})
