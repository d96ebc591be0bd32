from __future__ import annotations

from typing import NoReturn

import pytest

from vclean.errors import InputError
from vclean.farm.inputs import read_task
from vclean.farm.tasks import Item, page_key
from vclean.page import Page

PAGE = Page(content=b"<p>Hello", id="a")


def failing(error: Exception) -> Item:
    def fail() -> NoReturn:
        raise error

    return Item("a", "/crawl/a.warc", fail)


class TestReadTask:
    def test_returns_task(self) -> None:
        task, failure = read_task(Item("a", "/crawl/a.html", lambda: PAGE), "digest")
        assert failure is None
        assert (task.page, task.source, task.key) == (PAGE, "/crawl/a.html", page_key(PAGE, "digest"))
        assert task.attempt == 1

    def test_error_gives_failure(self) -> None:
        task, failure = read_task(failing(InputError("it is damaged")), "digest")
        assert failure is not None
        row = failure.record.to_pylist()[0]
        assert (row["id"], row["source"], row["status"]) == ("a", "/crawl/a.warc", "failed")
        assert (row["error"], row["message"]) == ("InputError", "it is damaged")
        assert failure.error == "InputError"
        assert row["key"] == task.key

    def test_lack_of_memory_gives_failure(self) -> None:
        _, failure = read_task(failing(MemoryError()), "digest")
        assert failure is not None
        assert failure.error == "LimitError"

    def test_raises_other_errors(self) -> None:
        with pytest.raises(ZeroDivisionError):
            read_task(failing(ZeroDivisionError()), "digest")

    def test_key_of_failure_is_stable_and_distinct(self) -> None:
        first, again = (read_task(failing(InputError(text)), "digest")[0] for text in ("one", "two"))
        other, _ = read_task(Item("b", "/crawl/a.warc", failing(InputError("")).read), "digest")
        assert first.key == again.key != other.key
