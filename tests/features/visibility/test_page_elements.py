import re

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.features.visibility.page_elements import PageElements, has_place, matches

HTML = "<div class='a b' id=d role=Tab><p>One <b>two</b></p><p hidden>Three</p><x-y></x-y></div>"
HTML_TAG, BODY, DIV, FIRST, BOLD, SECOND, CUSTOM = range(7)


@pytest.fixture
def elements() -> PageElements:
    return PageElements(snapshot(HTML))


class TestPageElements:
    def test_names(self, elements: PageElements) -> None:
        assert [elements.tag(each) for each in (DIV, BOLD, CUSTOM)] == ["div", "b", "x-y"]
        assert elements.classes(DIV) == ["a", "b"]
        assert elements.role(DIV) == "tab"
        assert elements.name(DIV) == "a b d Tab"
        assert elements.name(CUSTOM).split() == ["x-y"]

    def test_neighbours(self, elements: PageElements) -> None:
        assert elements.children(DIV) == [FIRST, SECOND, CUSTOM]
        assert elements.children(-1) == []
        assert elements.siblings(DIV) == {FIRST: 0, SECOND: 1, CUSTOM: 2}
        assert list(elements.following_siblings(FIRST)) == [SECOND, CUSTOM]
        assert (elements.sibling_before(FIRST), elements.sibling_before(SECOND)) == (None, FIRST)
        assert list(elements.first_inside([FIRST, SECOND])) == [FIRST, BOLD, SECOND]

    def test_text_length_has_that_of_descendants(self, elements: PageElements) -> None:
        assert [elements.text_length(each) for each in (DIV, FIRST, BOLD, CUSTOM)] == [11, 6, 3, 0]

    def test_sight(self, elements: PageElements) -> None:
        assert [elements.is_in_sight(each) for each in (FIRST, SECOND)] == [True, False]


class TestHasPlace:
    def test_elements_without_a_size_have_none(self) -> None:
        page = laid_out("<p>Text</p><i></i><u></u>", styles={"u": {"display": "contents"}})
        page.box[-2:] = np.float32([0, 0, 0, 0])
        assert has_place(page)[-3:].tolist() == [True, False, True]

    def test_all_have_one_unrendered(self) -> None:
        assert has_place(snapshot(HTML)).all()


@pytest.mark.parametrize(("names", "expected"), [("my-tab x", True), ("table-x", False)])
def test_matches(names: str, expected: bool) -> None:

    assert matches(re.compile(r"\btab\b"), names) is expected
