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


def together(*pages: BlockColumns) -> list[list[float]]:
    """The evidence on the blocks of each page."""
    with SitePages[int]() as found:
        for number, blocks in enumerate(pages):
            found.add(blocks, number)
        return [evidence.tolist() for _, _, evidence in found]


class TestSites:
    def test_pages_come_back_as_they_were_and_in_their_order(self) -> None:
        given = [extract_blocks(laid_out(f"{MENU}<p>{word}</p>")) for word in ("one", "two", "three")]
        with SitePages[str]() as found:
            for blocks in given:
                found.add(blocks, blocks.text[-1])
            back = list(found)
        assert [note for _, note, _ in back] == ["one", "two", "three"]
        for before, (after, _, _) in zip(given, back, strict=True):
            assert after.text == before.text
            assert np.array_equal(after.box, before.box)
            assert after.snapshot.styles == before.snapshot.styles

    def test_what_is_repeated_has_evidence_against_it(self) -> None:
        for menu, text in together(page("one"), page("two"), page("three")):
            assert menu < -1
            assert text == 0

    def test_pages_of_several_hosts_are_compared_apart(self) -> None:
        a, b = page("one", "https://a.example/1"), page("two", "https://b.example/1")
        assert together(a, b) == [[0, 0], [0, 0]]
        assert together(a, b, page("three", "https://www.a.example/2"))[0][0] < -1

    def test_pages_without_a_url_are_one_site(self) -> None:
        assert together(page("one", ""), page("two", ""))[1][0] < -1

    def test_a_page_given_twice_is_no_repetition(self) -> None:
        assert together(page("one"), page("one", "https://example.org/other")) == [[0, 0], [0, 0]]

    def test_a_page_without_blocks(self) -> None:
        assert together(extract_blocks(snapshot("<p></p>")), page("one"))[0] == []

    def test_no_page(self) -> None:
        assert together() == []

    def test_nothing_is_left_behind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        assert len(together(page("one"))) == 1
        assert list(tmp_path.iterdir()) == []

    def test_no_place_for_the_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
        with pytest.raises(OutputError, match="cannot write a temporary file"), SitePages():
            pass

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
    @pytest.mark.parametrize("count", [1, 50])
    def test_a_full_disk(self, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
        """It shows when a buffer is full, or at the latest when the pages are read back."""
        full = partial(Path("/dev/full").open, "wb")
        monkeypatch.setattr(site_evidence, "TemporaryFile", lambda **_: full())
        with pytest.raises(OutputError, match="the disk is full"):
            together(*(page(str(number)) for number in range(count)))
