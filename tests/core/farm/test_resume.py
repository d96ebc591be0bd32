from __future__ import annotations

from collections import Counter

import pytest
from helpers.outcomes import done, key, lost

from vclean.errors import InputError
from vclean.farm.parts import PartWriter, part_paths
from vclean.farm.resume import Ledger


def everywhere(source):
    return True


def nowhere(source):
    return False


@pytest.fixture
def ledger_of(tmp_path_factory):
    def make(*outcomes):
        folder = tmp_path_factory.mktemp("out")
        with PartWriter(folder, rows=3) as writer:
            for outcome in outcomes:
                writer.put(outcome.record)
        return Ledger(part_paths(folder))

    return make


class TestTake:
    def test_new_run(self):
        with Ledger([]) as ledger:
            assert not ledger.take(key(1), "p1", everywhere)

    def test_every_row_is_taken_once(self, ledger_of):
        with ledger_of(*map(done, range(8))) as ledger:
            assert len(ledger) == 8
            assert all(ledger.take(key(number), f"p{number}", everywhere) for number in reversed(range(8)))
            assert not ledger.take(key(1), "p1", everywhere)
            assert len(ledger) == 0

    def test_failures_are_done(self, ledger_of):
        assert ledger_of(lost(1)).take(key(1), "p1", everywhere)

    def test_another_content_is_not_done(self, ledger_of):
        assert not ledger_of(done(1)).take(key(2), "p1", nowhere)

    def test_same_content_under_another_name_is_another_page(self, ledger_of):
        assert not ledger_of(done(1)).take(key(1), "other", everywhere)

    def test_renamed_page_is_done(self, ledger_of):
        """Its old file is no input any more."""
        ledger = ledger_of(done(1, source="/old.parquet"))
        assert ledger.take(key(1), "other", lambda source: source != "/old.parquet")
        assert not ledger.take(key(1), "another", nowhere)

    def test_own_name_comes_before_a_file_that_is_gone(self, ledger_of):
        ledger = ledger_of(done(1, source="/old", name="old"), done(1, source="/new", name="new"))
        assert ledger.take(key(1), "new", lambda source: source == "/new")
        assert ledger.take(key(1), "newer", lambda source: source == "/new")

    def test_pages_that_are_there_twice(self, ledger_of):
        ledger = ledger_of(done(1), done(1), done(1))
        assert [ledger.take(key(1), "p1", everywhere) for _ in range(4)] == [True, True, True, False]

    def test_each_row_is_only_once_asked_where_it_is(self, ledger_of):
        ledger = ledger_of(*(done(1, name=f"n{number}", source=f"/{number}") for number in range(20)))
        asked = []

        def covers(source):
            asked.append(source)
            return True

        for number in range(30):
            assert not ledger.take(key(1), f"new{number}", covers)
        assert len(asked) == 20
        assert all(ledger.take(key(1), f"n{number}", covers) for number in range(20))

    def test_names_that_parquet_cannot_hold(self, ledger_of):
        assert ledger_of(done(1, name="caf\udce9")).take(key(1), "caf\udce9", everywhere)


class TestMultiset:
    def test_rows_and_new_pages_together_are_the_input(self, ledger_of):
        """Some pages are there several times, under one name or several; half are done; the order is another."""
        pages = [(number % 5, f"n{number % 7}") for number in range(40)]
        ledger = ledger_of(*(done(number, name=name) for number, name in pages[:20]))
        new = [page for page in reversed(pages) if not ledger.take(key(page[0]), page[1], everywhere)]
        assert Counter(new) + Counter(pages[:20]) == Counter(pages)


class TestDamage:
    def test_damaged_part(self, tmp_path):
        path = tmp_path / "part.parquet"
        path.write_bytes(b"PAR1 no")
        with pytest.raises(
            InputError, match=r"part.parquet is damaged .*: delete it, and --resume does its pages again"
        ):
            Ledger([path])
