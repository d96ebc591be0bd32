from __future__ import annotations

import doctest
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import vclean
from vclean import api, output, pipeline, result, settings
from vclean.errors import NotHtmlError
from vclean.output import text
from vclean.page import Page
from vclean.pipeline import Pipeline
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

PAGE = Page(content="<h1>Rain</h1><p>It rained.", id="rain")
PLAIN = CleanerSettings(method="text")


class TestRun:
    def test_every_stage_is_timed(self) -> None:
        stages: list[str] = []

        @contextmanager
        def timed(stage: str) -> Iterator[None]:
            stages.append(stage)
            yield
            stages.append(f"after {stage}")

        with Pipeline(PLAIN) as cleaner:
            cleaner.run(PAGE, timer=timed)
            assert stages == ["render", "after render", "extract", "after extract", "label", "after label"]
            stages.clear()
            with pytest.raises(NotHtmlError):
                cleaner.run(Page(), timer=timed)
        assert stages == ["render"]


class TestExplanation:
    def test_includes_positions(self) -> None:
        with Pipeline(CleanerSettings(method="text", explain=True)) as cleaner:
            result = cleaner.run(PAGE)
        assert [(block.source.line, block.source.column) for block in result.blocks if block.source] == [
            (1, 5),
            (1, 17),
        ]


@pytest.mark.parametrize("module", [vclean, api, pipeline, output, result, settings, text])
def test_examples_are_true(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
