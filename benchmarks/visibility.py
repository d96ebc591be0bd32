"""Count which systems print what a reader does not see: every page of `visibility_cases.tsv`, in one run.

`python benchmarks/visibility.py [--write docs/reference/tables/hidden-text.md] [--failures]`

For each kind of page the table counts those whose sentence a system prints. Right is none of the hidden ones and all of
the shown ones. `innerText` is what the browser itself gives for `document.body`.

A page shows, hides or folds away one sentence. The file has the kind and name of a case, its style sheet and its
markup. Scripts in the markup do what those of the libraries do that the page is made for.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from documents import table
from playwright.sync_api import sync_playwright
from rivals import RIVALS, available, silence

from vclean import Cleaner, Policy
from vclean.classify.corpora.gold import GoldPage
from vclean.files import write_atomic
from vclean.render.browser.chromium import find_chromium
from vclean.runtime import track

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from vclean.settings import HiddenPolicy

KINDS: Final = ("hidden", "revealable", "shown")
POLICIES: Final[tuple[HiddenPolicy, ...]] = ("drop", "revealable", "keep")
HEADING: Final = """# Table of hidden text

[Documentation](../../index.md) · [Keep hidden text out](../../guides/hidden-text.md) explains the pages. \
Written by `python benchmarks/visibility.py`.
"""
_RIVALS: Final = ("trafilatura", "readability-lxml", "resiliparse")

SENTENCE: Final = "The heron counts forty silver buttons beside the weir."
"""The sentence that a page hides, folds away or shows in an unusual way."""

LOST: Final = {
    "faded as it is scrolled to": "of an animation by scrolling, the clearest frame counts",
    "pages of a note": "no attribute connects controls and panels, and no script runs",
    "language of a text": "no attribute connects controls and panels, and no script runs",
    "bulma tabs": "no attribute connects controls and panels, and no script runs",
    "font without ink": "fonts are not measured",
    "rotated to its back": "of rotations, only those of `transform` turn an element to its back",
    "rotate longhand back": "of rotations, only those of `transform` turn an element to its back",
    "covered by ::after no position negative margin": "of pseudo-elements, only positioned ones are looked at",
    "first-line": "of pseudo-elements, only positioned ones are looked at",
    **dict.fromkeys(("covered by an outline", "white on outlined sibling"), "outlines are thin, as on pages by others"),
    **dict.fromkeys(("line through", "line through on black"), "lines through letters leave them readable"),
    **dict.fromkeys(
        ("gradient line below white", "gradient without size", "gradient beside", "gradient corner"),
        "gradients fill their box",
    ),
}
"""Cases that vclean judges wrongly, with the reason: each would need a rule of its own."""

LEAD: Final = "The town council met on Tuesday to decide what becomes of the old mill."
"""A sentence that every page shows."""

_SQUARE: Final = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'%3E"
    "%3Crect width='9' height='9' fill='{color}'/%3E%3C/svg%3E"
)
_BLANK_FONT: Final = (
    "AAEAAAAKAIAAAwAgT1MvMkT/RNIAAAEoAAAAYGNtYXABTwIOAAABkAAAALxnbHlmAAAAAAAAAlQAAAABaGVhZC1pi9QAAACsAAAANmhoZWEDIg"
    "EuAAAA5AAAACRobXR4AfQAAAAAAYgAAAAGbG9jYQAAAAAAAAJMAAAABm1heHAAAwACAAABCAAAACBuYW1lyMHBcQAAAlgAAABOcG9zdG1nc80A"
    "AAKoAAAALAABAAAAAQAAR6SIUl8PPPUAAwPoAAAAAOcppXoAAAAA5ymlegAAAAAAAAAAAAAAAwACAAAAAAAAAAEAAAMg/zgAAAH0AAAAAAAAAA"
    "EAAAAAAAAAAAAAAAAAAAABAAEAAAACAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAwH0AZAABQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAPz8/PwAAACAAegMgAAAAAAMgAMgAAAAAAAAAAAAAAAAAAAAgAAAB9AAAAAAAAAAAAAIAAAADAAAAFA"
    "ADAAEAAAAUAAQAqAAAAAwACAACAAQAIAAsAC4AWgB6//8AAAAgACwALgBBAGH////h/9X/0wAAAAAAAQAAAAAAAAAGADgAAAABAAEAAQABAAEA"
    "AQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAA"
    "EAAQABAAEAAQABAAAAAAAAAAAAAAAAAAAABAA2AAEAAAAAAAEAAQAAAAEAAAAAAAIABwABAAMAAQQJAAEAAgAIAAMAAQQJAAIADgAKQlJlZ3Vs"
    "YXIAQgBSAGUAZwB1AGwAYQByAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAABAgVibGFuaw=="
)
"""TrueType font whose letters have no ink, base64."""

_PARTS: Final = {
    "{text}": SENTENCE,
    "{white}": _SQUARE.replace("{color}", "white"),
    "{dark}": _SQUARE.replace("{color}", "%23123"),
    "{blank font}": _BLANK_FONT,
}
"""Texts and files that replace the words in braces of the table."""

_PAGE: Final = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The old mill</title>
<style>body {{ font: 16px/1.5 Georgia, serif; margin: 0 auto; width: 720px }} {{css}}</style></head>
<body><article><h1>What becomes of the old mill</h1>
<p>{LEAD} Forty people came, most of them from the streets along the river, and stayed until the caretaker switched off
the lights in the corridor.</p>
<p>The mill has stood empty since the last miller left. Its wheel still turns when the water is high, and the sound
carries as far as the school, where nobody notices it any more.</p>
{{body}}
<p>An engineer told the meeting that the foundations are sound and that the roof is not. A new one would cost as much as
the footbridge that was finished last spring, and would take two summers.</p>
<p>A vote is planned for the autumn. Until then the doors stay locked, and the swallows that nest under the eaves will
have the building to themselves, as they have had it for a decade.</p>
</article></body></html>"""


