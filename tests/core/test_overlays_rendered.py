"""Overlays of a rendered page in results, explanations and rows."""

import json
from collections.abc import Iterator

import pytest
from helpers.overlay_pages import NOTE, OVERLAYS, page

from vclean import Cleaner, Policy, Result
from vclean.labels import Label, Role, Visibility
from vclean.settings import HiddenPolicy

pytestmark = pytest.mark.browser

MODAL = OVERLAYS["modal with a backdrop around it"]


@pytest.fixture(scope="module")
def modal() -> Iterator[Result]:
    with Cleaner(render=True, explain=True) as cleaner:
        yield cleaner.clean(MODAL)


def test_block(modal: Result) -> None:
    (block,) = modal.blocks.where(role="overlay")
    assert (block.text, block.label, block.visibility) == (NOTE, Label.OTHER, Visibility.SHOWN)
    assert modal.prediction.roles == modal.roles
    assert modal.roles[block.index] is Role.OVERLAY


def test_json(modal: Result) -> None:
    records = json.loads(modal.to_json())["blocks"]
    assert [record["text"] for record in records if record["role"] == "overlay"] == [NOTE]


def test_explanation(modal: Result) -> None:
    lines = modal.to_explanation().splitlines()
    (line,) = (number for number, line in enumerate(lines) if " overlay " in line and NOTE[:20] in line)
    assert lines[line + 1].split(": ", 1)[0].strip() == "rule"
    assert "it is in an overlay" in lines[line + 1]


@pytest.mark.parametrize("method", ["vclean", "text"])
@pytest.mark.parametrize("hidden", ["drop", "revealable"])
def test_overlays_are_not_content(method: str, hidden: HiddenPolicy) -> None:
    with Cleaner(render=True, method=method, policy=Policy(hidden=hidden)) as cleaner:
        result = cleaner.clean(MODAL)
    assert [block.text for block in result.blocks.where(role="overlay")] == [NOTE]
    assert NOTE not in result.to_text()
    assert "The heron counts" in result.to_text()


def test_kept_with_hidden_text() -> None:
    with Cleaner(render=True, method="text", policy=Policy(hidden="keep")) as cleaner:
        assert NOTE in cleaner.clean(MODAL).to_text()


def test_no_roles_without_rendering() -> None:
    with Cleaner(method="text") as cleaner:
        result = cleaner.clean(MODAL)
    assert set(result.roles) == {None}
    assert NOTE in result.to_text()


def test_heading_of_an_overlay_is_no_headline() -> None:
    css = ".m { position: fixed; inset: 0; background: #fff } .m h1 { font-size: 60px }"
    with Cleaner(render=True) as cleaner:
        result = cleaner.clean(page(css, "<div class=m><h1>{note}</h1></div><article>{article}</article>"))
    assert NOTE not in result.to_text()
    assert result.to_text().startswith("The heron\n")
