"""Every technique of benchmarks/visibility.py, in a real browser."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vclean import CleanerSettings, Page, Result
from vclean.pipeline import Pipeline

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from visibility import LEAD, LOST, SENTENCE, Case, cases

pytestmark = pytest.mark.browser

ABOVE = {
    "menu": "<header><a href=/>News</a><button class=menu-toggle aria-expanded=false aria-label=Menu>☰</button>"
    "<nav><a href=/a>Town</a> <a href=/b>Sport</a></nav></header>",
    "navigation bar": "<header><button class=navbar-toggler data-bs-toggle=collapse data-bs-target='#nav'>Menu</button>"
    "<nav id=nav><a href=/a>Town</a></nav></header>",
    "search": "<header><a href=/>News</a><button class=search-toggle aria-expanded=false>Search</button></header>",
    "theme": "<header><a href=/>News</a><button class=theme-toggle aria-pressed=false>Dark</button></header>",
    "language": "<header><a href=/>News</a><button class=lang-dropdown aria-haspopup=listbox aria-expanded=false>"
    "English</button></header>",
    "bar without a tag": "<div class=topbar><button class=hamburger aria-expanded=false>☰</button></div>",
}
"""Controls above the article."""

INSIDE = {
    "share": "<button class=share-toggle>Share</button>",
    "table of contents": "<button class=toc-toggle aria-expanded=false>Contents</button><nav class=toc><ol>"
    "<li><a href='#mill'>The mill</a></ol></nav>",
    "listen": "<button class=listen>Listen</button>",
}
"""Controls below the headline, inside of the article."""

HEADERS = (*ABOVE, *INSIDE)

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


HIDDEN = [case for case in KEPT if case.kind == "hidden" and "article" not in case.css]
HEADED = [(case, HEADERS[number % len(HEADERS)], number % 2 == 0) for number, case in enumerate(HIDDEN)]


def with_header(html: str, name: str, *, flat: bool) -> str:
    """Return a page of the suite with a header; `flat` puts the paragraphs directly in `main`."""
    opening, closing = ("<main>", "</main>") if flat else ("<main><article>", "</article></main>")
    html = html.replace("<body><article>", f"<body>{ABOVE.get(name, '<header><a href=/>News</a></header>')}{opening}")
    html = html.replace("</h1>", f"</h1>{INSIDE.get(name, '')}", 1)
    return html.replace("</article></body>", f"{closing}</body>")


@pytest.mark.parametrize(("case", "header", "flat"), HEADED, ids=lambda value: getattr(value, "name", str(value)))
def test_controls_of_the_header_open_no_hidden_sentence(
    case: Case, header: str, flat: bool, pipeline: Pipeline
) -> None:
    result = pipeline.run(Page(content=with_header(case.html, header, flat=flat)))
    assert visibilities(result) <= {"hidden"}


def test_kinds_are_many_enough() -> None:
    kinds = [case.kind for case in CASES]
    assert kinds.count("hidden") >= 90
    assert kinds.count("revealable") >= 25
    assert kinds.count("shown") >= 35
    assert len(set(CASES)) == len(CASES)
    assert len(LOST) == len(CASES) - len(KEPT) <= 17
