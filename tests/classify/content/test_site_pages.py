from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.classify.content import site_evidence
from vclean.classify.content.site_evidence import SitePages
from vclean.errors import OutputError
from vclean.features.blocks import BlockColumns, extract_blocks

MENU = "<div class=menu><a href=/>Home</a></div>"


def page(text: str, url: str = "https://example.org/1") -> BlockColumns:
    return extract_blocks(snapshot(f"{MENU}<p>{text}</p>", url))


def evidence_for(*pages: BlockColumns) -> list[list[float]]:
    """Return the log odds for the blocks of each page."""
    with SitePages[int]() as buffer:
        for number, blocks in enumerate(pages):
            buffer.add(blocks, number)
        return [evidence.log_odds.tolist() for _, _, evidence in buffer]


class TestSitePages:
    def test_returns_pages_unchanged_in_order(self) -> None:
        originals = [extract_blocks(laid_out(f"{MENU}<p>{word}</p>")) for word in ("one", "two", "three")]
        with SitePages[str]() as buffer:
            for blocks in originals:
                buffer.add(blocks, blocks.text[-1])
            returned = list(buffer)
        assert [payload for _, payload, _ in returned] == ["one", "two", "three"]
        for before, (after, _, _) in zip(originals, returned, strict=True):
            assert after.text == before.text
            assert np.array_equal(after.box, before.box)
            assert after.snapshot.styles == before.snapshot.styles

    def test_repeated_blocks_have_negative_evidence(self) -> None:
        for menu, text in evidence_for(page("one"), page("two"), page("three")):
            assert menu < -1
            assert text == 0

    def test_compares_pages_of_one_host(self) -> None:
        a, b = page("one", "https://a.example/1"), page("two", "https://b.example/1")
        assert evidence_for(a, b) == [[0, 0], [0, 0]]
        assert evidence_for(a, b, page("three", "https://www.a.example/2"))[0][0] < -1

    def test_pages_without_url_are_one_site(self) -> None:
        assert evidence_for(page("one", ""), page("two", ""))[1][0] < -1

    def test_ignores_equal_pages(self) -> None:
        assert evidence_for(page("one"), page("one", "https://example.org/other")) == [[0, 0], [0, 0]]

    def test_page_without_blocks(self) -> None:
        assert evidence_for(extract_blocks(snapshot("<p></p>")), page("one"))[0] == []

    def test_no_pages(self) -> None:
        assert evidence_for() == []

    def test_deletes_the_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        assert len(evidence_for(page("one"))) == 1
        assert list(tmp_path.iterdir()) == []

    def test_missing_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
        with pytest.raises(OutputError, match="cannot write a temporary file"), SitePages():
            pass

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
    @pytest.mark.parametrize("count", [1, 50])
    def test_full_disk(self, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
        """Check errors on writing a full buffer, and at the latest on reading the pages."""
        full = partial(Path("/dev/full").open, "wb")
        monkeypatch.setattr(site_evidence, "TemporaryFile", lambda **_: full())
        with pytest.raises(OutputError, match="the disk is full"):
            evidence_for(*(page(str(number)) for number in range(count)))
