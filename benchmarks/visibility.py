"""Count which systems print what a reader does not see: every page of `visibility_cases.py`, in one run.

`python benchmarks/visibility.py [--write docs/reference/tables/hidden-text.md] [--failures]`

For each kind of page the table counts those whose sentence a system prints. Right is none of the hidden ones and all of
the shown ones. `innerText` is what the browser itself gives for `document.body`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from documents import table
from playwright.async_api import async_playwright
from rivals import RIVALS, available, silence
from visibility_cases import LEAD, SENTENCE, Case, cases

from vclean import Cleaner, Policy
from vclean.classify.corpora.gold import GoldPage
from vclean.files import write_atomic
from vclean.render.browser.chromium import find_chromium
from vclean.runtime import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vclean.settings import HiddenPolicy

KINDS: Final = ("hidden", "revealable", "shown")
POLICIES: Final[tuple[HiddenPolicy, ...]] = ("drop", "revealable", "keep")
HEADING: Final = """# Table of hidden text

[Documentation](../../index.md) · [Keep hidden text out](../../guides/hidden-text.md) explains the pages. \
Written by `python benchmarks/visibility.py`.
"""
_RIVALS: Final = ("trafilatura", "readability-lxml", "resiliparse")
_INNER_TEXT: Final = "innerText"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Output of a system for a page of the suite.

    Attributes:
        system: its name.
        case: the page.
        printed: whether the page's sentence is in the output.
        leads: whether the first paragraph of the article is.
    """

    system: str
    case: Case
    printed: bool
    leads: bool


def outcome(system: str, case: Case, text: str) -> Outcome:
    """Return the outcome of a page for the text that a system printed, whatever its white space."""
    plain = " ".join(text.split())
    return Outcome(system, case, SENTENCE in plain, LEAD in plain)


def outcomes(pages: Sequence[Case]) -> Iterator[Outcome]:
    """Run every system on every page."""
    for render in (True, False):
        for policy in POLICIES:
            name = f"`vclean {'--render ' * render}--hidden {policy}`"
            with Cleaner(render=render, policy=Policy(hidden=policy)) as cleaner:
                yield from _run(name, pages, lambda html, cleaner=cleaner: cleaner.clean(html).to_text())
    systems, missing = available(tuple(system for system in RIVALS if system.name in _RIVALS))
    for line in missing:
        print(line, file=sys.stderr)
    for system in systems:
        extract = system.load()
        with silence():
            yield from _run(system.name, pages, lambda html, extract=extract: extract(GoldPage(html=html.encode()))[0])
    texts = asyncio.run(inner_texts(pages))
    yield from (outcome(_INNER_TEXT, case, text) for case, text in zip(pages, texts, strict=True))


def _run(name: str, pages: Sequence[Case], extract: Callable[[str], str]) -> Iterator[Outcome]:
    for case in track(pages, name, "pages", total=len(pages)):
        yield outcome(name, case, extract(case.html))


async def inner_texts(pages: Sequence[Case]) -> list[str]:
    """Return `document.body.innerText` of every page, by Playwright, its scripts running."""
    texts = []
    async with async_playwright() as playwright:
        chromium = find_chromium()
        browser = await playwright.chromium.launch(executable_path=chromium.path, chromium_sandbox=False)
        page = await browser.new_page()
        for case in pages:
            await page.set_content(case.html)
            texts.append(await page.evaluate("document.body.innerText"))
        await browser.close()
    return texts


def summary(results: Sequence[Outcome]) -> str:
    """Return the table: by system, how many sentences of each kind of page it prints."""
    rows = []
    for system in dict.fromkeys(each.system for each in results):
        mine = [each for each in results if each.system == system]
        counts = [_count(mine, kind) for kind in KINDS]
        rows.append([system, *counts, str(sum(not each.leads for each in mine))])
    return table(["System", *(f"{kind} printed" for kind in KINDS), "article lost"], rows)


def _count(results: Sequence[Outcome], kind: str) -> str:
    of_kind = [each.printed for each in results if each.case.kind == kind]
    return f"{sum(of_kind)} of {len(of_kind)}"


def failures(results: Sequence[Outcome]) -> Iterator[str]:
    """Name the pages on which a rendering vclean did not do what its policy promises."""
    for each in results:
        allowed = {"drop": ("shown",), "revealable": ("shown", "revealable"), "keep": KINDS}
        for policy, kinds in allowed.items():
            if each.system == f"`vclean --render --hidden {policy}`" and each.printed != (each.case.kind in kinds):
                yield f"{each.system}: {each.case.kind}: {each.case.name}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the suite and print or write its table."""
    parser = argparse.ArgumentParser(description="Which systems print what a reader does not see.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table to this file")
    parser.add_argument("--failures", action="store_true", help="name the pages that vclean gets wrong")
    options = parser.parse_args(arguments)
    results = list(outcomes(cases()))
    text = summary(results)
    print(text)
    if options.failures:
        print("\n".join(failures(results)))
    if options.write:
        write_atomic(options.write, f"{HEADING}\n{text.strip()}\n".encode())


if __name__ == "__main__":
    main()