@dataclass(frozen=True, slots=True)
class Case:
    """One page of the suite.

    Attributes:
        kind: "hidden", "revealable" or "shown".
        name: the technique, unique among all cases.
        css: its style sheet.
        body: its markup.
    """

    kind: str
    name: str
    css: str
    body: str

    @property
    def html(self) -> str:
        """Return the page: an article of five paragraphs, the sentence after the second."""
        page = _PAGE.replace("{css}", self.css).replace("{body}", self.body)
        for word, part in _PARTS.items():
            page = page.replace(word, part)
        return page


def cases() -> list[Case]:
    """Return all pages of the suite: hidden, revealable, shown."""
    with Path(__file__).with_name("visibility_cases.tsv").open(encoding="utf-8", newline="") as table:
        rows = csv.reader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [Case(*row) for row in rows]


def outputs(pages: Sequence[Case]) -> Iterator[tuple[str, list[str]]]:
    """Yield every system with the texts that it prints for the pages."""
    for render in (True, False):
        for policy in POLICIES:
            name = f"`vclean {'--render ' * render}--hidden {policy}`"
            with Cleaner(render=render, policy=Policy(hidden=policy)) as cleaner:
                tracked = track(pages, name, "pages", total=len(pages))
                yield name, [cleaner.clean(case.html).to_text() for case in tracked]
    systems, missing = available(tuple(system for system in RIVALS if system.name in _RIVALS))
    for line in missing:
        print(line, file=sys.stderr)
    for system in systems:
        extract = system.load()
        with silence():
            yield system.name, [extract(GoldPage(html=case.html.encode()))[0] for case in pages]
    yield "innerText", inner_texts(pages)


def inner_texts(pages: Sequence[Case]) -> list[str]:
    """Return `document.body.innerText` of every page, by Playwright, its scripts running."""
    texts = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium().path, chromium_sandbox=False)
        page = browser.new_page()
        for case in pages:
            page.set_content(case.html)
            texts.append(page.evaluate("document.body.innerText"))
        browser.close()
    return texts


def summary(pages: Sequence[Case], texts: Mapping[str, Sequence[str]]) -> str:
    """Return the table: by system, how many sentences of each kind of page it prints."""
    rows = []
    for system, printed in texts.items():
        counts = []
        for kind in KINDS:
            of_kind = [SENTENCE in text for case, text in zip(pages, printed, strict=True) if case.kind == kind]
            counts.append(f"{sum(of_kind)} of {len(of_kind)}")
        rows.append([system, *counts, str(sum(LEAD not in text for text in printed))])
    return table(["System", *(f"{kind} printed" for kind in KINDS), "article lost"], rows)


def failures(pages: Sequence[Case], texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Name the pages on which a rendering vclean did not do what its policy promises."""
    allowed = {"drop": ("shown",), "revealable": ("shown", "revealable"), "keep": KINDS}
    for policy, kinds in allowed.items():
        system = f"`vclean --render --hidden {policy}`"
        for case, text in zip(pages, texts[system], strict=True):
            if (SENTENCE in text) != (case.kind in kinds):
                yield f"{system}: {case.kind}: {case.name}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the suite and print or write its table."""
    parser = argparse.ArgumentParser(description="Which systems print what a reader does not see.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table to this file")
    parser.add_argument("--failures", action="store_true", help="name the pages that vclean gets wrong")
    options = parser.parse_args(arguments)
    pages = cases()
    texts = {system: [" ".join(text.split()) for text in printed] for system, printed in outputs(pages)}
    text = summary(pages, texts)
    print(text)
    if options.failures:
        print("\n".join(failures(pages, texts)))
    if options.write:
        write_atomic(options.write, f"{HEADING}\n{text.strip()}\n".encode())


if __name__ == "__main__":
    main()
