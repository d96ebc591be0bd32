"""Generate a corpus of small regular pages, on which models train quickly."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from helpers.pages import laid_out, snapshot
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.corpora.marked import strip_marks
from vclean.classify.training import regions as model
from vclean.classify.training.dataset import PageRows, TrainingTable, page_rows
from vclean.classify.training.fits import FITS
from vclean.classify.training.regions import marked_rows
from vclean.classify.training.train import CrossValidation
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

if TYPE_CHECKING:
    from vclean.classify.corpora.marked import RegionMark
    from vclean.classify.forest import Forest
    from vclean.classify.training.regions import RegionRows

WORDS = ["river", "ferry", "bridge", "rope", "village", "winter", "council", "bell", "letter", "notebook"]
SITES = 10


def gold_page(number: int, corpus: str = "synthetic") -> GoldPage:
    """Return a page of the site `number % SITES`, with a menu, a heading, paragraphs, a list and a footer."""
    word, other = WORDS[number % 10], WORDS[(number // 10 + 3) % 10]
    heading = f"The {word} and the {other}"
    paragraphs = [
        f"It was said that the {word} had {count} {other}s, and nobody in the valley minded." for count in (7, 8)
    ]
    items = [f"A {word} for the {other}.", f"No {other} without a {word}."]
    menu = "".join(f"<li><a href=/{name}>{name.title()}</a>" for name in WORDS[:4])
    html = (
        f"<div class=menu><ul>{menu}</ul></div><div class=story><h1>{heading}</h1>"
        + "".join(f"<p>{text}</p>" for text in paragraphs)
        + f"<ul>{''.join(f'<li>{text}' for text in items)}</ul></div><div class=footer>Copyright 20{number:02}</div>"
    )
    units = [f"<h>{heading}", *(f"<p>{text}" for text in paragraphs), *(f"<l>{text}" for text in items)]
    return GoldPage(
        corpus=corpus,
        id=str(number),
        url=f"https://site{number % SITES}.example/{number}",
        html=html.encode(),
        text="\n".join(unit[3:] for unit in units),
        markup="\n".join(units),
    )


def rows(number: int, *, rendered: bool = False) -> PageRows:
    """Return the training rows of a page."""
    page = gold_page(number)
    read = laid_out if rendered else snapshot
    return page_rows(page, f"site{number % SITES}.example", extract_blocks(read(page.html.decode())))


def marked_page(number: int) -> tuple[str, tuple[RegionMark, ...]]:
    """Return the HTML of the same page, and the marks of its menu, story and footer."""
    page = gold_page(number)
    types = {"menu": "Menu", "story": "Article", "footer": "Footer"}
    html = page.html.decode()
    for name, kind in types.items():
        html = html.replace(f"<div class={name}>", f"<div class={name} data-block=1 data-block-type={kind}>")
    return strip_marks(html)


def region_rows(number: int) -> RegionRows:
    """Return the training rows of the page's containers."""
    html, marks = marked_page(number)
    return marked_rows(PageContext(extract_blocks(snapshot(html))), marks, site=f"site{number % SITES}.example")


@cache
def region_forest() -> Forest:
    """Return a region model trained on one page of every site."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(FITS, "regions", FITS["regions"] | {"min_data_in_leaf": 2})
        return model.fit([region_rows(number) for number in range(SITES)])


@cache
def quick_validation() -> CrossValidation:
    """Return a cross-validation of small models on two pages of every site, one of them rendered.

    Tests share it, and none changes it.
    """
    with pytest.MonkeyPatch.context() as patch:
        train_quickly(patch)
        pages = [rows(number, rendered=number % 2 == 0) for number in range(2 * SITES)]
        return CrossValidation(TrainingTable.from_pages(pages))


def train_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set parameters for few rounds of small trees in one thread."""
    small = {"min_data_in_leaf": 5, "num_threads": 1, "num_leaves": 4, "feature_fraction": 1.0, "learning_rate": 0.3}
    for name in ("content", "types"):
        monkeypatch.setitem(FITS, name, FITS[name] | small | {"rounds": 12})
