from __future__ import annotations

from collections import Counter

import pytest
from helpers.outcomes import done, key, lost

from vclean.farm.parts import PartWriter, ResumeLog, part_paths


def everywhere(source):
    return True


def nowhere(source):
    return False


@pytest.fixture
def log_of(tmp_path_factory):
    def make(*outcomes):
        folder = tmp_path_factory.mktemp("out")
        with PartWriter(folder, rows=3) as writer:
            for outcome in outcomes:
                writer.write(outcome.record)
        return ResumeLog(part_paths(folder))

    return make


class TestClaim:
    def test_new_run(self):
        with ResumeLog([]) as log:
            assert not log.claim(key(1), "p1", everywhere)

    @pytest.mark.parametrize(
        ("outcome", "page", "covers", "is_done"),
        [
            (lost(1), (key(1), "p1"), everywhere, True),
            (done(1, name="caf\udce9"), (key(1), "caf\udce9"), everywhere, True),
            (done(1), (key(1), "other"), everywhere, False),
            (done(1), (key(2), "p1"), nowhere, False),
        ],
    )
    def test_same_content_and_id(self, log_of, outcome, page, covers, is_done):
        """Count failures as done, and the same content under another id as another page."""
        assert log_of(outcome).claim(*page, covers) == is_done

    def test_renamed_page_is_done(self, log_of):
        """Count the page as done, although its old file is no longer an input."""
        log = log_of(done(1, source="/old.parquet"))
        assert log.claim(key(1), "other", lambda source: source != "/old.parquet")
        assert not log.claim(key(1), "another", nowhere)

    def test_prefers_row_with_same_id(self, log_of):
        log = log_of(done(1, source="/old", name="old"), done(1, source="/new", name="new"))
        assert log.claim(key(1), "new", lambda source: source == "/new")
        assert log.claim(key(1), "newer", lambda source: source == "/new")

    def test_examines_each_row_once(self, log_of):
        log = log_of(*(done(1, name=f"n{number}", source=f"/{number}") for number in range(20)))
        asked = []

        def covers(source):
            asked.append(source)
            return True

        for number in range(30):
            assert not log.claim(key(1), f"new{number}", covers)
        assert len(asked) == 20
        assert all(log.claim(key(1), f"n{number}", covers) for number in range(20))

    def test_rows_and_new_pages_add_up_to_the_input(self, log_of):
        """Resume with repeated pages, with one id or several, when half are done and the order differs."""
        pages = [(number % 3, f"n{number % 4}") for number in range(40)]
        log = log_of(*(done(number, name=name) for number, name in pages[:20]))
        new = [page for page in reversed(pages) if not log.claim(key(page[0]), page[1], everywhere)]
        assert Counter(new) + Counter(pages[:20]) == Counter(pages)
