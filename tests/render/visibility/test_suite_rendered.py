"""Every technique of benchmarks/visibility_cases.py, in a real browser."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vclean import CleanerSettings, Page, Result
from vclean.pipeline import Pipeline

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from visibility_cases import LEAD, LOST, SENTENCE, Case, cases

pytestmark = pytest.mark.browser

CASES = cases()
KEPT = [case for case in CASES if case.name not in LOST]


@pytest.fixture(scope="module")
def pipeline() -> Iterator[Pipeline]:
    with Pipeline(CleanerSettings(render=True, method="text")) as shared:
        yield shared


def visibilities(result: Result) -> set[str]:
    """Return how the blocks of the page's sentence are seen; nothing where the sentence is no text of the page."""
    return {block.visibility.name.lower() for block in result.blocks if SENTENCE in " ".join(block.text.split())}


@pytest.mark.parametrize("case", KEPT, ids=lambda case: f"{case.kind}: {case.name}")
def test_visibility(case: Case, pipeline: Pipeline) -> None:
    result = pipeline.run(Page(content=case.html))
    assert visibilities(result) <= {case.kind}
    assert visibilities(result) or case.kind == "hidden"
    assert all(block.technique for block in result.blocks if block.visibility)


@pytest.mark.parametrize("case", [case for case in CASES if case.kind == "hidden"][::12], ids=lambda case: case.name)
def test_article_around_a_hidden_sentence_is_shown(case: Case, pipeline: Pipeline) -> None:
    result = pipeline.run(Page(content=case.html))
    assert LEAD in " ".join(result.blocks.where(visibility=0).text.split())


def test_kinds_are_many_enough() -> None:
    kinds = [case.kind for case in CASES]
    assert kinds.count("hidden") >= 90
    assert kinds.count("revealable") >= 25
    assert kinds.count("shown") >= 35
    assert len(set(CASES)) == len(CASES)
    assert len(LOST) == len(CASES) - len(KEPT) <= 8
