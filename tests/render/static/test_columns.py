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


def rows(columns: Attributes) -> list[tuple[int, str, str]]:
    names = [ATTRIBUTES[name] for name in columns.name]
    return list(zip(columns.node.tolist(), names, columns.value, strict=True))


def texts(html: str) -> TextNodes:
    page_elements = elements(html)
    parent = np.array(parents_of(page_elements), dtype=np.int32)
    return TextNodes(page_elements, parent, subtree_ends(parent))


class TestElementsOf:
    def test_lists_elements_in_document_order(self) -> None:
        assert [element.tag for element in elements(PAGE)] == ["html", "body", "div", "p", "b", "ul", "li"]

    def test_excludes_comments_and_instructions(self) -> None:
        assert [element.tag for element in elements("<p>a<!-- b --><?c d?><i>e")] == ["html", "body", "p", "i"]

    def test_raises_above_limit(self) -> None:
        root = etree.fromstring(PAGE, etree.HTMLParser())
        assert len(elements_of(root, 7)) == 7
        with pytest.raises(LimitError, match="more than 6 elements: raise --max-nodes"):
            elements_of(root, 6)


class TestParentsOf:
    def test_returns_numbers_of_parents(self) -> None:
        assert parents_of(elements(PAGE)) == [-1, 0, 1, 2, 3, 1, 5]

    def test_treats_first_element_as_root(self) -> None:
        # Ancestors of the first element are ignored.
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
    def test_resolves_links(self, link: str, address: str) -> None:
        assert Links("https://example.org/dir/page").absolute(link) == address

    def test_keeps_links_without_base(self) -> None:
        assert Links("").absolute("/b") == "/b"


class TestJoin:
    def test_keeps_invalid_link(self) -> None:
        assert join("https://example.org/", " //[broken ") == " //[broken "
        assert join("https://example.org/", " b ") == "https://example.org/b"


class TestAttributes:
    def test_returns_attributes_of_a_snapshot(self) -> None:
        columns = attributes("<p id=x onload=f()><b data-y=1><i class='a b' title=t>")
        assert rows(columns) == [(2, "id", "x"), (4, "class", "a b"), (4, "title", "t")]
        assert {columns.node.dtype, columns.name.dtype} == {np.dtype(np.int32)}

    def test_returns_no_attributes(self) -> None:
        columns = attributes("<p data-y=1>")
        assert rows(columns) == []
        assert {columns.node.dtype, columns.name.dtype} == {np.dtype(np.int32)}

    def test_resolves_repeated_link(self) -> None:
        columns = attributes("<a href=b title=b>c</a><a href=b>d</a><img src=b>", "https://example.org/")
        assert [value for _, _, value in rows(columns)] == [
            "https://example.org/b",
            "b",
            *["https://example.org/b"] * 2,
        ]

    def test_truncates_absolute_links(self) -> None:
        (value,) = attributes(f"<a href='/{'b' * 9000}'>", "https://example.org").value
        assert value == "https://example.org/" + "b" * (VALUE_LIMIT - 20)

    @pytest.mark.parametrize(
        ("html", "style_key"),
        [
            ("<p class=a>", "p"),
            ("<p style='color:red'>", "p color:red;"),
            ("<p style=''>", "p ;"),
            ("<p hidden>", "p ;hidden"),
            ("<p open style=a hidden>", "p a;;open;hidden"),
            ("<p style=a open>", "p a;;open"),
        ],
    )
    def test_returns_style_keys(self, html: str, style_key: str) -> None:
        tags = [element.tag for element in elements(html)]
        assert attributes(html).style_keys(tags) == ["html", "body", style_key]

    def test_uses_full_style_in_style_keys(self) -> None:
        style = "color:red;" * VALUE_LIMIT + "display:none"
        assert attributes(f"<p style='{style}'>").style_keys(["html", "body", "p"])[2] == f"p {style};"


class TestTexts:
    def test_sorts_texts_in_document_order(self) -> None:
        nodes = texts(PAGE)
        assert nodes.text == ["a", "b", "c", "d", "e", "f", "g", "h", " "]
        assert nodes.parent.tolist() == [1, 2, 3, 4, 3, 2, 1, 6, 1]
        assert nodes.after.tolist() == [1, 2, 3, 4, 4, 4, 4, 6, 6]
        assert {nodes.parent.dtype, nodes.after.dtype} == {np.dtype(np.int32)}

    def test_sorts_tails_of_elements_that_end_together(self) -> None:
        # The tail of the innermost element is first.
        nodes = texts("<div><b><i><u></u>1</i>2</b>3</div>4")
        assert nodes.text == ["1", "2", "3", "4"]
        assert nodes.after.tolist() == [5] * 4

    def test_returns_no_texts(self) -> None:
        nodes = texts("<p><b></b></p>")
        assert (nodes.text, nodes.parent.tolist(), nodes.after.tolist()) == ([], [], [])

    def test_excludes_tail_of_the_root(self) -> None:
        body = elements("<div>a<p>b</p>c</div>d")[2]
        nodes = elements_of(body, 10)
        parent = np.array(parents_of(nodes), dtype=np.int32)
        assert TextNodes(nodes, parent, subtree_ends(parent)).text == ["a", "b", "c"]
