from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from vclean.render.static import _tree

PAGE = "<html><body>a<div>b<p class=x>c<b>d</b>e</p>f</div>g<ul><li title='&lt;ü' id>h</li></ul> </body></html>"
NAMES = {"class": 0, "id": 1, "title": 2}


def root_of(html: str) -> etree._Element:
    return etree.fromstring(html, etree.HTMLParser(encoding="utf-8"))


def columns(root: etree._Element, limit: int = 10_000) -> list[list]:
    tags, *rest = _tree.columns_of(root, NAMES, limit)
    return [list(tags), *(each if isinstance(each, list) else np.frombuffer(each, np.int32).tolist() for each in rest)]


def expected(root: etree._Element) -> list[list]:
    """Return the same columns, read with the interface of lxml."""
    elements = list(root.iter("*"))
    number = {element: row for row, element in enumerate(elements)}
    tags = list(dict.fromkeys(element.tag for element in elements))
    texts: list[tuple[str, int, int]] = []

    def visit(element: etree._Element) -> int:
        row = last = number[element]
        texts.append((element.text or "", row, row))
        for child in element:
            last = visit(child)
            texts.append((child.tail or "", row, last))
        return last

    ends = [visit(root) and row + sum(1 for _ in element.iter("*")) for row, element in enumerate(elements[:1])]
    ends += [row + 1 + sum(1 for _ in element.iterdescendants("*")) for row, element in enumerate(elements)][1:]
    attributes = [
        (row, NAMES[name], value)
        for row, element in enumerate(elements)
        for name, value in element.items()
        if name in NAMES
    ]
    texts = [text for text in texts if text[0]]
    return [
        tags,
        [tags.index(element.tag) for element in elements],
        [-1, *(number[element.getparent()] for element in elements[1:])],
        [len(elements), *ends[1:]],
        [sum(1 for each in element.iterancestors() if each in number) for element in elements],
        *([each[part] for each in attributes] for part in range(3)),
        *([text[part] for text in texts] for part in range(3)),
    ]


@pytest.mark.parametrize(
    "root",
    [root_of(PAGE), root_of("<div>a<p>b</p>c</div>d")[0][0], etree.Element("p")],
    ids=["page", "part of a page", "element"],
)
def test_columns(root: etree._Element) -> None:
    assert columns(root) == expected(root)


def test_texts_in_a_row_are_one() -> None:
    root = root_of("<div>a<b>x</b>c</div>")
    etree.strip_tags(root, "b")
    assert columns(root)[8] == ["axc"]


def test_stops_above_the_limit() -> None:
    assert len(columns(root_of(PAGE), 3)[1]) == 4


def test_ignores_comments_and_instructions() -> None:
    assert columns(root_of("<p>a<!-- b --><?c d?><i>e"))[0] == ["html", "body", "p", "i"]


@given(st.lists(st.sampled_from(["<div>", "</div>", "<p class='a' id=b>", "<b>", "</b>", "x", " y ", "<table><tr>"])))
def test_equals_lxml(parts: list[str]) -> None:
    root = root_of(f"<body>{''.join(parts)}")
    assert columns(root) == expected(root)


class TestLinesOf:
    @given(st.lists(st.text("\t\n\x0b\x1c\x85\xa0\u2003 abé漢\0\ud800", max_size=8)))
    def test_is_split_and_joined(self, texts: list[str]) -> None:
        assert _tree.lines_of(texts) == [" ".join(text.split()) for text in texts]

    @pytest.mark.parametrize("texts", [[1], ["a", None]])
    def test_texts_are_strings(self, texts: list[str]) -> None:
        with pytest.raises(TypeError):
            _tree.lines_of(texts)


def test_many_texts_beside_each_other_are_one() -> None:
    count = 100_000
    root = root_of("<p>" + "<s></s>\u00e9t" * count)
    etree.strip_elements(root, "s", with_tail=False)
    texts = columns(root)[8]
    assert texts == ["\u00e9t" * count]


class TestWordsIn:
    def test_32_words(self) -> None:
        words = tuple(b"%03d" % number for number in range(32))
        assert _tree.words_in(b"xy031 xy031 031", words) == [b"031"]

    @pytest.mark.parametrize("words", [(b"",), (b"abc", b"ab"), (b"abc",) * 33])
    def test_words_have_three_bytes_or_more(self, words: tuple[bytes, ...]) -> None:
        with pytest.raises(ValueError, match="word"):
            _tree.words_in(b"text", words)


class TestClimb:
    @pytest.mark.parametrize(
        ("parents", "counts", "elements"),
        [([0, 0], [1], [1]), ([0], [1], [1]), ([0], [1], [-1]), ([0, 5], [1, 1], [1])],
    )
    def test_arrays_that_do_not_fit(self, parents: list[int], counts: list[int], elements: list[int]) -> None:
        arrays = np.array(parents, np.int32), np.array(counts, np.float64), np.array(elements, np.int32)
        with pytest.raises(ValueError, match="do not fit"):
            _tree.climb(*arrays, 2.0)
