"""Links between documents: they resolve, every page is reachable from the index, and links back to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.documents import DOCS, DOCUMENTS, INDEX, PAGES, ROOT, name, prose, read

_LINK = re.compile(r"\]\(([^)\s]+)\)")


def links(path: Path) -> list[tuple[Path, str]]:
    """Return the relative links of a document: the file, and the anchor or an empty string."""
    targets = [target.partition("#") for target in _LINK.findall(prose(path)) if "://" not in target]
    return [((path.parent / file).resolve() if file else path, anchor) for file, _, anchor in targets]


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", [*DOCUMENTS, ROOT / "CHANGELOG.md"], ids=name)
def test_targets_exist(path: Path) -> None:
    assert [str(file) for file, _ in links(path) if not file.exists()] == []
    assert [(file.name, anchor) for file, anchor in links(path) if anchor and anchor not in anchors(file)] == []


@pytest.mark.parametrize("path", [path for path in PAGES if path != INDEX], ids=name)
class TestPages:
    def test_index_links_to_page_and_back(self, path: Path) -> None:
        assert path in {file for file, _ in links(INDEX)}
        assert INDEX in {file for file, _ in links(path)}

    def test_page_has_one_title(self, path: Path) -> None:
        assert len(re.findall(r"^# ", prose(path), re.MULTILINE)) == 1
        assert read(path).startswith("# ")


def test_readme_links_to_index() -> None:
    assert INDEX in {file for file, _ in links(ROOT / "README.md")}


def test_every_image_is_used() -> None:
    used = {file for path in DOCUMENTS for file, _ in links(path)}
    assert [path.name for path in (DOCS / "images").glob("*.png") if path not in used] == []


def test_site_has_every_page() -> None:
    navigation = read(ROOT / "mkdocs.yml")
    pages = [path.relative_to(DOCS).as_posix() for path in PAGES if path.parent.name != "tables"]
    assert [page for page in pages if page not in navigation] == []
