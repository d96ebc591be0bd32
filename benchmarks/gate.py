#!/usr/bin/env python3
"""Fail if the word F1 of the fixtures, unrendered or rendered, is more than .005 below the pinned scores.

`python benchmarks/gate.py` compares with gate.json beside this file; `--write` pins the present scores.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from statistics import mean

from tabulate import tabulate

import vclean
from vclean.classify.evaluation.scores import cleaneval_markup_score, word_score

FIXTURES = Path(__file__).parents[1] / "fixtures"
PINNED = Path(__file__).with_name("gate.json")
TOLERANCE = 0.005
"""Largest loss of the mean word F1, and of the mean CleanEval score with marks as a share."""


def page_scores(*, render: bool) -> dict[str, tuple[float, float]]:
    """Return word F1 and CleanEval score with marks (0..1) of each fixture, by its name."""
    scores = {}
    with vclean.Cleaner(render=render) as cleaner:
        for gold_file in sorted(FIXTURES.glob("*/gold.txt")):
            result, gold = cleaner.clean_file(gold_file.with_name("page.html")), gold_file.read_text("utf-8")
            f1 = word_score(result.to_text(), re.sub("(?m)^<[hpl]>", "", gold)).f1
            scores[gold_file.parent.name] = (f1, cleaneval_markup_score(result.to_cleaneval(), gold) / 100)
    return scores


def main() -> int:
    """Score, compare or pin; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="pin the present scores")
    write = parser.parse_args().write
    readings = {name: page_scores(render=name == "rendered") for name in ("unrendered", "rendered")}
    means = {
        f"{measure}, {name}": round(mean(page[index] for page in pages.values()), 4)
        for name, pages in readings.items()
        for index, measure in enumerate(("word F1", "with marks"))
    }
    if write:
        PINNED.write_text(json.dumps(means, indent=2) + "\n", "utf-8")
    pinned = json.loads(PINNED.read_text("utf-8"))
    rows = [(page, *readings["unrendered"][page], *readings["rendered"][page]) for page in readings["rendered"]]
    print(tabulate(rows, ("page", "word F1", "with marks", "rendered", "with marks"), floatfmt=".3f"), end="\n\n")
    print(
        tabulate(
            [(name, value, pinned[name]) for name, value in means.items()], ("mean", "now", "pinned"), floatfmt=".4f"
        )
    )
    lost = [name for name, value in means.items() if value < pinned[name] - TOLERANCE]
    if lost:
        print(f"\nmore than {TOLERANCE} below the pinned scores: {', '.join(lost)}", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
