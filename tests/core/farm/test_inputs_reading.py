from __future__ import annotations

from typing import NoReturn

import pytest

from vclean.errors import InputError
from vclean.farm.inputs import read
from vclean.farm.tasks import Item, key_of
from vclean.page import Page

PAGE = Page(content=b"<p>Hello", id="a")


def failing(error: Exception) -> Item:
    def fail() -> NoReturn:
        raise error

    return Item("a", "/crawl/a.warc", fail)


class TestRead:
    def test_a_page_becomes_a_task(self) -> None:
        task, failure = read(Item("a", "/crawl/a.html", lambda: PAGE), "digest")
        assert failure is None
        assert (task.page, task.source, task.key) == (PAGE, "/crawl/a.html", key_of(PAGE, "digest"))
        assert task.attempt == 1

    def test_an_error_becomes_a_failure(self) -> None:
        task, failure = read(failing(InputError("it is damaged")), "digest")
        assert failure is not None
        row = failure.record.to_pylist()[0]
        assert (row["id"], row["source"], row["status"]) == ("a", "/crawl/a.warc", "failed")
        assert (row["error"], row["message"]) == ("InputError", "it is damaged")
        assert failure.error == "InputError"
        assert row["key"] == task.key

    def test_so_does_want_of_memory(self) -> None:
        _, failure = read(failing(MemoryError()), "digest")
        assert failure is not None
        assert failure.error == "LimitError"

    def test_a_bug_is_no_failure_of_the_page(self) -> None:
        with pytest.raises(ZeroDivisionError):
            read(failing(ZeroDivisionError()), "digest")

    def test_the_key_of_a_failure_is_the_same_next_time_and_tells_it_from_others(self) -> None:
        first, again = (read(failing(InputError(text)), "digest")[0] for text in ("one", "two"))
        other, _ = read(Item("b", "/crawl/a.warc", failing(InputError("")).read), "digest")
        assert first.key == again.key != other.key
