from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace

import pytest

from vclean import AsyncCleaner, Cleaner, CleanerSettings, Page
from vclean.errors import NotHtmlError, UsageError
from vclean.pipeline import (
    MIN_CONFIDENCE,
    Pipeline,
    changed_share,
    reason_to_render,
)
from vclean.render.cache import to_bytes
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

TEXT = "The last ferry of the day left the pier before the rain began, and nobody on board looked back at the town."
ARTICLE = f"<title>Ferry</title><h1>The last ferry</h1>{f'<p>{TEXT}</p>' * 6}"
HIDING = "<style>.ad { display: none }</style>"


@pytest.fixture(scope="module")
def parser():
    with Cleaner() as cleaner:
        yield cleaner


class TestReasonToRender:
    @pytest.mark.parametrize(
        "rule",
        [
            "display:none", "DISPLAY : NONE", "visibility: hidden", "opacity:.01", "left: 9px; position: fixed",
            "height: 0; overflow: hidden", "text-indent: -9999px", "clip: rect(0 0 0 0)", "clip-path: inset(50%)",
            "transform: scale(0)", "color: white", "letter-spacing: -1em", "mask-image: none",
        ],
    )  # fmt: skip
    def test_finds_rules_that_hide(self, parser, rule):
        page = Page(content=f"{ARTICLE}<STYLE type=text/css>i {{ {rule} }}</STYLE>")
        assert reason_to_render(page, parser.clean(ARTICLE), scripts=False) == "styles"

    @pytest.mark.parametrize("encode", [str, str.encode])
    @pytest.mark.parametrize(
        ("html", "scripts", "reason"),
        [
            (ARTICLE, False, ""),
            (ARTICLE + "<script>1</script>", True, ""),
            (f"<style>p {{ margin: 0 }}</style>{ARTICLE}<p style='opacity: 1'>{TEXT}", False, ""),
            (HIDING + ARTICLE, False, "styles"),
            ("<div id=app></div>", False, "empty"),
            (f"<h1>Ferry</h1><p>{TEXT}</p><script>1</script>", True, "scripts"),
        ],
    )
    def test_has_expected_reason(self, parser, html, scripts, reason, encode):
        page = Page(content=encode(html))
        assert reason_to_render(page, parser.clean(page), scripts=scripts) == reason

    def test_unsure_pages_are_rendered(self, parser):
        page = Page(content=ARTICLE)
        result = parser.clean(page)
        for confidence, reason in ((MIN_CONFIDENCE - 0.01, "confidence"), (MIN_CONFIDENCE, "")):
            other = replace(result, prediction=replace(result.prediction, confidence=confidence))
            assert reason_to_render(page, other, scripts=False) == reason


class TestChangedShare:
    def test_is_one_minus_word_f1(self):
        with Cleaner(method="text") as cleaner:
            first, second = cleaner.clean("<p>a b c d"), cleaner.clean("<p>a b x")
            assert changed_share(first, first) == 0
            assert changed_share(first, second) == pytest.approx(1 - 4 / 7)
            assert changed_share(*[cleaner.clean("<p>")] * 2) == 0


PLAIN = CleanerSettings(method="text")
LIVE = Page(url="https://a.example/news", live=True, id="n")


class TestToPage:
    @pytest.mark.parametrize("document", [None, 3, ["<p>"]])
    def test_rejects_other_types(self, document):
        with pytest.raises(UsageError, match="is not a page: give HTML as str or bytes, a file as Path, or a Page"):
            Pipeline(PLAIN).to_page(document)  # type: ignore[arg-type]


class TestPageFromUrl:
    @pytest.mark.parametrize("text", ["page.html", "<p>a", "ftp://a.example/", ""])
    def test_rejects_other_text(self, text):
        with pytest.raises(UsageError, match="has to begin with http"):
            Pipeline(PLAIN.replace(render=True)).page_from_url(text)


class TestParsing:
    def test_a_live_page_is_fetched(self, monkeypatch):
        asked = []

        def fetch(url, settings):
            asked.append((url, settings))
            return Page(content=b"<title>News</title><p>Rain.", url="https://a.example/news/")

        monkeypatch.setattr("vclean.render.fetch.fetch", fetch)
        rendering = Pipeline(PLAIN).read(LIVE)
        assert asked == [("https://a.example/news", RenderSettings())]
        assert (rendering.snapshot.title, rendering.snapshot.url) == ("News", "https://a.example/news/")
        assert rendering.screenshot is None


class TestStoredSnapshot:
    PACKED = to_bytes(parse(Page(content=b"<title>Kept</title><p>Rain.")))

    def test_it_has_no_screenshot(self):
        with pytest.raises(UsageError, match="has no screenshot"):
            Pipeline(PLAIN.replace(render=True)).read(Page(snapshot=self.PACKED), screenshot=True)


PAGE = Page(content="<h1>Rain</h1><p>It rained.", id="rain")


class TestRun:
    def test_every_stage_is_timed(self):
        stages = []

        @contextmanager
        def timed(stage):
            stages.append(stage)
            yield
            stages.append(f"after {stage}")

        with Pipeline(PLAIN) as cleaner:
            cleaner.run(PAGE, timer=timed)
            assert stages == ["render", "after render", "extract", "after extract", "label", "after label"]
            stages.clear()
            with pytest.raises(NotHtmlError):
                cleaner.run(Page(), timer=timed)
        assert stages == ["render"]


class TestExplanation:
    def test_includes_positions(self):
        with Pipeline(CleanerSettings(method="text", explain=True)) as cleaner:
            result = cleaner.run(PAGE)
        positions = [(block.source.line, block.source.column) for block in result.blocks if block.source]
        assert positions == [(1, 5), (1, 17)]


@pytest.mark.browser
class TestAuto:
    """Pages that `render="auto"` renders."""

    PAGES = (ARTICLE, HIDING + ARTICLE + f"<p class=ad>{TEXT.upper()}")

    def test_only_the_hiding_page_is_rendered(self):
        async def clean():
            async with AsyncCleaner(render="auto") as cleaner:
                return [await cleaner.clean(html) for html in self.PAGES]

        with Cleaner(render="auto") as cleaner:
            results = [cleaner.clean(html) for html in self.PAGES]
        for parsed, rendered in (results, asyncio.run(clean())):
            assert (parsed.metadata.rendered, parsed.render_reason, parsed.render_change) == (False, "", None)
            assert (rendered.metadata.rendered, rendered.render_reason) == (True, "styles")
            assert 0 <= rendered.render_change < 0.5
            assert TEXT.upper() not in rendered.to_text()
            assert rendered.to_dict()["render_reason"] == "styles"
