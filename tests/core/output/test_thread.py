"""Headings of posts in Markdown, and posts and items in JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.forum import cleaned, thread

from vclean.classify.prediction import Headline, HeadlineSource
from vclean.output.sections import post_heading


class TestMarkdown:
    def test_every_post_has_a_heading(self):
        lines = cleaned(thread()).to_markdown().splitlines()
        assert lines[0] == "# Rain in the valleys"
        assert lines[2] == "## Ada · 10 March 2024, 10:20"
        assert lines[4].startswith("Post number 0 says")
        assert sum(line.startswith("## ") for line in lines) == 4

    def test_headline_inside_the_first_post_comes_before_its_heading(self):
        title = "<h1>Rain in the valleys</h1>"
        page = cleaned(thread().replace(title, "").replace('<div class="body">', f'<div class="body">{title}', 1))
        (row,) = (block.index for block in page.blocks if block.text == "Rain in the valleys")
        headline = Headline("Rain in the valleys", row, HeadlineSource.RULE)
        page = replace(page, prediction=replace(page.prediction, headline=headline))
        assert row in page.posts[0].blocks
        assert page.to_markdown().startswith("# Rain in the valleys\n\n## Ada")

    def test_author_is_not_written_twice(self):
        html = thread().replace("username", 'username" style="display:block')
        assert cleaned(html, content=("p", "li", "a")).to_markdown().count("Ada") == 1

    def test_heading_with_number_and_date_is_not_written_twice(self):
        html = (
            thread()
            .replace('<span class="when">', '<h3><i>#1</i> <span class="when">')
            .replace("</span></div>", "</span></h3></div>")
        )
        text = cleaned(html).to_markdown()
        assert text.count("10 March 2024") == text.count("12 March 2024") == 1
        assert "#1" not in text

    @pytest.mark.parametrize(
        "begin", ["<table><tr><td><pre>1</pre><td><pre>sudo ls</pre></table>", "<blockquote><p>Why?</p></blockquote>"]
    )
    def test_heading_is_before_code_and_quotes(self, begin):
        html = thread().replace('<div class="body">', f'<div class="body">{begin}', 1)
        lines = cleaned(html, content=("p", "pre")).to_markdown().splitlines()
        assert lines[2] == "## Ada · 10 March 2024, 10:20"
        assert lines[4] in ("```", "> Why?")

    def test_markup_in_names_is_escaped(self):
        assert "## \\*Ada\\* ·" in cleaned(thread(author="*Ada*")).to_markdown()


def test_heading_of_unknown_author_and_date():
    first = cleaned(thread()).posts[0]
    assert post_heading(replace(first, author="", date_text=""), 0) == "#1"


def test_json_posts():
    record = json.loads(cleaned(thread()).to_json())
    first = record["posts"][0]
    assert {name: first[name] for name in ("author", "date", "depth", "box")} == {
        "author": "Ada", "date": "2024-03-10T10:20:00", "depth": 0, "box": None,
    }  # fmt: skip
