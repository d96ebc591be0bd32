"""Write articles in the manner of an encyclopedia, of any length."""

from __future__ import annotations

import random
import re
from typing import Final

NOUNS: Final = (
    "river", "bridge", "ferry", "harbor", "town", "council", "engineer", "survey", "map", "district", "valley", "mill",
    "railway", "station", "market", "museum", "archive", "painter", "treaty", "province", "lighthouse", "canal",
    "quarry", "abbey", "charter", "guild", "library", "glacier", "orchard", "garrison", "viaduct",
)  # fmt: skip
NAMES: Final = ("Alder", "Brandt", "Castell", "Dorn", "Ekholm", "Gale", "Holm", "Ives", "Kerr", "Lund", "Marsh", "Orme")
VERBS: Final = ("crossed", "founded", "surveyed", "described", "restored", "opened", "governed", "recorded", "sold")
PLACES: Final = ("in the north", "near the old town", "below the weir", "at the mouth", "along the road")
MENU: Final = ("Main page", "Contents", "Current events", "Random article", "About us", "Contact", "Donate", "Help")
KINDS: Final = ("heading", "paragraph", "item", "cell", "reference", "menu")

PAGE: Final = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Ferries of the river</title></head>
<body class="mediawiki"><div id="mw-navigation"><ul>{menu}</ul></div>
<main id="content"><h1 id="firstHeading">Ferries of the river</h1><div id="siteSub">From the free encyclopedia</div>
<div id="mw-content-text"><div class="mw-parser-output">{body}
<h2>References</h2><ol class="references">{references}</ol>
<div class="navbox" role="navigation"><ul>{navigation}</ul></div></div></div>
<div id="catlinks"><a href="/c">Categories</a>: <ul><li><a href="/c/1">Ferries</a></li></ul></div></main>
<footer id="footer"><ul><li>This page was last edited on 3 May 2024, at 10:12.</li>
<li>Text is available under a free license; additional terms may apply.</li>
<li><a href="/privacy">Privacy policy</a></li></ul></footer></body></html>"""


class Encyclopedia:
    """Article about made-up things.

    Attributes:
        texts: the texts of the page by kind (`KINDS`), in document order, with collapsed white space.
        html: the page.

    Args:
        sections: number of sections: about 36 blocks each, of which 7 are references.
        seed: number that determines the text.
    """

    def __init__(self, sections: int, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self.texts: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.html = PAGE.format(
            menu=self._elements("li", "menu", [f"<a href=x>{label}</a>" for label in MENU]),
            body="".join(self._section(number) for number in range(sections)),
            references=self._elements("li", "reference", [self._reference() for _ in range(7 * sections)]),
            navigation=self._elements("li", "menu", [f"<a href=x>{a} {b}</a>" for a in NAMES for b in NAMES[:6]]),
        )

    def _elements(self, tag: str, kind: str, contents: list[str]) -> str:
        """Return an element for each content, and record its text."""
        self.texts[kind] += [re.sub(r"<[^>]*>", "", content) for content in contents]
        return "".join(f"<{tag}>{content}</{tag}>\n" for content in contents)

    def _section(self, number: int) -> str:
        title = f"{self._pick(NOUNS).title()} and {self._pick(NOUNS)} {number}"
        heading = self._elements("h2", "heading", [f"<span id=s{number}>{title}</span>"])
        paragraphs = [" ".join(self._sentences(2, 6)) for _ in range(self._random.randrange(3, 9))]
        return heading + self._elements("p", "paragraph", paragraphs) + (self._list() if number % 2 else self._table())

    def _list(self) -> str:
        return f"<ul>{self._elements('li', 'item', self._sentences(4, 14))}</ul>"

    def _table(self) -> str:
        rows = "".join(
            f"<tr>{self._elements('td', 'cell', self._cells())}</tr>" for _ in range(self._random.randrange(3, 12))
        )
        return f"<table class=wikitable><tr><th>Year<th>Name<th>Work<th>Place</tr>{rows}</table>"

    def _cells(self) -> list[str]:
        return [self._year(), self._name(), f"The {self._pick(NOUNS)} of the {self._pick(NOUNS)}", self._pick(PLACES)]

    def _sentences(self, low: int, high: int) -> list[str]:
        return [self._sentence() for _ in range(self._random.randrange(low, high))]

    def _sentence(self) -> str:
        return (
            f"The {self._pick(NOUNS)} of the {self._pick(NOUNS)} was {self._pick(VERBS)} {self._pick(PLACES)} by "
            f"<a href=x>{self._name()}</a> in {self._year()}, and the {self._pick(NOUNS)} that had stood there before "
            f"was {self._pick(VERBS)} with it<sup><a href=x>[{self._random.randrange(999)}]</a></sup>."
        )

    def _reference(self) -> str:
        page = self._random.randrange(400)
        return f"<a href=x>^</a> {self._name()} ({self._year()}). The {self._pick(NOUNS)}, p. {page}."

    def _name(self) -> str:
        return f"{self._pick(NAMES)} {self._pick(NAMES)}"

    def _year(self) -> str:
        return str(self._random.randrange(1500, 2000))

    def _pick(self, options: tuple[str, ...]) -> str:
        return self._random.choice(options)
