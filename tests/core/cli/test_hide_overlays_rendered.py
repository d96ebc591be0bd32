"""`vclean PAGE --render --hide-overlays --overlay out.png`, from the page to the pixels."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.overlay_pages import NOTE, OVERLAYS, page
from numpy.typing import NDArray
from PIL import Image

from vclean.cli.main import main

pytestmark = pytest.mark.browser

BLUE = (0, 0, 255)
"""The color of the overlay and of nothing else, frames and tags included."""
CSS = ".b { position: fixed; left: 0; right: 0; bottom: 0; height: 400px; background: #00f }"


@pytest.fixture
def html(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(page(CSS, "<article>{article}</article><div class=b><p>{note}</p></div>"))
    return path


def is_blue(path: Path) -> NDArray[np.bool_]:
    with Image.open(path) as image:
        return np.asarray(np.asarray(image.convert("RGB")) == BLUE).all(axis=2)


def test_image_without_overlays(html: Path, tmp_path: Path) -> None:
    shown, hidden = tmp_path / "shown.png", tmp_path / "hidden.png"
    assert main([str(html), "--overlay", str(shown), "-q"]) == 0
    assert main([str(html), "--render", "--hide-overlays", "--overlay", str(hidden), "-q"]) == 0
    assert is_blue(shown).sum() > 0.5 * 1366 * 400
    assert not is_blue(hidden).any()


def test_page_without_frames_of_overlays(html: Path, tmp_path: Path) -> None:
    overlay = tmp_path / "page_overlay.html"
    assert main([str(html), "--hide-overlays", "--overlay", str(overlay), "-q"]) == 0
    match = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', overlay.read_text(), re.DOTALL)
    assert match is not None
    blocks = json.loads(match.group(1))["blocks"]
    assert {block["text"]: block["box"] for block in blocks if block["role"] == "overlay"} == {NOTE: None}


def test_text_is_the_same(html: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for options in ([], ["--hide-overlays"]):
        assert main([str(html), "--render", "-q", *options]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert NOTE not in texts[0]
    assert "The heron counts" in texts[0]


def test_segments(html: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overlay = tmp_path / "segments.png"
    assert main(["segment", str(html), "--hide-overlays", "--overlay", str(overlay), "-q"]) == 0
    assert not is_blue(overlay).any()


def test_list_of_hidden_text_has_no_overlays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wall.html"
    path.write_text(OVERLAYS["opaque wall over the whole page"])
    assert main([str(path), "--render", "--show-hidden", "-q"]) == 0
    assert capsys.readouterr().out == ""
