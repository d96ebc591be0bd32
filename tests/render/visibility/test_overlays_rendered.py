"""The pages of helpers/overlay_pages.py in a real browser."""

from collections.abc import Iterator

import pytest
from helpers.overlay_pages import NO_OVERLAYS, NOTE, OVERLAYS, SENTENCE

from vclean import CleanerSettings, Page, Result
from vclean.labels import Role
from vclean.pipeline import Pipeline

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pipeline() -> Iterator[Pipeline]:
    with Pipeline(CleanerSettings(render=True, method="text")) as shared:
        yield shared


def roles(result: Result, sentence: str) -> set[Role | None]:
    return {block.role for block in result.blocks if sentence in block.text}


@pytest.mark.parametrize("name", OVERLAYS)
def test_overlay(name: str, pipeline: Pipeline) -> None:
    result = pipeline.run(Page(content=OVERLAYS[name]))
    assert roles(result, NOTE) == {Role.OVERLAY}
    assert NOTE not in result.to_text()
    assert "The heron" in result.to_text()
    article = [block for block in result.blocks if SENTENCE in block.text and block.role is None]
    assert article
    assert {block.visibility.name for block in article} == {"SHOWN"}


@pytest.mark.parametrize("name", NO_OVERLAYS)
def test_no_overlay(name: str, pipeline: Pipeline) -> None:
    result = pipeline.run(Page(content=NO_OVERLAYS[name]))
    assert {block.role for block in result.blocks} == {None}
    assert roles(result, NOTE) == {None}


def test_dialog_that_a_script_opens() -> None:
    html = f"<dialog>{NOTE}</dialog><article>{SENTENCE * 20}</article>" + (
        "<script>document.querySelector('dialog').showModal()</script>"
    )
    settings = CleanerSettings(render=True, method="text")
    scripts = settings.rendering.__class__(scripts="on", settle=0.3)
    with Pipeline(settings.replace(rendering=scripts)) as pipeline:
        result = pipeline.run(Page(content=html))
    assert roles(result, NOTE) == {Role.OVERLAY}
    assert roles(result, SENTENCE) == {None}
