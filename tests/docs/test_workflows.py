"""Workflows of GitHub: their actions are pinned, and a release is tested before it is published."""

import re
from pathlib import Path

import pytest
from helpers.documents import ROOT, code_blocks, read

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_beside_their_version(path: Path) -> None:
    uses = re.findall(r"uses: (.*)", read(path))
    assert uses
    assert [use for use in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)] == []


def test_release_is_published_after_the_command_of_the_readme() -> None:
    _, test, publish = re.split(r"^  (?:test|publish):$", read(ROOT / ".github/workflows/release.yml"), flags=re.M)
    _, run = code_blocks(ROOT / "README.md", "sh")[0].splitlines()
    assert re.search(rf"- run: vclean setup\n +- run: {re.escape(run)}\n +- run: pytest ", test)
    assert "needs: [wheels, source, test]" in publish
