"""Read web pages as LlamaIndex documents: one document for each chunk of the content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vclean.adapters.documents import POSITIONS, ChunkMaker
from vclean.api import Cleaner
from vclean.imports import requires_extra
from vclean.input.sources import find_sources

with requires_extra("llamaindex", "LlamaIndex"):
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.schema import Document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class VcleanReader(ChunkMaker, BaseReader):
    """Reader of web pages, alone or as a `file_extractor` of `SimpleDirectoryReader`.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        max_words: the limit on the words of a document; None for the default of `Result.chunks`.
        on_error: what to do with a page that cannot be read: `raise` the error, `skip` the page and log why, or
            also `collect` the error in `errors`.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        ExtraMissingError: LlamaIndex is not installed.
    """

    def lazy_load_data(
        self, file: Path | str, extra_info: dict[str, Any] | None = None, **_: object
    ) -> Iterator[Document]:
        """Yield the chunks of the pages of an input.

        Args:
            file: an input of `vclean`: a file, a folder, an archive, or an http(s) address.
            extra_info: metadata to add to every document.

        Raises:
            VcleanError: a page cannot be read, with `on_error="raise"`; one of the subclasses in `vclean.errors`.
        """
        settings = self.settings
        with Cleaner(settings) as cleaner:
            for source in find_sources(str(file), settings.rendering, live=settings.render is True):
                documents = []
                with self.page_errors(source.id):
                    documents = [
                        Document(
                            id_=f"{metadata['source']}#{chunk.index}",
                            text=chunk.text,
                            metadata={**(extra_info or {}), **metadata},
                            excluded_embed_metadata_keys=list(POSITIONS),
                            excluded_llm_metadata_keys=list(POSITIONS),
                        )
                        for chunk, metadata in self.described_chunks(cleaner.clean(source.read()))
                    ]
                yield from documents
