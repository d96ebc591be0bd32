from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.libraries import require

import vclean

require("langchain_core", "langchain")

from langchain_core.documents.base import Blob  # noqa: E402

from vclean.adapters.langchain import VcleanBlobParser  # noqa: E402

NEWS = Path(__file__).parents[3] / "fixtures" / "news" / "page.html"
URL = "https://example.org/ferry"


class TestVcleanBlobParser:
    def test_documents_are_the_chunks(self) -> None:
        documents = VcleanBlobParser(max_words=50).parse(Blob.from_path(NEWS, metadata={"url": URL, "crawl": "may"}))
        result = vclean.clean_file(NEWS, url=URL)
        chunks = result.chunks(50)
        assert len(chunks) > 5
        assert [each.page_content for each in documents] == [chunk.text for chunk in chunks]
        for document, chunk in zip(documents, chunks, strict=True):
            metadata = document.metadata
            assert (metadata["source"], metadata["url"], metadata["crawl"]) == (str(NEWS), URL, "may")
            assert (metadata["xpaths"], metadata["headings"]) == (list(chunk.xpaths), list(chunk.headings))
            assert metadata["roles"] == [str(role) for role in chunk.roles]
            assert metadata["title"] == result.to_dict()["title"]
            assert json.loads(json.dumps(metadata)) == metadata

    @pytest.mark.parametrize("data", [NEWS.read_bytes(), NEWS.read_text(encoding="utf-8")])
    def test_data_in_memory(self, data: bytes | str) -> None:
        documents = VcleanBlobParser().parse(Blob.from_data(data, metadata={"source": URL}))
        assert documents[0].metadata["url"] == URL
        assert documents[0].page_content.startswith("Three generations")

    def test_a_page_that_cannot_be_read(self) -> None:
        with pytest.raises(vclean.NotHtmlError):
            VcleanBlobParser().parse(Blob.from_data(b""))

    @pytest.mark.browser
    def test_boxes(self) -> None:
        document, *_ = VcleanBlobParser(render=True).parse(Blob.from_path(NEWS))
        assert document.metadata["rendered"]
        assert all(width > 0 for _, _, width, _ in document.metadata["boxes"])
