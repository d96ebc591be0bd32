"""Count which systems print what a reader does not see: every page of `visibility_cases.py`, in one run.

`python benchmarks/visibility.py [--write docs/reference/tables/hidden-text.md] [--failures]`

For each kind of page the table counts those whose sentence a system prints. Right is none of the hidden ones and all of
the shown ones. `innerText` is what the browser itself gives for `document.body`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from documents import table
from playwright.sync_api import sync_playwright
from rivals import RIVALS, available, silence
from visibility_cases import LEAD, SENTENCE, Case, cases

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
