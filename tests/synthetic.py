"""A corpus of small pages that follow plain rules, on which models train in no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers import laid_out, snapshot

from vclean.classify import region_model
from vclean.classify.corpora import GoldPage
from vclean.classify.dataset import PageRows, page_rows
from vclean.classify.marks import strip
from vclean.classify.region_rows import marked_rows
from vclean.features.blocks import cut
from vclean.features.view import View

if TYPE_CHECKING:
    from vclean.classify.forest import Forest
    from vclean.classify.marks import Mark
    from vclean.classify.region_rows import RegionRows

WORDS = ["river", "ferry", "bridge", "rope", "village", "winter", "council", "bell", "letter", "notebook"]
SITES = 10


def gold_page(number: int, corpus: str = "synthetic") -> GoldPage:
    """A page of the site `number % SITES`: a menu, a heading, paragraphs, a list and a footer."""
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
    """The training rows of a page."""
    page = gold_page(number)
    read = laid_out if rendered else snapshot
    return page_rows(page, f"site{number % SITES}.example", cut(read(page.html.decode())))


def marked_page(number: int) -> tuple[str, tuple[Mark, ...]]:
    """The same page and the marks of its menu, its story and its footer."""
    page = gold_page(number)
    types = {"menu": "Menu", "story": "Article", "footer": "Footer"}
    html = page.html.decode()
    for name, kind in types.items():
        html = html.replace(f"<div class={name}>", f"<div class={name} data-block=1 data-block-type={kind}>")
    return strip(html)


def region_rows(number: int) -> RegionRows:
    """The rows of its containers."""
    html, marks = marked_page(number)
    return marked_rows(View(cut(snapshot(html))), marks, site=f"site{number % SITES}.example")


def region_forest() -> Forest:
    """A region model of a page of every site."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(region_model, "PARAMETERS", region_model.PARAMETERS | {"min_data_in_leaf": 2})
        return region_model.fit([region_rows(number) for number in range(SITES)])


def train_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rounds of small trees in one thread."""
    from vclean.classify import cuts, training

    small = {"min_data_in_leaf": 5, "num_threads": 1, "num_leaves": 4, "feature_fraction": 1.0, "learning_rate": 0.3}
    monkeypatch.setattr(training, "CONTENT_PARAMETERS", training.CONTENT_PARAMETERS | small)
    monkeypatch.setattr(training, "TYPE_PARAMETERS", training.TYPE_PARAMETERS | small)
    monkeypatch.setattr(cuts, "PARAMETERS", cuts.PARAMETERS | small)
    monkeypatch.setattr(cuts, "ROUNDS", 12)
    monkeypatch.setattr(training, "CONTENT_ROUNDS", 12)
    monkeypatch.setattr(training, "TYPE_ROUNDS", 12)
