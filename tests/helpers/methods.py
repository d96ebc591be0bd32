"""Run methods on small pages, for tests."""

from __future__ import annotations

import pytest

from helpers.pages import laid_out, snapshot
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.methods import get, method_info
from vclean.classify.methods.base import TrainingPage
from vclean.features.blocks import extract_blocks


def blocks_for(name, html):
    """Return the blocks of a page, laid out if the method needs it; skip without the library of the method."""
    info = method_info(name)
    if info.library:
        pytest.importorskip(info.library)
    return extract_blocks((laid_out if info.rendered else snapshot)(html))


def letters(prediction):
    """Return the labels of a prediction as a string."""
    return "".join(prediction.labels)


def labels_of(name, html):
    """Return the labels that a method gives the blocks of a page, as a string."""
    return letters(get(name)(blocks_for(name, html)))


def training_page(html, text, markup="", read=snapshot):
    """Return a training page with this gold."""
    return TrainingPage(GoldPage(text=text, markup=markup), extract_blocks(read(html)))
