"""Tests of `AsyncCleaner` with real browsers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from vclean import AsyncCleaner, Cleaner

pytestmark = pytest.mark.browser

FIXTURES = [Path(__file__).parents[2] / "fixtures" / name / "page.html" for name in ("news", "docs", "forum")]


def test_same_results_as_one_by_one() -> None:
    async def clean() -> list[str]:
        async with AsyncCleaner(render=True, browsers=2) as cleaner:
            results = await asyncio.gather(*(cleaner.clean_file(path) for path in FIXTURES))
            return [result.to_json() for result in results]

    with Cleaner(render=True) as cleaner:
        assert asyncio.run(clean()) == [cleaner.clean_file(path).to_json() for path in FIXTURES]
