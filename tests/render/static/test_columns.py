from __future__ import annotations

import numpy as np
import pytest
from lxml import etree

from vclean.errors import LimitError
from vclean.render.snapshot import ATTRIBUTES, subtree_ends
from vclean.render.static.columns import VALUE_LIMIT, Attributes, Links, TextNodes, elements_of, join, parents_of

PAGE = "<html><body>a<div>b<p>c<b>d</b>e</p>f</div>g<ul><li>h</li></ul> </body></html>"


def elements(html: str) -> list[etree._Element]:
    return elements_of(etree.fromstring(html, etree.HTMLParser()), 10_000)


def attributes(html: str, base: str = "") -> Attributes:
    return Attributes(elements(html), Links(base))


def rows(found: Attributes) -> list[tuple[int, str, str]]:
    names = [ATTRIBUTES[name] for name in found.name]
    return list(zip(found.node.tolist(), names, found.value, strict=True))


def texts(html: str) -> TextNodes:
    found = elements(html)
    parent = np.array(parents_of(found), dtype=np.int32)
    return TextNodes(found, parent, subtree_ends(parent))


class TestElementsOf:
    def test_document_order(self) -> None:
        assert [element.tag for element in elements(PAGE)] == ["html", "body", "div", "p", "b", "ul", "li"]

    def test_comments_and_instructions_are_no_elements(self) -> None:
        assert [element.tag for element in elements("<p>a<!-- b --><?c d?><i>e")] == ["html", "body", "p", "i"]

    def test_limit(self) -> None:
        root = etree.fromstring(PAGE, etree.HTMLParser())
        assert len(elements_of(root, 7)) == 7
        with pytest.raises(LimitError, match="more than 6 elements: raise --max-nodes"):
            elements_of(root, 6)


class TestParentsOf:
    def test_by_number(self) -> None:
        assert parents_of(elements(PAGE)) == [-1, 0, 1, 2, 3, 1, 5]

    def test_of_a_part_of_a_document(self) -> None:
        """What is above the first element does not count."""
        body = elements(PAGE)[1]
        assert parents_of(elements_of(body, 100)) == [-1, 0, 1, 2, 0, 4]


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "address"),
        [
            ("b", "https://example.org/dir/b"),
            ("/b?c=d", "https://example.org/b?c=d"),
            ("/a/../b", "https://example.org/b"),
            ("", "https://example.org/dir/page"),
            ("tel:1", "tel:1"),
            ("http://[", "http://["),
        ],
    )
    def test_from_a_page(self, link: str, address: str) -> None:
        assert Links("https://example.org/dir/page").absolute(link) == address

    def test_from_nowhere(self) -> None:
        assert Links("").absolute("/b") == "/b"


class TestJoin:
    def test_a_broken_link_stays(self) -> None:
        assert join("https://example.org/", " //[broken ") == " //[broken "
        assert join("https://example.org/", " b ") == "https://example.org/b"


class TestAttributes:
    def test_those_of_a_snapshot(self) -> None:
        found = attributes("<p id=x onclick=f()><b data-y=1><i class='a b' title=t>")
        assert rows(found) == [(2, "id", "x"), (4, "class", "a b"), (4, "title", "t")]
        assert {found.node.dtype, found.name.dtype} == {np.dtype(np.int32)}

    def test_none(self) -> None:
        found = attributes("<p data-y=1>")
        assert rows(found) == []
        assert {found.node.dtype, found.name.dtype} == {np.dtype(np.int32)}

    def test_a_link_that_is_there_twice(self) -> None:
        found = attributes("<a href=b title=b>c</a><a href=b>d</a><img src=b>", "https://example.org/")
        assert [value for _, _, value in rows(found)] == ["https://example.org/b", "b", *["https://example.org/b"] * 2]

    def test_long_values_are_cut_when_they_are_absolute(self) -> None:
        (value,) = attributes(f"<a href='/{'b' * 9000}'>", "https://example.org").value
        assert value == "https://example.org/" + "b" * (VALUE_LIMIT - 20)

    @pytest.mark.parametrize(
        ("html", "look"),
        [
            ("<p class=a>", "p"),
            ("<p style='color:red'>", "p color:red;"),
            ("<p style=''>", "p ;"),
            ("<p hidden>", "p ;hidden"),
            ("<p open style=a hidden>", "p a;;open;hidden"),
            ("<p style=a open>", "p a;;open"),
        ],
    )
    def test_looks(self, html: str, look: str) -> None:
        tags = [element.tag for element in elements(html)]
        assert attributes(html).style_keys(tags) == ["html", "body", look]

    def test_a_long_style_counts_to_its_end(self) -> None:
        style = "color:red;" * VALUE_LIMIT + "display:none"
        assert attributes(f"<p style='{style}'>").style_keys(["html", "body", "p"])[2] == f"p {style};"


class TestTexts:
    def test_document_order(self) -> None:
        found = texts(PAGE)
        assert found.text == ["a", "b", "c", "d", "e", "f", "g", "h", " "]
        assert found.parent.tolist() == [1, 2, 3, 4, 3, 2, 1, 6, 1]
        assert found.after.tolist() == [1, 2, 3, 4, 4, 4, 4, 6, 6]
        assert {found.parent.dtype, found.after.dtype} == {np.dtype(np.int32)}

    def test_many_that_end_at_once(self) -> None:
        """The innermost ends first."""
        found = texts("<div><b><i><u></u>1</i>2</b>3</div>4")
        assert found.text == ["1", "2", "3", "4"]
        assert found.after.tolist() == [5] * 4

    def test_none(self) -> None:
        found = texts("<p><b></b></p>")
        assert (found.text, found.parent.tolist(), found.after.tolist()) == ([], [], [])

    def test_what_follows_the_first_element_is_not_in_it(self) -> None:
        body = elements("<div>a<p>b</p>c</div>d")[2]
        found = elements_of(body, 10)
        parent = np.array(parents_of(found), dtype=np.int32)
        assert TextNodes(found, parent, subtree_ends(parent)).text == ["a", "b", "c"]
