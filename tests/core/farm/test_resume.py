from __future__ import annotations

from collections import Counter

import pytest
from helpers.outcomes import done, key, lost

from vclean.farm.parts import PartWriter, ResumeLog, part_paths


def everywhere(source):
    return True


@pytest.fixture
def log_of(tmp_path_factory):
    def make(*outcomes, covers=everywhere):
        folder = tmp_path_factory.mktemp("out")
        with PartWriter(folder, rows=3) as writer:
            for outcome in outcomes:
                writer.write(outcome.record)
        return ResumeLog(part_paths(folder), covers)

    return make


class TestClaim:
    def test_new_run(self):
        assert not ResumeLog([], everywhere).claim(key(1), "p1")

    @pytest.mark.parametrize(
        ("outcome", "page", "is_done"),
        [
            (lost(1), (key(1), "p1"), True),
            (done(1, name="caf\udce9"), (key(1), "caf\udce9"), True),
            (done(1), (key(1), "other"), False),
            (done(1), (key(2), "p1"), False),
        ],
    )
    def test_same_content_and_id(self, log_of, outcome, page, is_done):
        """Count failures as done, and the same content under another id as another page."""
        assert log_of(outcome).claim(*page) == is_done

    def test_renamed_page_is_done(self, log_of):
        """Count the page as done once, although its old file is no longer an input."""
        log = log_of(done(1, source="/old.parquet"), covers=lambda source: source != "/old.parquet")
        assert not log.claim(key(2), "p1")
        assert log.claim(key(1), "other")
        assert not log.claim(key(1), "another")

    def test_prefers_row_with_same_id(self, log_of):
        rows = done(1, source="/old", name="old"), done(1, source="/new", name="new")
        log = log_of(*rows, covers=lambda source: source == "/new")
        assert log.claim(key(1), "new")
        assert log.claim(key(1), "newer")

    def test_rows_and_new_pages_add_up_to_the_input(self, log_of):
        """Resume with repeated pages, with one id or several, when half are done and the order differs."""
        pages = [(number % 3, f"n{number % 4}") for number in range(40)]
        log = log_of(*(done(number, name=name) for number, name in pages[:20]))
        new = [page for page in reversed(pages) if not log.claim(key(page[0]), page[1])]
        assert Counter(new) + Counter(pages[:20]) == Counter(pages)
