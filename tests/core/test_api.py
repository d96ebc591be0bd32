from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from vclean import Cleaner, CleanerSettings, Page, RenderSettings, clean, clean_file, clean_url
from vclean.classify.content import model
from vclean.classify.content.site_evidence import SiteEvidence, add_evidence
from vclean.classify.prediction import Prediction
from vclean.errors import (
    DeadlineError,
    InputError,
    LimitError,
    NetworkError,
    NotHtmlError,
    UsageError,
    VcleanError,
)
from vclean.labels import Label
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.settings import CleanerOptions, Policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.features.blocks import BlockColumns

HTML = "<html lang=en><title>Weather</title><h1>Rain</h1><p>It rained all day in the valley. <a href=more>More</a>"


@pytest.fixture
def fake_browser(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the renderer by a parser; return the list of its calls."""
    events: list[str] = []

    class FakeRenderer:
        def __init__(self, settings: RenderSettings, *, network: bool, **_: object) -> None:
            self.settings, self.network = settings, network

        def __enter__(self):
            events.append("start")
            return self

        def __exit__(self, *_: object) -> None:
            events.append("end")

        def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
            events.append(f"render {page.url or page.id}{' with picture' * screenshot}")
            document = Page(content=HTML, url=page.url) if page.live else page
            return Rendering(parse(document), b"picture" if screenshot else None)

    monkeypatch.setattr(renderer, "Renderer", FakeRenderer)
    return events


class TestClean:
    @pytest.mark.parametrize("policy", [Policy(recall_weight=2), Policy(comments=False)])
    def test_method_without_policy(self, policy: Policy) -> None:
        with pytest.raises(UsageError, match="method bte accepts no policy of content"):
            clean(HTML, method="bte", policy=policy)
        assert clean(HTML, method="bte", policy=Policy()).blocks

    def test_a_policy_on_comments_in_words(self) -> None:
        with pytest.raises(UsageError, match="comments has to be True, False or None, not 'out'"):
            Policy(comments="out")  # type: ignore[arg-type]

    @pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan")])
    def test_rejects_invalid_policy(self, weight: float) -> None:
        with pytest.raises(UsageError, match="recall_weight has to be a positive number"):
            Policy(recall_weight=weight)

    def test_limits(self) -> None:
        with pytest.raises(LimitError):
            clean(HTML, method="text", rendering=RenderSettings(max_bytes=10))

    def test_the_same_bytes_twice(self) -> None:
        assert clean(HTML, method="bte").to_json() == clean(HTML, method="bte").to_json()

    def test_deadline_limits_work_in_this_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def endless(_: object) -> None:
            while True:
                pass

        with Cleaner(method="text", rendering=RenderSettings(deadline=0.05)) as cleaner:
            monkeypatch.setattr(cleaner._pipeline, "_method", endless)
            with pytest.raises(DeadlineError, match="--timeout"):
                cleaner.clean(HTML)


class TestCleanFile:
    def test_rejects_url_as_file(self) -> None:
        with pytest.raises(InputError, match="does not exist"):
            clean_file("https://example.org/", method="text")


class TestCleanUrl:
    def test_rejects_private_addresses(self) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            clean_url("http://127.0.0.1/", method="text")

    def test_rejects_path_as_url(self) -> None:
        with pytest.raises(UsageError, match=r"'page\.html' is not the URL"):
            clean_url("page.html", method="text")


class TestOptions:
    def test_they_are_the_fields_of_the_settings(self) -> None:
        names = {field.name for field in fields(CleanerSettings)}
        assert set(CleanerOptions.__annotations__) == names

    def test_paths_may_be_strings(self) -> None:
        settings = CleanerSettings().replace(model="a.vclean", templates="")
        assert (settings.model, settings.templates) == (Path("a.vclean"), None)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"network": "all"}, "network has to be one of none, public"),
            ({"rendr": True}, "no option 'rendr'"),
            ({"rendering": {"scripts": "on"}}, "rendering has to be a vclean.RenderSettings, not {'scripts': 'on'}"),
            ({"policy": "corpus"}, "policy has to be a vclean.Policy, not 'corpus'"),
            ({"method": None}, "method has to be a string, not None"),
            ({"model": 5}, "model has to be a path or None, not 5"),
        ],
    )
    def test_rejects_invalid_options(self, options: dict[str, object], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            clean(HTML, **options)  # type: ignore[arg-type]


class TestLanguage:
    MENU = "<p>" + "Nachrichten, Wetter, Sport und Kultur aus dem ganzen Land und über die Grenzen hinaus. " * 20
    STORY = "<p>" + "It rained all day in the valley, and nobody who lived there minded very much. " * 4

    @pytest.fixture
    def language(self) -> Callable[[str], str]:
        """Return the language of a page with content in its last block."""

        def label(blocks: BlockColumns) -> Prediction:
            labels = [Label.OTHER] * (len(blocks) - 1) + [Label.PARAGRAPH]
            return Prediction(labels, np.ones(len(blocks), dtype=np.float32))

        def detect(html: str) -> str:
            with Cleaner(method="text") as cleaner:
                cleaner._pipeline._method = label
                return cleaner.clean(html).language

        return detect

    def test_language_of_content_not_of_menus(self, language: Callable[[str], str]) -> None:
        assert language(self.MENU + self.STORY) == "en"

    def test_little_content_is_not_enough(self, language: Callable[[str], str]) -> None:
        assert language(self.MENU + "<p>All rights reserved.") == "de"


class TestRendering:
    def test_browser_is_closed_after_failure(self, fake_browser: list[str]) -> None:
        with pytest.raises(NotHtmlError), Cleaner(render=True, method="text") as cleaner:
            cleaner.clean(b"")
        assert fake_browser[-1] == "end"

    def test_browser_fetches_url(self, fake_browser: list[str]) -> None:
        result = clean_url("https://example.org/", render=True, method="text")
        assert result.id == "https://example.org/"
        assert fake_browser == ["start", "render https://example.org/", "end"]

    def test_a_screenshot(self, fake_browser: list[str]) -> None:
        with Cleaner(render=True, method="text") as cleaner:
            result = cleaner.clean(Page(content=HTML, id="one"), screenshot=True)
        assert result.screenshot == b"picture"
        assert result.to_text().startswith("Rain")
        assert "render one with picture" in fake_browser


class TestCleanMany:
    def test_a_failure_is_raised(self) -> None:
        with Cleaner(method="text") as cleaner, pytest.raises(NotHtmlError):
            list(cleaner.clean_many(["<p>a", b"", "<p>b"]))

    def test_failure_with_on_error(self) -> None:
        failures: list[tuple[object, VcleanError]] = []
        with Cleaner(method="text") as cleaner:
            results = cleaner.clean_many(["<p>a", b"", "<p>b"], on_error=lambda *failure: failures.append(failure))
            assert [result.to_text() for result in results] == ["a\n", "b\n"]
        assert [page for page, _ in failures] == [b""]
        assert isinstance(failures[0][1], NotHtmlError)


class Even:
    """Model with the same probability for every block."""

    version = "even"

    def label(
        self, blocks: BlockColumns, *, evidence: SiteEvidence | None = None, policy: Policy | None = None
    ) -> Prediction:
        if "wrong" in " ".join(blocks.text):
            raise DeadlineError("too slow")
        shift = np.zeros(len(blocks), dtype=np.float32) if evidence is None else evidence.log_odds
        return Prediction([Label.PARAGRAPH] * len(blocks), add_evidence(np.full(len(blocks), 0.5), shift))


class TestSameSite:
    """Option `same_site`: all pages are read, then each is labelled with the model and the text of its site."""

    @pytest.fixture
    def cleaner(self, monkeypatch: pytest.MonkeyPatch) -> Cleaner:
        monkeypatch.setattr(model, "load", lambda _: Even())
        return Cleaner()

    def test_repeated_blocks_are_less_likely_content(self, cleaner: Cleaner) -> None:
        pages = [Page(content=f"<p>Home<p>{name}", id=name, url=f"https://example.org/{name}") for name in "abc"]
        results = list(cleaner.clean_many(pages, same_site=True))
        assert [result.id for result in results] == ["a", "b", "c"]
        assert all(result.blocks[0].probability < 0.3 and result.blocks[1].probability == 0.5 for result in results)

    def test_a_failure_is_raised(self, cleaner: Cleaner) -> None:
        with pytest.raises(NotHtmlError):
            list(cleaner.clean_many(["<p>a", b""], same_site=True))

    def test_failures_with_on_error(self, cleaner: Cleaner) -> None:
        # A page that cannot be read is passed unchanged, one that cannot be labelled with its id and URL.
        failures: list[object] = []
        pages = [b"", Page(content="<p>wrong", id="w", url="https://example.org/"), "<p>b"]
        results = list(cleaner.clean_many(pages, same_site=True, on_error=lambda page, _: failures.append(page)))
        assert [result.to_text() for result in results] == ["b\n"]
        assert failures == [b"", Page(id="w", url="https://example.org/")]

    def test_method_without_comparison(self) -> None:
        with Cleaner(method="text") as cleaner, pytest.raises(UsageError, match="method text cannot compare"):
            list(cleaner.clean_many(iter(int, 1), same_site=True))
