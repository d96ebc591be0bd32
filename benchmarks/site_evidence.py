"""Measure the gain by comparing pages of a site: `python benchmarks/site_evidence.py CORPUS.parquet... [--json FILE]`.

Every page is labelled by a model that was not trained on its site: once alone, and once with evidence of the blocks
that other pages of its host repeat. The weights of the evidence are trained on the other hosts. If a page has no URL,
its host is the host that its HTML mentions most. The table shows mean word F1 by the number of different pages of
the host. Below it are the weights trained on all hosts, for `vclean.classify.content.site_evidence`. Training the
models takes most of the time.
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
from vclean.classify.content.site_documents import compute_fingerprints
from vclean.classify.content.site_evidence import WEIGHTS, RepetitionCounts, add_evidence, host, log_odds
from vclean.classify.corpora.corpora import assign_folds, read_corpus, registered_domain, site
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

    from vclean.classify.content.site_documents import Fingerprints
    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.training.dataset import PageRows

FOLDS = 5
PENALTY = 10.0
"""L2 penalty, relative to a sum of log losses with mean weight 1."""
SIZES = {"all": (2, np.inf), "2": (2, 2), "3 to 4": (3, 4), "5 to 9": (5, 9), "10 and more": (10, np.inf)}
"""Minimum and maximum number of different pages of a host, by name of the group."""

_ADDRESS = re.compile(rb"https?://[^\s\"'<>]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class HostPage:
    """Page of B blocks, of a host with several pages.

    Attributes:
        corpus: name of the corpus.
        host: host of the page.
        count: number of different pages of the host.
        shares: float64 (B, 2), see `RepetitionCounts.shares`.
        probability: float32 (B,), probability of content by a model that was not trained on the site.
        content: bool (B,), gold labels.
        words: float32 (B,), number of words.
        texts: texts of the blocks.
        gold: gold text of the page.
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
        """Return the word F1 of the selected text, with evidence of these weights."""
        evidence = (self.shares @ weights).astype(np.float32)
        selected, _ = best_selection(add_evidence(self.probability, evidence), self.words)
        texts = (text for text, is_selected in zip(self.texts, selected.tolist(), strict=True) if is_selected)
        return word_score("\n".join(texts), self.gold).f1


def host_of(page: GoldPage) -> str:
    """Return the host of a page. Without a URL, return the host of its site that its HTML mentions most."""
    if page.url:
        return host(page.url)
    page_site = site(page)
    mentions = Counter(url.decode("latin-1").lower() for url in _ADDRESS.findall(page.html))
    hosts: Counter[str] = Counter()
    for url, count in mentions.items():
        if registered_domain(url) == page_site:
            hosts[host(url)] += count
    return next((name for name, _ in hosts.most_common(1)), page_site)


def host_pages(pages: Iterable[GoldPage]) -> list[HostPage]:
    """Return the pages of hosts with several pages, with cross-validated predictions.

    Pages that cannot be read are left out.
    """
    read: list[tuple[GoldPage, Fingerprints, list[str]]] = []
    rows: list[PageRows] = []
    for page in pages:
        try:
            blocks = extract_blocks(parse(page.to_page()))
        except VcleanError:
            continue
        read.append((page, compute_fingerprints(blocks), blocks.text))
        rows.append(page_rows(page, site(page), blocks))
    hosts, sites = [host_of(page) for page, _, _ in read], RepetitionCounts()
    for name, (_, prints, _) in zip(hosts, read, strict=True):
        sites.add(name, prints)
    unseen = CrossValidation.run(TrainingTable.from_pages(rows)).held_out
    return [
        HostPage(page.corpus, name, sites.pages(name), sites.shares(name, prints), prediction.probability,
                 page_row.content, page_row.layout.tokens, texts, page.text)
        for name, (page, prints, texts), page_row, prediction in zip(hosts, read, rows, unseen, strict=True)
        if sites.pages(name) > 1
    ]  # fmt: skip


def fit(pages: Sequence[HostPage]) -> NDArray[np.float64]:
    """Fit the weights of the evidence, (2,), by logistic regression with the log odds of the model as offset.

    The weight of a host is the square root of its number of pages, divided equally among its pages. Within a page, the
    weight of a block is proportional to the square root of its number of words.
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


def _weight(page: HostPage) -> NDArray[np.float64]:
    roots = np.sqrt(np.clip(page.words, 1, None).astype(float))
    return roots / max(roots.sum(), 1.0)


def cross_validated_f1(pages: Sequence[HostPage]) -> NDArray[np.float64]:
    """Return the word F1 of every page without and with evidence, (P, 2); weights are fitted on other hosts."""
    fold = assign_folds([page.host for page in pages], FOLDS)
    f1 = np.zeros((len(pages), 2))
    for held_out in range(FOLDS):
        weights = fit([page for page, number in zip(pages, fold.tolist(), strict=True) if number != held_out])
        for index in np.flatnonzero(fold == held_out).tolist():
            f1[index] = pages[index].f1(np.zeros(len(weights))), pages[index].f1(weights)
    return f1


def summary(pages: Sequence[HostPage], f1: NDArray[np.float64]) -> dict[str, Any]:
    """Return all results, for JSON: by number of pages of the host, and by corpus."""
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


def document(results: dict[str, Any]) -> str:
    """Return the results as a Markdown table."""
    head = ("", "pages", "hosts", "alone", "with evidence", "gain in word F1", "95 % interval")
    rows = [
        (name, row["pages"], row["hosts"], f"{row['alone']:.4f}", f"{row['together']:.4f}", f"{row['gain']:+.4f}",
         f"{row['low']:+.4f} to {row['high']:+.4f}")
        for name, row in results["parts"].items()
    ]  # fmt: skip
    return f"{table(head, rows)}\nweights fitted on all hosts: {results['weights']}; in use: {list(WEIGHTS)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpora", nargs="+", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to this file")
    options = parser.parse_args(arguments)
    try:
        if options.json:
            check_writable(options.json)
        pages = host_pages(page for path in options.corpora for page in read_corpus(path))
        results = summary(pages, cross_validated_f1(pages))
        print(document(results))
        if options.json:
            write_atomic(options.json, json.dumps(results, indent=1) + "\n")
    except VcleanError as error:
        print(f"site_evidence.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
