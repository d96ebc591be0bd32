"""Count the sentences of each class that vclean prints: unrendered, rendered, and rendered with scripts.

`python benchmarks/framework_pages/score.py [--for PURPOSE] [--failures]`. Right is: all shown sentences, the revealable
ones unless hidden text is dropped, none of the others.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from pages import CLASSES, pages
from tabulate import tabulate

from vclean import Cleaner, Policy, RenderSettings, VcleanError

MODES: dict[str, dict[str, Any]] = {
    "unrendered": {},
    "--render": {"render": True},
    "--render --js": {"render": True, "rendering": RenderSettings(scripts="on")},
}


def _text(cleaner: Cleaner, html: str) -> str:
    try:
        return " ".join(cleaner.clean(html, url="http://page.test/").to_text().split())
    except VcleanError as error:
        print(error)
        return ""


def main(arguments: list[str]) -> None:
    """Score all modes with both policies, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--for", dest="purpose", default="article", help="purpose of the text (article)")
    parser.add_argument("--failures", action="store_true", help="print each wrong sentence")
    options = parser.parse_args(arguments)
    totals = Counter(label for sample in pages() for label in sample.sentences.values())
    rows = []
    for mode, hidden in ((mode, hidden) for mode in MODES for hidden in ("revealable", "drop")):
        printed = Counter[str]()
        with Cleaner(policy=Policy.for_purpose(options.purpose, hidden=hidden), **MODES[mode]) as cleaner:
            for sample in pages():
                text = _text(cleaner, sample.html)
                for sentence, label in sample.sentences.items():
                    printed[label] += sentence in text
                    if options.failures and (sentence in text) != (label in ("shown", hidden)):
                        print(f"{mode}, --hidden {hidden}: {sample.name}: {label}: {sentence}", flush=True)
        rows.append((f"{mode} --hidden {hidden}", *(f"{printed[label]} of {totals[label]}" for label in CLASSES)))
    print(tabulate(rows, ("sentences printed", *CLASSES), tablefmt="github"))


if __name__ == "__main__":
    main(sys.argv[1:])
