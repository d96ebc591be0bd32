from __future__ import annotations

import doctest
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import vclean
from vclean import Cleaner, Page, RenderSettings, api, clean
from vclean.classify import model
from vclean.classify.prediction import Prediction
from vclean.classify.repetition import with_evidence
from vclean.errors import (
    BrowserMissingError,
    DeadlineError,
    InputError,
    LimitError,
    NetworkError,
    NotHtmlError,
    UsageError,
    VcleanError,
)
from vclean.labels import Label
from vclean.render import browser, fetch
from vclean.render.static import parse
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

HTML = "<html lang=en><title>Weather</title><h1>Rain</h1><p>It rained all day in the valley. <a href=more>More</a>"


@pytest.fixture
def fake_browser(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A renderer that parses; gives the list of what happened to it."""
    events: list[str] = []

    class FakeRenderer:
        def __init__(self, settings: RenderSettings, *, network: bool) -> None:
            self.settings, self.network = settings, network

        def __enter__(self):
            events.append("start")
            return self

        def __exit__(self, *_: object) -> None:
            events.append("end")

        def render(self, page: Page, *, picture: bool = False) -> browser.Rendering:
            events.append(f"render {page.url or page.id}{' with picture' * picture}")
            document = Page(content=HTML, url=page.url) if page.live else page
            return browser.Rendering(parse(document), b"picture" if picture else None)

    monkeypatch.setattr(browser, "Renderer", FakeRenderer)
    return events


class TestClean:
    def test_html_as_text(self) -> None:
        result = clean(HTML, method="text")
        assert result.cleaneval == "<h>Rain\n<p>It rained all day in the valley. More\n"
        assert (result.method, result.language, result.id) == ("text", "en", "")
        assert result.version["vclean"] == vclean.__version__

    def test_html_as_bytes(self) -> None:
        assert clean("<p>žluť".encode("utf-16"), method="text").text == "žluť\n"

    def test_links_resolve_against_the_url(self) -> None:
        assert 'href="https://example.org/a/more"' in clean(HTML, method="text", url="https://example.org/a/b").html

    @pytest.mark.parametrize("kind", [str, Path])
    def test_a_file(self, tmp_path: Path, kind: type) -> None:
        (tmp_path / "page.html").write_text(HTML)
        result = clean(kind(tmp_path / "page.html"), method="text")
        assert result.text.startswith("Rain")
        assert result.id == str(tmp_path / "page.html")

    def test_a_missing_file(self) -> None:
        with pytest.raises(InputError, match=r"nowhere\.html does not exist"):
            clean("nowhere.html", method="text")

    def test_a_page(self) -> None:
        page = Page(content=HTML, url="https://example.org/", id="mine")
        result = clean(page, method="text")
        assert (result.id, result.blocks.snapshot.url) == ("mine", "https://example.org/")

    def test_the_url_argument_overrides_that_of_the_page(self) -> None:
        page = Page(content=HTML, url="https://example.org/")
        assert clean(page, method="text", url="https://b.example/").blocks.snapshot.url == "https://b.example/"

    def test_a_url_is_fetched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fetch, "fetch", lambda url, _: Page(content=HTML, url=url))
        assert clean("https://example.org/", method="text").blocks.snapshot.url == "https://example.org/"

    def test_a_url_that_is_refused(self) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            clean("http://127.0.0.1/", method="text")

    @pytest.mark.parametrize("policy", [Policy(beta=2), Policy(comments=False)])
    def test_a_method_that_takes_no_policy(self, policy: Policy) -> None:
        with pytest.raises(UsageError, match="method bte cannot be told what counts as content"):
            clean(HTML, method="bte", policy=policy)
        assert clean(HTML, method="bte", policy=Policy()).labels

    def test_a_policy_on_comments_in_words(self) -> None:
        with pytest.raises(UsageError, match="comments has to be True, False or None, not 'out'"):
            Policy(comments="out")  # type: ignore[arg-type]

    @pytest.mark.parametrize("beta", [0, -1, float("inf"), float("nan")])
    def test_a_policy_without_sense(self, beta: float) -> None:
        with pytest.raises(UsageError, match="beta has to be a positive number"):
            Policy(beta=beta)

    def test_an_unknown_method(self) -> None:
        with pytest.raises(UsageError, match="no method 'magic'"):
            clean(HTML, method="magic")

    def test_caps(self) -> None:
        with pytest.raises(LimitError):
            clean(HTML, method="text", settings=RenderSettings(max_bytes=10))

    def test_nothing_to_clean(self) -> None:
        with pytest.raises(NotHtmlError):
            clean(b"", method="text")

    @pytest.mark.parametrize("blank", ["", " \n"])
    def test_an_empty_string_is_an_empty_document(self, blank: str) -> None:
        """And not the folder that the empty path stands for."""
        with pytest.raises(NotHtmlError, match="the document is empty"):
            clean(blank, method="text")

    def test_the_same_bytes_twice(self) -> None:
        assert clean(HTML, method="bte").json == clean(HTML, method="bte").json

    def test_the_deadline_bounds_work_in_this_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def endless(_: object) -> None:
            while True:
                pass

        with Cleaner(method="text", settings=RenderSettings(deadline=0.05)) as cleaner:
            monkeypatch.setattr(cleaner, "_label", endless)
            with pytest.raises(DeadlineError, match="--timeout"):
                cleaner.clean(HTML)


class TestLanguage:
    MENU = "<p>" + "Nachrichten, Wetter, Sport und Kultur aus dem ganzen Land und über die Grenzen hinaus. " * 20
    STORY = "<p>" + "It rained all day in the valley, and nobody who lived there minded very much. " * 4

    @pytest.fixture
    def language(self) -> Callable[[str], str]:
        """The language of a page whose last block is its content."""

        def label(blocks: Blocks) -> Prediction:
            labels = [Label.OTHER] * (len(blocks) - 1) + [Label.PARAGRAPH]
            return Prediction(labels, np.ones(len(blocks), dtype=np.float32))

        def detect(html: str) -> str:
            with Cleaner(method="text") as cleaner:
                cleaner._label = label
                return cleaner.clean(html).language

        return detect

    def test_the_content_tells_not_the_menus(self, language: Callable[[str], str]) -> None:
        assert language(self.MENU + self.STORY) == "en"

    def test_a_little_content_does_not_tell(self, language: Callable[[str], str]) -> None:
        assert language(self.MENU + "<p>All rights reserved.") == "de"

    def test_the_page_is_believed_where_the_text_does_not_tell(self, language: Callable[[str], str]) -> None:
        assert language("<html lang=sk><p>1<p>2") == "sk"


class TestRendering:
    def test_one_browser_for_all_pages(self, fake_browser: list[str]) -> None:
        with Cleaner(render=True, method="text") as cleaner:
            cleaner.clean(Page(content=HTML, id="one"))
            cleaner.clean(Page(content=HTML, id="two"))
        assert fake_browser == ["start", "render one", "render two", "end"]

    def test_the_browser_ends_after_a_failure(self, fake_browser: list[str]) -> None:
        with pytest.raises(NotHtmlError), Cleaner(render=True, method="text") as cleaner:
            cleaner.clean(b"")
        assert fake_browser[-1] == "end"

    def test_a_url_is_left_to_the_browser(self, fake_browser: list[str]) -> None:
        result = clean("https://example.org/", render=True, method="text")
        assert result.id == "https://example.org/"
        assert fake_browser == ["start", "render https://example.org/", "end"]

    def test_a_picture(self, fake_browser: list[str]) -> None:
        with Cleaner(render=True, method="text") as cleaner:
            result = cleaner.clean(Page(content=HTML, id="one"), picture=True)
        assert result.image == b"picture"
        assert result.text.startswith("Rain")
        assert "render one with picture" in fake_browser

    def test_no_picture_without_rendering(self) -> None:
        with Cleaner(method="text") as cleaner, pytest.raises(UsageError, match="render=True"):
            cleaner.clean(HTML, picture=True)

    def test_rendering_outside_the_block(self) -> None:
        with pytest.raises(UsageError, match="with Cleaner"):
            Cleaner(render=True, method="text").clean(HTML)

    def test_no_browser(self, bare_machine: Path) -> None:
        with pytest.raises(BrowserMissingError, match="vclean setup"), Cleaner(render=True, method="text"):
            pass


class TestCleanMany:
    def test_results_in_order(self) -> None:
        pages = [Page(content=f"<p>{name}", id=name) for name in "abc"]
        with Cleaner(method="text") as cleaner:
            assert [result.id for result in cleaner.clean_many(pages)] == ["a", "b", "c"]

    def test_pages_are_read_as_they_are_needed(self) -> None:
        with Cleaner(method="text") as cleaner:
            results = cleaner.clean_many(Page(content="<p>x", id=str(number)) for number in iter(int, 1))
            assert next(results).id == "0"

    def test_a_failure_is_raised(self) -> None:
        with Cleaner(method="text") as cleaner, pytest.raises(NotHtmlError):
            list(cleaner.clean_many(["<p>a", b"", "<p>b"]))

    def test_a_failure_that_is_dealt_with(self) -> None:
        failures: list[tuple[object, VcleanError]] = []
        with Cleaner(method="text") as cleaner:
            results = cleaner.clean_many(["<p>a", b"", "<p>b"], on_error=lambda *failure: failures.append(failure))
            assert [result.text for result in results] == ["a\n", "b\n"]
        assert [page for page, _ in failures] == [b""]
        assert isinstance(failures[0][1], NotHtmlError)


class Even:
    """A model to which every block is as likely content as any other."""

    version = "even"

    def label(
        self, blocks: Blocks, *, evidence: NDArray[np.float32] | None = None, policy: Policy | None = None
    ) -> Prediction:
        if "wrong" in " ".join(blocks.text):
            raise DeadlineError("too slow")
        shift = np.zeros(len(blocks), dtype=np.float32) if evidence is None else evidence
        return Prediction([Label.PARAGRAPH] * len(blocks), with_evidence(np.full(len(blocks), 0.5), shift))


class TestSameSite:
    """All pages are read, then each is labelled by what the model says and what its site repeats."""

    @pytest.fixture
    def cleaner(self, monkeypatch: pytest.MonkeyPatch) -> Cleaner:
        monkeypatch.setattr(model, "load", lambda _: Even())
        return Cleaner()

    def test_repeated_blocks_are_less_likely_content(self, cleaner: Cleaner) -> None:
        pages = [Page(content=f"<p>Home<p>{name}", id=name, url=f"https://example.org/{name}") for name in "abc"]
        found = list(cleaner.clean_many(pages, same_site=True))
        assert [result.id for result in found] == ["a", "b", "c"]
        assert all(result.probability[0] < 0.3 and result.probability[1] == 0.5 for result in found)

    def test_only_pages_of_one_host_are_compared(self, cleaner: Cleaner) -> None:
        pages = [Page(content=f"<p>Home<p>{name}", url=f"https://{name}.example/") for name in "abc"]
        for result in cleaner.clean_many(pages, same_site=True):
            assert result.probability.tolist() == [0.5, 0.5]

    def test_pages_are_not_compared_unasked(self, cleaner: Cleaner) -> None:
        for result in cleaner.clean_many(["<p>Home<p>a", "<p>Home<p>b"]):
            assert result.probability.tolist() == [0.5, 0.5]

    def test_a_failure_is_raised(self, cleaner: Cleaner) -> None:
        with pytest.raises(NotHtmlError):
            list(cleaner.clean_many(["<p>a", b""], same_site=True))

    def test_failures_that_are_dealt_with(self, cleaner: Cleaner) -> None:
        """A page that cannot be read is given as it came, one that cannot be labelled by its name and address."""
        failures: list[object] = []
        pages = [b"", Page(content="<p>wrong", id="w", url="https://example.org/"), "<p>b"]
        found = list(cleaner.clean_many(pages, same_site=True, on_error=lambda page, _: failures.append(page)))
        assert [result.text for result in found] == ["b\n"]
        assert failures == [b"", Page(id="w", url="https://example.org/")]

    def test_pages_are_rendered_once(self, fake_browser: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(model, "load", lambda _: Even())
        with Cleaner(render=True) as cleaner:
            assert len(list(cleaner.clean_many([Page(content=HTML, id=name) for name in "ab"], same_site=True))) == 2
        assert fake_browser == ["start", "render a", "render b", "end"]

    def test_a_method_that_cannot_compare(self) -> None:
        with Cleaner(method="text") as cleaner, pytest.raises(UsageError, match="method text cannot compare"):
            list(cleaner.clean_many(iter(int, 1), same_site=True))


def test_the_docstring_example_is_true_of_any_method() -> None:
    """The example uses the shipped model; its blocks do not depend on it."""
    examples = doctest.DocTestFinder().find(api.clean, globs={"clean": lambda html: clean(html, method="text")})
    results = [doctest.DocTestRunner().run(example) for example in examples]
    assert [result.failed for result in results] == [0]
