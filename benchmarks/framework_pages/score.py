#!/usr/bin/env python3
"""Count the sentences of each class that vclean prints: unrendered, rendered, and rendered with scripts.

`python benchmarks/framework_pages/score.py [--for PURPOSE] [--failures]`. Right is: all shown sentences,
the revealable ones without `hidden="drop"`, none of the others.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from pages import CLASSES, pages
from tabulate import tabulate

from vclean import Cleaner, Policy, RenderSettings, VcleanError

if TYPE_CHECKING:
    from collections.abc import Iterator

MODES: dict[str, dict[str, Any]] = {
    "unrendered": {},
    "--render": {"render": True},
    "--render --js": {"render": True, "rendering": RenderSettings(scripts=True)},
}


def outcomes(mode: str, policy: Policy) -> Iterator[tuple[str, str, str, bool]]:
    """Yield name of the page, class, sentence and whether it is printed."""
    with Cleaner(policy=policy, **MODES[mode]) as cleaner:
        for sample in pages():
            try:
                text = " ".join(cleaner.clean(sample.html, url="http://page.test/").to_text().split())
            except VcleanError as error:
                text = ""
                print(f"{sample.name}: {error}")
            for sentence, label in sample.sentences.items():
                yield sample.name, label, sentence, sentence in text


def main(arguments: list[str]) -> None:
    """Score all modes with both policies, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--for", dest="purpose", default="article", help="purpose of the text (article)")
    parser.add_argument("--failures", action="store_true", help="print each wrong sentence")
    options = parser.parse_args(arguments)
    totals = Counter(label for sample in pages() for label in sample.sentences.values())
    table = {}
    for mode in MODES:
        for hidden in ("revealable", "drop"):
            wanted = ("shown", "revealable") if hidden == "revealable" else ("shown",)
            printed = Counter[str]()
            for name, label, sentence, found in outcomes(mode, Policy.for_purpose(options.purpose, hidden=hidden)):
                printed[label] += found
                if options.failures and found != (label in wanted):
                    print(f"{mode}, {hidden}: {name}: {label} {'printed' if found else 'lost'}: {sentence}")
            table[f"{mode}, hidden={hidden}"] = {label: printed[label] for label in CLASSES}
    rows = [
        (name, *(f"{count} of {totals[label]}" for label, count in counts.items())) for name, counts in table.items()
    ]
    print(tabulate(rows, ("printed", *CLASSES), tablefmt="github"))


if __name__ == "__main__":
    main(sys.argv[1:])
