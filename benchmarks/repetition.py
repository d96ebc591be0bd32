"""What it is worth to compare the pages of a site: `python benchmarks/repetition.py CORPUS.parquet... [--json FILE]`.

Every page is labelled by a model that saw no page of its site, alone and with the evidence of what the other pages of
its host repeat; the weights of that evidence are learned from the other hosts. A page without a URL is of the host that
its source names most. The table has the mean word F1 by how many different pages of the host there are; the weights
below it, learned from all hosts, are those of `vclean.classify.content.site_evidence`. Training the models takes most
of the time.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from documents import table
from leaderboard import interval
from scipy.optimize import minimize
from scipy.special import expit

from vclean.classify.content.expected_f import best_selection
from vclean.classify.content.site_evidence import WEIGHTS, Repetition, fingerprints, host, log_odds, with_evidence
from vclean.classify.corpora.corpora import folds, read_corpus, registered_domain, site
from vclean.classify.evaluation.scores import word_score
from vclean.classify.training.dataset import TrainingTable, page_rows
from vclean.classify.training.train import CrossValidation
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.files import check_writable, write_atomic
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.site_evidence import Fingerprints
    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.training.dataset import PageRows

FOLDS = 5
PENALTY = 10.0
"""L2, over a sum of log losses of mean weight 1."""
SIZES = {"all": (2, np.inf), "2": (2, 2), "3 to 4": (3, 4), "5 to 9": (5, 9), "10 and more": (10, np.inf)}
"""Different pages of a host, from and to."""

_ADDRESS = re.compile(rb"https?://[^\s\"'<>]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Company:
    """A page of B blocks that has others of its host beside it.

    Attributes:
        corpus: the corpus it is of.
        host: its host.
        count: how many different pages of the host there are.
        shares: float64 (B, 2), see `Repetition.shares`.
        probability: float32 (B,), by a model that saw no page of its site.
        content: bool (B,).
        words: float32 (B,).
        texts: of the blocks; gold: of the page.
    """

    corpus: str
    host: str
    count: int
    shares: NDArray[np.float64]
    probability: NDArray[np.float32]
    content: NDArray[np.bool_]
    words: NDArray[np.float32]
    texts: Sequence[str]
    gold: str

    def f1(self, weights: NDArray[np.float64]) -> float:
        """The word F1 of what is kept with evidence of these weights."""
        evidence = (self.shares @ weights).astype(np.float32)
        keep, _ = best_selection(with_evidence(self.probability, evidence), self.words)
        kept = (text for text, chosen in zip(self.texts, keep.tolist(), strict=True) if chosen)
        return word_score("\n".join(kept), self.gold).f1


def host_of(page: GoldPage) -> str:
    """The host of a page; where its URL is unknown, the one of its site that its source names most."""
    if page.url:
        return host(page.url)
    where = site(page)
    named = Counter(url.decode("latin-1").lower() for url in _ADDRESS.findall(page.html))
    hosts: Counter[str] = Counter()
    for url, count in named.items():
        if registered_domain(url) == where:
            hosts[host(url)] += count
    return next((name for name, _ in hosts.most_common(1)), where)


def company(pages: Iterable[GoldPage]) -> list[Company]:
    """The pages that have company, with what models say of them that are trained on the pages of other sites."""
    read: list[tuple[GoldPage, Fingerprints, list[str]]] = []
    rows: list[PageRows] = []
    for page in pages:
        try:
            blocks = extract_blocks(parse(page.page()))
        except VcleanError:
            continue
        read.append((page, fingerprints(blocks), blocks.text))
        rows.append(page_rows(page, site(page), blocks))
    hosts, sites = [host_of(page) for page, _, _ in read], Repetition()
    for name, (_, prints, _) in zip(hosts, read, strict=True):
        sites.add(name, prints)
    unseen = CrossValidation.of(TrainingTable.of(rows)).unseen
    return [
        Company(page.corpus, name, sites.pages(name), sites.shares(name, prints), said.probability, known.content,
                known.layout.tokens, texts, page.text)
        for name, (page, prints, texts), known, said in zip(hosts, read, rows, unseen, strict=True)
        if sites.pages(name) > 1
    ]  # fmt: skip


def fit(pages: Sequence[Company]) -> NDArray[np.float64]:
    """The weights of the evidence, (2,): a logistic regression on top of the log odds of the model.

    Every page counts alike, its blocks by the root of their words, and a host as the root of its pages.
    """
    sizes = Counter(page.host for page in pages)
    x = np.concatenate([page.shares for page in pages])
    y = np.concatenate([page.content for page in pages]).astype(float)
    start = np.concatenate([log_odds(page.probability) for page in pages])
    weight = np.concatenate([_weight(page) / np.sqrt(sizes[page.host]) for page in pages])
    weight /= weight.mean()

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = start + x @ theta
        value = weight @ (np.logaddexp(0, margin) - y * margin) + PENALTY / 2 * theta @ theta
        return float(value), x.T @ (weight * (expit(margin) - y)) + PENALTY * theta

    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x)


def _weight(page: Company) -> NDArray[np.float64]:
    roots = np.sqrt(np.clip(page.words, 1, None).astype(float))
    return roots / max(roots.sum(), 1.0)


def gains(pages: Sequence[Company]) -> NDArray[np.float64]:
    """The word F1 of every page alone and in company, (P, 2), by weights learned from other hosts."""
    fold = folds([page.host for page in pages], FOLDS)
    found = np.zeros((len(pages), 2))
    for unseen in range(FOLDS):
        weights = fit([page for page, number in zip(pages, fold.tolist(), strict=True) if number != unseen])
        for place in np.flatnonzero(fold == unseen).tolist():
            found[place] = pages[place].f1(np.zeros(len(weights))), pages[place].f1(weights)
    return found


def summary(pages: Sequence[Company], f1: NDArray[np.float64]) -> dict[str, Any]:
    """All figures, for JSON: by the pages of the host, and by corpus."""
    count = np.array([page.count for page in pages])
    corpus = np.array([page.corpus for page in pages])
    parts = {f"pages of the host: {name}": (count >= low) & (count <= high) for name, (low, high) in SIZES.items()}
    parts |= {str(name): corpus == name for name in np.unique(corpus)}
    hosts = np.unique([page.host for page in pages], return_inverse=True)[1]
    rows = {name: _row(f1[part], hosts[part]) for name, part in parts.items() if part.any()}
    return {"parts": rows, "weights": fit(pages).round(3).tolist()}


def _row(f1: NDArray[np.float64], hosts: NDArray[np.int64]) -> dict[str, float]:
    groups = np.unique(hosts, return_inverse=True)[1]
    mean, low, high = interval(f1[:, 1] - f1[:, 0], groups)
    alone, together = f1.mean(axis=0).tolist()
    return {"pages": len(f1), "hosts": int(groups.max()) + 1, "alone": alone, "together": together, "gain": mean,
            "low": low, "high": high}  # fmt: skip


def show(found: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    head = ("", "pages", "hosts", "alone", "in company", "gain in word F1", "95 % interval")
    rows = [
        (name, row["pages"], row["hosts"], f"{row['alone']:.4f}", f"{row['together']:.4f}", f"{row['gain']:+.4f}",
         f"{row['low']:+.4f} to {row['high']:+.4f}")
        for name, row in found["parts"].items()
    ]  # fmt: skip
    return f"{table(head, rows)}\nweights learned from all: {found['weights']}; in use: {list(WEIGHTS)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    options = parser.parse_args(arguments)
    try:
        if options.json:
            check_writable(options.json)
        pages = company(page for path in options.corpora for page in read_corpus(path))
        found = summary(pages, gains(pages))
        print(show(found))
        if options.json:
            write_atomic(options.json, json.dumps(found, indent=1) + "\n")
    except VcleanError as error:
        print(f"repetition.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
