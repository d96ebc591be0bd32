from __future__ import annotations

from contextlib import contextmanager

import pytest

from vclean.errors import NotHtmlError
from vclean.page import Page
from vclean.pipeline import Pipeline
from vclean.settings import CleanerSettings

PAGE = Page(content="<h1>Rain</h1><p>It rained.", id="rain")
PLAIN = CleanerSettings(method="text")


class TestRun:
    def test_every_stage_is_timed(self):
        stages = []

        @contextmanager
        def timed(stage):
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
    def test_includes_positions(self):
        with Pipeline(CleanerSettings(method="text", explain=True)) as cleaner:
            result = cleaner.run(PAGE)
        positions = [(block.source.line, block.source.column) for block in result.blocks if block.source]
        assert positions == [(1, 5), (1, 17)]
