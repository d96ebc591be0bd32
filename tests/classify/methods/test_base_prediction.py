from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.methods.base import prediction_from_mask, tag_labels
from vclean.features.blocks import extract_blocks
from vclean.labels import Label


class TestPredictionFromMask:
    BLOCKS = extract_blocks(snapshot("<h1>Cats</h1><ul><li>sleep</ul><p>a lot"))

    def test_default_labels_are_those_of_the_markup(self):
        prediction = prediction_from_mask(self.BLOCKS, np.array([True, True, False]))
        assert "".join(prediction.labels) == "hlo"
        assert prediction.probability.tolist() == [1, 1, 0]

    def test_labels_of_the_method(self):
        chosen = [Label.PARAGRAPH] * 3
        assert "".join(prediction_from_mask(self.BLOCKS, np.array([True, False, True]), chosen).labels) == "pop"


class TestTagLabels:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<h1>a</h1><p>b</p><h6>c</h6>", "hph"),
            ("<h2><span>a</span></h2>", "h"),
            ("<h2><div>a</div></h2>", "h"),
            ("<ul><li>a</li><li>b</li></ul>", "ll"),
            ("<li><p>a</p><p>b</p></li><li>c</li>", "lcl"),
            ("<li>a<ul><li>b</li></ul>c</li>", "llc"),
            ("<dl><dt>a</dt><dd>b</dd></dl>", "ll"),
            ("<li><h3>a</h3><p>b</p></li>", "hc"),
            ("<table><tr><td>a</td><td>b</td></tr></table>", "pp"),
            ("a<br><br>b", "pp"),
        ],
    )
    def test_labels_by_tag(self, html, expected):
        assert tag_labels(extract_blocks(snapshot(html))) == [Label(letter) for letter in expected]
