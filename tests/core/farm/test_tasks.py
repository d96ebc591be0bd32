from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.farm.tasks import KEY_BYTES, Task, page_key
from vclean.page import Page

PAGE = Page(content=b"<p>Hello", url="https://example.org/", charset="utf-8", id="a")


class TestPageKey:
    def test_has_fixed_length(self) -> None:
        assert len(page_key(PAGE, "digest")) == KEY_BYTES

    def test_equal_for_text_and_its_bytes(self) -> None:
        assert page_key(replace(PAGE, content="<p>Hello"), "digest") == page_key(PAGE, "digest")

    @pytest.mark.parametrize(
        "other",
        [
            replace(PAGE, content=b"<p>Hello!"),
            replace(PAGE, url="https://example.org/b"),
            replace(PAGE, charset="latin-1"),
            replace(PAGE, live=True),
        ],
    )
    def test_depends_on_content(self, other: Page) -> None:
        assert page_key(other, "digest") != page_key(PAGE, "digest")

    def test_depends_on_settings(self) -> None:
        assert page_key(PAGE, "one") != page_key(PAGE, "two")

    def test_independent_of_name(self) -> None:
        assert page_key(replace(PAGE, id="b"), "digest") == page_key(PAGE, "digest")

    @given(st.text(), st.text())
    def test_accepts_any_text(self, content: str, url: str) -> None:
        """Accept lone surrogates, which UTF-8 cannot encode."""
        page = Page(content=content, url=url)
        assert page_key(page, "") == page_key(pickle.loads(pickle.dumps(page)), "")

    def test_separates_fields(self) -> None:
        assert page_key(Page(url="ab", charset="c"), "") != page_key(Page(url="a", charset="bc"), "")


def test_task_is_picklable() -> None:
    task = Task(PAGE, "crawl.warc.gz", bytes(16), 2)
    assert pickle.loads(pickle.dumps(task)) == task
