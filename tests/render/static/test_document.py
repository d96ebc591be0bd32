from __future__ import annotations

import pytest
from helpers.pages import snapshot


def outline(html: str) -> str:
    """Return the elements of the body with their nesting."""
    page = snapshot(f"<body>{html}")
    depth = page.depth.tolist()
    tags = [page.tags[tag] for tag in page.tag.tolist()]
    return " ".join(f"{depth[row] - 2}{tags[row]}" for row in range(2, len(page)))


class TestInsertTableBodies:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<table><tr><td>a<tr><td>b</table>", "0table 1tbody 2tr 3td 2tr 3td"),
            ("<table><tbody><tr><td>a</table>", "0table 1tbody 2tr 3td"),
            ("<table><thead><tr><th>a</thead><tr><td>b</table>", "0table 1thead 2tr 3th 1tbody 2tr 3td"),
            ("<table><caption>a</caption><tr><td>b</table>", "0table 1caption 1tbody 2tr 3td"),
            ("<table><tr><td><table><tr><td>b</table></table>", "0table 1tbody 2tr 3td 4table 5tbody 6tr 7td"),
            ("<table><tr><td>a</tr><script>1</script><tr><td>b</table>", "0table 1tbody 2tr 3td 2tr 3td"),
        ],
        ids=["rows", "explicit body", "after a head", "after a caption", "nested", "script between rows"],
    )
    def test_rows_get_a_body(self, html: str, expected: str) -> None:
        assert outline(html) == expected


class TestAddLateHtmlAttributes:
    @pytest.mark.parametrize("before", ["<meta charset=utf-8>", "<script>1</script>", "<html><p>a"])
    def test_of_a_tag_after_other_content(self, before: str) -> None:
        page = snapshot(f'{before}<html lang="DE" class="a > b"><body><p>b')
        assert page.attributes("class") == {0: "a > b"}
        assert page.language == "de"
