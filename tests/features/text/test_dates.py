from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.text.dates import (
    MAX_YEAR,
    MIN_YEAR,
    date_in_url,
    find_dates,
    is_day_first,
    month_number,
    parse_date,
)


class TestParseDate:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ("2024-03-07", "2024-03-07"),
            ("2024-03-07T10:20:30+0100", "2024-03-07T10:20:30+01:00"),
            ("2024-03-07 10:20:30.123Z", "2024-03-07T10:20:30+00:00"),
            ("20240307", "2024-03-07"),
            ("2024-03-07T99:00:00", "2024-03-07"),
            ("Thu, 07 Mar 2024 10:00:00 GMT", "2024-03-07T10:00:00+00:00"),
            ("1709806830", "2024-03-07T10:20:30+00:00"),
            ("1709806830000", "2024-03-07T10:20:30+00:00"),
            ("March 7, 2024, 10:20 PM", "2024-03-07T22:20:00"),
            ("Mar 7 2024 10:20 PM", "2024-03-07T22:20:00"),
            ("7 Mar 2024 10:20 pm", "2024-03-07T22:20:00"),
            ("2024-03-07 10:20 PM", "2024-03-07T22:20:00"),
            ("2024-03-07 12:20 AM", "2024-03-07T00:20:00"),
            ("2024-03-07 下午 2:05", "2024-03-07T14:05:00"),
            ("2024년 3월 7일 오후 2:05", "2024-03-07T14:05:00"),
            ("2024-03-07 10:20:30 PST", "2024-03-07T10:20:30-08:00"),
            ("2024-03-07T22:20:30+01:00[Europe/Paris]", "2024-03-07T22:20:30+01:00"),
            ("Thu Mar 07 2024 22:20:30 GMT+0100 (CET)", "2024-03-07T22:20:30+01:00"),
            ("Thu Mar  7 22:20:30 EST 2024", "2024-03-07T22:20:30-05:00"),
            ("Thu, 07 Mar 2024 10:00:00 EST", "2024-03-07T10:00:00-05:00"),
            ("2024-03-07T10:20:30 +99:00", "2024-03-07T10:20:30"),
            ("2024-02-30", ""),
            ("1024-02-03", ""),
            ("0000-00-00T00:00:00", ""),
            ("yesterday", ""),
            ("", ""),
        ],
    )
    def test_returns_iso_8601(self, value: str, expected: str) -> None:
        assert parse_date(value) == expected

    @given(
        st.text(max_size=60)
        | st.from_regex(r"[0-9]{1,4}[-/. ][A-Za-z0-9]{1,9}[-/. ,]{1,2}[0-9]{1,4}(T[0-9:]{0,9}[+-][0-9]{4})?")
    )
    def test_accepts_any_text(self, value: str) -> None:
        parsed = parse_date(value)
        assert not parsed or MIN_YEAR <= datetime.fromisoformat(parsed).year <= MAX_YEAR


