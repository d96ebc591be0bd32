from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.farm.tasks import KEY_BYTES, Task, key_of
from vclean.page import Page

PAGE = Page(content=b"<p>Hello", url="https://example.org/", charset="utf-8", id="a")


class TestKeyOf:
    def test_its_length(self) -> None:
        assert len(key_of(PAGE, "digest")) == KEY_BYTES

    def test_text_and_its_bytes_are_one_page(self) -> None:
        assert key_of(replace(PAGE, content="<p>Hello"), "digest") == key_of(PAGE, "digest")

    @pytest.mark.parametrize(
        "other",
        [
            replace(PAGE, content=b"<p>Hello!"),
            replace(PAGE, url="https://example.org/b"),
            replace(PAGE, charset="latin-1"),
            replace(PAGE, live=True),
        ],
    )
    def test_it_differs_with_what_is_read(self, other: Page) -> None:
        assert key_of(other, "digest") != key_of(PAGE, "digest")

    def test_it_differs_with_the_settings(self) -> None:
        assert key_of(PAGE, "one") != key_of(PAGE, "two")

    def test_the_name_does_not_count(self) -> None:
        assert key_of(replace(PAGE, id="b"), "digest") == key_of(PAGE, "digest")

    @given(st.text(), st.text())
    def test_any_text_has_a_key(self, content: str, url: str) -> None:
        """Also lone surrogates, which UTF-8 cannot hold."""
        page = Page(content=content, url=url)
        assert key_of(page, "") == key_of(pickle.loads(pickle.dumps(page)), "")

    def test_fields_cannot_be_shifted_into_each_other(self) -> None:
        assert key_of(Page(url="ab", charset="c"), "") != key_of(Page(url="a", charset="bc"), "")


def test_a_task_can_be_pickled() -> None:
    task = Task(PAGE, "crawl.warc.gz", bytes(16), 2)
    assert pickle.loads(pickle.dumps(task)) == task
