from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helpers.libraries import require

import vclean

require("llama_index.core", "llamaindex")

from llama_index.core import SimpleDirectoryReader  # noqa: E402
from llama_index.core.schema import MetadataMode  # noqa: E402

from vclean.adapters.llamaindex import VcleanReader  # noqa: E402

NEWS = Path(__file__).parents[3] / "fixtures" / "news" / "page.html"


class TestVcleanReader:
    def test_documents_are_the_chunks(self) -> None:
        documents = VcleanReader(max_words=50).load_data(NEWS, extra_info={"crawl": "may"})
        chunks = vclean.clean_file(NEWS).chunks(50)
        assert [each.text for each in documents] == [chunk.text for chunk in chunks]
        assert documents[1].metadata["xpaths"] == list(chunks[1].xpaths)
        assert documents[1].metadata["crawl"] == "may"
        assert documents[1].id_ == f"{NEWS}#1"
        assert json.loads(json.dumps(documents[1].metadata)) == documents[1].metadata

    def test_positions_are_not_embedded(self) -> None:
        document, *_ = VcleanReader().load_data(NEWS)
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            text = document.get_content(mode)
            assert "/html[1]" not in text
            assert "headings:" in text

    @pytest.mark.parametrize(("on_error", "errors"), [("skip", []), ("collect", ["NotHtmlError"])])
    def test_a_damaged_page_loses_no_other(self, tmp_path: Path, on_error: str, errors: list[str]) -> None:
        for name in ("one.html", "three.html"):
            shutil.copy(NEWS, tmp_path / name)
        (tmp_path / "two.html").write_bytes(b"\x00\x01\x02\xff" * 50)
        reader = VcleanReader(on_error=on_error)
        sources = {each.metadata["source"] for each in reader.load_data(tmp_path)}
        assert sources == {str(tmp_path / "one.html"), str(tmp_path / "three.html")}
        assert [(name, type(error).__name__) for name, error in reader.errors] == [
            (str(tmp_path / "two.html"), error) for error in errors
        ]
        with pytest.raises(vclean.NotHtmlError):
            VcleanReader().load_data(tmp_path)

    def test_on_error_has_three_values(self) -> None:
        with pytest.raises(vclean.UsageError, match='has to be "raise", "skip" or "collect"'):
            VcleanReader(on_error="ignore")

    def test_in_a_directory_reader(self, tmp_path: Path) -> None:
        shutil.copy(NEWS, tmp_path / "one.html")
        reader = SimpleDirectoryReader(str(tmp_path), file_extractor={".html": VcleanReader()})
        documents = reader.load_data()
        assert documents[0].text == vclean.clean_file(NEWS).chunks()[0].text
        assert documents[0].metadata["file_name"] == "one.html"