class TestFindDates:
    @pytest.mark.parametrize(
        ("text", "language", "expected"),
        [
            ("7.3.24", "de", "2024-03-07"),
            ("Version 1.4.46 of 3 January 2023", "en", "2023-01-03"),
            ("12.03.2021, 10:12 Uhr", "de", "2021-03-12T10:12:00"),
            ("7. März 2024, 14.05 Uhr", "de", "2024-03-07T14:05:00"),
            ("7. März 2024 um 14:05 Uhr MEZ", "de", "2024-03-07T14:05:00+01:00"),
            ("7 de marzo de 2024 a las 14:05", "es", "2024-03-07T14:05:00"),
            ("7 de março de 2024 às 14h05", "pt", "2024-03-07T14:05:00"),
            ("7. marts 2024 kl. 14.05", "da", "2024-03-07T14:05:00"),
            ("7 марта 2024 г., 14:05 МСК", "ru", "2024-03-07T14:05:00+03:00"),
            ("2024年3月7日(木) 14時05分", "ja", "2024-03-07T14:05:00"),
            ("7 March 2024 at 10.20 GMT", "en", "2024-03-07T10:20:00+00:00"),
            ("7 March 2024 - 22:20 (UTC+2)", "en", "2024-03-07T22:20:00+02:00"),
            ("Mar 7, 2024, 10:20 a.m. ET", "en", "2024-03-07T10:20:00"),
            ("10:20 PM, March 7, 2024", "en", "2024-03-07T22:20:00"),
            ("10.20 GMT, Thursday 7 March 2024", "en", "2024-03-07T10:20:00+00:00"),
            ("Mar-07-2024", "en", "2024-03-07"),
            ("2024. március 7.", "hu", "2024-03-07"),
            ("2024 m. kovo 7 d.", "lt", "2024-03-07"),
            ("2024. gada 7. marts", "lv", "2024-03-07"),
            ("2024ko martxoaren 7a", "eu", "2024-03-07"),
            ("1° marzo 2024", "it", "2024-03-01"),
            ("ngày 7 tháng 3 năm 2024", "vi", "2024-03-07"),
            ("7 มี.ค. 2567", "th", "2024-03-07"),
            ("7 آذار 2024", "ar", "2024-03-07"),
            ("7 de julho de 2024", "pt", "2024-07-07"),
            ("le 1er août 2024", "fr", "2024-08-01"),
            ("2024年3月7日 10:20", "zh", "2024-03-07T10:20:00"),
            ("2024. 3. 7.", "ko", "2024-03-07"),
            ("Sept. 5th, 2023 at 10:00 pm", "en", "2023-09-05T22:00:00"),
            ("7-Mar-24", "en", "2024-03-07"),
            ("7 มีนาคม 2567", "th", "2024-03-07"),
            ("7 مارس 2024", "ar", "2024-03-07"),
        ],
    )
    def test_finds_dates_of_many_languages(self, text: str, language: str, expected: str) -> None:
        assert [date.value for date in find_dates(text, language)] == [expected]

    def test_returns_positions_in_order(self) -> None:
        text = "Posted 7 March 2024 and 2024-03-09"
        assert [text[date.start : date.end] for date in find_dates(text)] == ["7 March 2024", "2024-03-09"]


class TestDateInUrl:
    @pytest.mark.parametrize(
        ("url", "expected"),
        [
            ("https://example.org/2024/03/07/rain", ("2024-03-07", True)),
            ("https://example.org/2024/03/rain", ("2024-03-01", False)),
            ("https://example.org/2024-03-07-rain", ("2024-03-07", True)),
            ("https://example.org/2024/99/07/rain", ("", False)),
            ("https://example.org/rain", ("", False)),
        ],
    )
    def test_reads_the_path(self, url: str, expected: tuple[str, bool]) -> None:
        assert date_in_url(url) == expected


class TestIsDayFirst:
    @pytest.mark.parametrize(
        ("language", "declared", "url", "text", "expected"),
        [
            ("de", "", "", "", True),
            ("en", "en", "", "", False),
            ("en", "en-gb", "", "", True),
            ("en", "en", "https://example.co.uk/a", "", True),
            ("en", "en-us", "https://example.co.uk/a", "", False),
            ("en", "en", "", "2/10/2020 and 25/10/2020", True),
            ("de", "", "", "10/25/2020", False),
            ("en", "en", "", "25/10/2020, 10/25/2020", False),
        ],
    )
    def test_is_known_by_other_dates_region_and_host(
        self, language: str, declared: str, url: str, text: str, expected: bool
    ) -> None:
        assert is_day_first(language, declared, url, text) is expected


class TestMonthNumber:
    def test_prefers_the_language_of_the_page(self) -> None:
        assert (month_number("listopad", "cs"), month_number("listopad", "hr")) == (11, 10)
        assert (month_number("Listopad", "en"), month_number("xyz", "")) == (0, 0)
