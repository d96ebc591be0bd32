"""Overlays of a rendered page in results and explanations, and in the files of `vclean --hide-overlays`."""

import json
import re

import numpy as np
import pytest
from helpers.overlay_pages import NOTE, OVERLAYS, page
from PIL import Image

from vclean import Cleaner, Policy
from vclean.cli.main import main
from vclean.labels import Label, Role, Visibility

pytestmark = pytest.mark.browser

MODAL = OVERLAYS["modal with a backdrop around it"]


def test_block_json_and_explanation():
    with Cleaner(render=True, explain=True) as cleaner:
        result = cleaner.clean(MODAL)
    (block,) = result.blocks.where(role="overlay")
    assert (block.text, block.label, block.visibility) == (NOTE, Label.OTHER, Visibility.SHOWN)
    assert result.prediction.roles == result.roles
    assert result.roles[block.index] is Role.OVERLAY
    records = json.loads(result.to_json())["blocks"]
    assert [record["text"] for record in records if record["role"] == "overlay"] == [NOTE]
    lines = result.to_explanation().splitlines()
    (line,) = (number for number, line in enumerate(lines) if " overlay " in line and NOTE[:20] in line)
    assert lines[line + 1].strip().startswith("rule: left out because it is in an overlay")


@pytest.mark.parametrize("method", ["vclean", "text"])
@pytest.mark.parametrize("hidden", ["drop", "revealable"])
def test_overlays_are_not_content(method, hidden):
    with Cleaner(render=True, method=method, policy=Policy(hidden=hidden)) as cleaner:
        result = cleaner.clean(MODAL)
    assert [block.text for block in result.blocks.where(role="overlay")] == [NOTE]
    assert NOTE not in result.to_text()
    assert "The heron counts" in result.to_text()


@pytest.mark.parametrize(
    ("options", "roles"), [({"render": True, "policy": Policy(hidden="keep")}, {None, Role.OVERLAY}), ({}, {None})]
)
def test_kept_with_hidden_text_or_without_rendering(options, roles):
    with Cleaner(method="text", **options) as cleaner:
        result = cleaner.clean(MODAL)
    assert set(result.roles) == roles
    assert NOTE in result.to_text()


def test_heading_of_an_overlay_is_no_headline():
    css = ".m { position: fixed; inset: 0; background: #fff } .m h1 { font-size: 60px }"
    with Cleaner(render=True) as cleaner:
        result = cleaner.clean(page(css, "<div class=m><h1>{note}</h1></div><article>{article}</article>"))
    assert NOTE not in result.to_text()
    assert result.to_text().startswith("The heron\n")


BLUE = (0, 0, 255)
"""The color of the overlay and of nothing else, frames and tags included."""
CSS = ".b { position: fixed; left: 0; right: 0; bottom: 0; height: 400px; background: #00f }"


@pytest.fixture
def html(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page(CSS, "<article>{article}</article><div class=b><p>{note}</p></div>"))
    return path


def is_blue(path):
    with Image.open(path) as image:
        return np.asarray(np.asarray(image.convert("RGB")) == BLUE).all(axis=2)


def test_image_without_overlays(html, tmp_path):
    shown, hidden = tmp_path / "shown.png", tmp_path / "hidden.png"
    assert main([str(html), "--overlay", str(shown), "-q"]) == 0
    assert main([str(html), "--render", "--hide-overlays", "--overlay", str(hidden), "-q"]) == 0
    assert is_blue(shown).sum() > 0.5 * 1366 * 400
    assert not is_blue(hidden).any()


def test_page_without_frames_of_overlays(html, tmp_path):
    overlay = tmp_path / "page_overlay.html"
    assert main([str(html), "--hide-overlays", "--overlay", str(overlay), "-q"]) == 0
    match = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', overlay.read_text(), re.DOTALL)
    assert match is not None
    blocks = json.loads(match.group(1))["blocks"]
    assert {block["text"]: block["box"] for block in blocks if block["role"] == "overlay"} == {NOTE: None}


def test_segments(html, tmp_path, capsys):
    overlay = tmp_path / "segments.png"
    assert main(["segment", str(html), "--hide-overlays", "--overlay", str(overlay), "-q"]) == 0
    assert not is_blue(overlay).any()


def test_list_of_hidden_text_has_no_overlays(tmp_path, capsys):
    path = tmp_path / "wall.html"
    path.write_text(OVERLAYS["opaque wall over the whole page"])
    assert main([str(path), "--render", "--show-hidden", "-q"]) == 0
    assert capsys.readouterr().out == ""
