from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.facts.names import (
    byline_word,
    looks_like_name,
    names_key,
    read_names,
    split_names,
    without_credentials,
)


class TestSplitNames:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Ann Lee", ("Ann Lee",)),
            ("By Ann Lee and Bo Ek", ("Ann Lee", "Bo Ek")),
            ("Ann Lee, Bo Ek & Cy Fo", ("Ann Lee", "Bo Ek", "Cy Fo")),
            ("Do 25.04.24 | 14:07 Uhr | Von Eva Kirch-Rätsch", ("Eva Kirch-Rätsch",)),
            ("Posted by jsteinhardt on 3 May 2022", ("jsteinhardt",)),
            ("By Ann E. Lee Tuesday, March 7, 2024", ("Ann E. Lee",)),
            ("Submitted on Thu, 2024-03-07 09:15", ()),
            ("par Ann Lee et Bo Ek", ("Ann Lee", "Bo Ek")),
            ("（责编：牛镛、岳弘彬） 友情链接", ("牛镛", "岳弘彬")),
            ("来源：新华网 作者：李在山 时间：2019年10月31日 23:00 浏览： 33", ("李在山",)),
            ("发布日期: 2012-06-24", ()),
            ("Text: Anna Müller", ("Anna Müller",)),
            ("Von Anna Müller und Jörg Weiß, Hamburg", ("Anna Müller", "Jörg Weiß")),
            ("Von Anna Müller, Hamburg", ("Anna Müller",)),
            ("By Ann Lee, Bo Ek, Cy Fo", ("Ann Lee", "Bo Ek", "Cy Fo")),
            ("執筆者：山田太郎", ("山田太郎",)),
            ("山田太郎 記者", ("山田太郎",)),
            ("김철수 기자", ("김철수",)),
            ("김철수 기자 kim@news.kr", ("김철수",)),
            ("Γράφει ο Νίκος Παππάς", ("Νίκος Παππάς",)),
            ("Συντάκτης: Νίκος Παππάς", ("Νίκος Παππάς",)),
            ("Της Άννας Παπαδοπούλου", ("Άννας Παπαδοπούλου",)),
            ("ann@example.org", ()),
            ("Last updated on Mar 3, 2024", ()),
            ("https://example.org/ann", ()),
            ("By", ()),
            ("2024", ()),
            ("", ()),
        ],
    )
    def test_splits_bylines(self, text: str, expected: tuple[str, ...]) -> None:
        assert split_names(text) == expected

    def test_refuses_long_texts(self) -> None:
        assert split_names("Ann Lee, " * 1000) == ()

    @given(st.text(max_size=80))
    def test_accepts_any_text(self, text: str) -> None:
        assert all(name.strip() for name in split_names(text))


class TestReadNames:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("By Ann Lee, March 7, 2024", ("Ann Lee",)),
            ("Ann Lee wrote this from Portsmouth", ("Ann Lee",)),
            ("annlee", ("annlee",)),
            ("the seventh of May", ()),
            ("2024", ()),
            ("", ()),
        ],
    )
    def test_reads_a_marked_byline(self, text: str, expected: tuple[str, ...]) -> None:
        assert read_names(text) == expected


class TestBylineWord:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("By Ann Lee", "by"), ("by the sea", "by the"), ("Door to the sea", ""), ("Da capo", ""),
            ("Text: Ann", "text"), ("Text of the law", ""), ("της γης", ""), ("김철수 기자", "記者"),
            ("Written by ann", "written by"), ("Texto: Ana", "texto"), ("Byron Bay", ""), ("", ""),
        ],
    )  # fmt: skip
    def test_finds_words_of_authorship(self, text: str, expected: str) -> None:
        assert byline_word(text) == expected


class TestLooksLikeName:
    @pytest.mark.parametrize("text", ["Home", "All rights reserved", "Ann 2", "", "One Two Three Four Five Six"])
    def test_refuses_other_texts(self, text: str) -> None:
        assert not looks_like_name(text)


class TestWithoutCredentials:
    def test_drops_degrees_and_roles(self) -> None:
        assert without_credentials(("Ann Lee", "MD", "Ph.D.", "Staff Writer", "Tom")) == ("Ann Lee", "Tom")

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("BY JOHN SMITH AND MARY JONES", ("JOHN SMITH", "MARY JONES")),
            ("JOHN SMITH, MARY JONES AND BOB FOX", ("JOHN SMITH", "MARY JONES", "BOB FOX")),
            ("JOHN SMITH, M.D., PH.D., MARY FOX, STAFF WRITER", ("JOHN SMITH", "MARY FOX")),
            ("VON ANN LEE UND BO EK", ("ANN LEE", "BO EK")),
            ("By Ann Lee and Ed Chief", ("Ann Lee", "Ed Chief")),
            ("By Ann Lee, Chief Economist", ("Ann Lee",)),
        ],
    )
    def test_names_in_capitals_are_no_degrees(self, text: str, expected: tuple[str, ...]) -> None:
        assert without_credentials(split_names(text)) == expected


class TestNamesKey:
    def test_ignores_order_and_case(self) -> None:
        assert names_key(("Bo Ek", "ANN  LEE")) == names_key(("Ann Lee", "Bo Ek"))
