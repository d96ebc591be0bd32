from __future__ import annotations

import json

import vclean
from vclean.metadata import Metadata
from vclean.output.reports import front_matter

PAGE = '<html lang=en><title>Rain</title><meta name=author content="Ann Lee"><h1>Rain</h1><p>By Ann Lee</p><p>x.'


class TestFrontMatter:
    def test_has_a_line_for_each_value(self) -> None:
        metadata = Metadata(url="https://example.org/", title="Rain: x", authors=("Ann", "Bo"), published="2024")
        assert front_matter(metadata) == (
            '---\nurl: "https://example.org/"\ntitle: "Rain: x"\nauthors: ["Ann", "Bo"]\npublished: "2024"\n---\n'
        )

    def test_quotes_values(self) -> None:
        title = '--- "a"\nb\x85\u2028\ufeffé'
        line = front_matter(Metadata(url="", title=title)).splitlines()[1]
        assert json.loads(line.removeprefix("title: ")) == title
        assert "\u2028" not in line
        assert "é" in line


class TestWriteFrontMatter:
    def test_comes_before_the_text(self) -> None:
        result = vclean.clean(PAGE)
        head, _, text = result.to_markdown(front_matter=True).partition("---\n\n")
        assert 'title: "Rain"' in head
        assert text == result.to_markdown()

    def test_of_an_empty_page(self) -> None:
        assert vclean.clean("<br>", method="text").to_markdown(front_matter=True) == "---\n---\n"
