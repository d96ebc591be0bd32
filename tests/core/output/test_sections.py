from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.forum import cleaned, thread
from helpers.pages import laid_out, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.prediction import Headline
from vclean.features.blocks import extract_blocks
from vclean.labels import Label
from vclean.output.sections import complete_sections, heading_levels, post_heading
from vclean.render.snapshot import HEADING_TAGS


def found(page, headings="", headline=None) -> list[int]:
    """Return the levels of the blocks of a page; `headings` has an `h` for every heading, by default for all."""
    blocks = extract_blocks(page)
    marked = headings or "h" * len(blocks)
    return heading_levels(blocks, np.array([letter == "h" for letter in marked], dtype=bool), headline).tolist()


def sized(sizes):
    """Return styles by tag from sizes in px."""
    return {tag: {"font-size": f"{size}px"} for tag, size in sizes.items()}


class TestHeadingLevels:
    @pytest.mark.parametrize(("block", "levels"), [(0, [1, 2, 3]), (2, [2, 1, 3]), (None, [2, 2, 3]), (3, [2, 1, 3])])
    def test_one_title_is_at_level_1(self, block, levels):
        headline = Headline("A", block, "model")
        assert found(snapshot("<div>A</div><h1>B</h1><h3>C</h3><p>D</p>"), "hhhp", headline)[:3] == levels

    @pytest.mark.parametrize(
        ("html", "sizes", "levels"),
        [
            # Without sizes, headings without a tag are below the last one with a tag.
            ("<p>A</p><p>B</p>", {}, [2, 2]),
            ("<h3>A</h3><p>B", {}, [3, 4]),
            # Without tags the level is the rank of the size.
            ("<div>A</div><p>B</p><div>C</div><dl>D</dl>", {"div": 30, "p": 20, "dl": 12}, [1, 2, 2, 3]),
            ("<h6>A</h6><p>B", {"h6": 20, "p": 16}, [6, 6]),
            # Between the sizes of tags, it is the highest of the tagged headings that are not larger.
            ("<h1>A</h1><h3>B</h3><div>C</div>", {"h1": 32, "h3": 20, "div": 26}, [1, 3, 3]),
            ("<h2>A</h2><h3>B</h3><div>C</div>", {"h2": 32, "h3": 20, "div": 50}, [2, 3, 2]),
            # Tags that contradict sizes are ignored: an h4 is larger than the h2s.
            ("<h4>A</h4><h2>B</h2><p>C</p>", {"h4": 32, "h2": 20, "p": 16}, [1, 2, 3]),
        ],
    )
    def test_levels(self, html, sizes, levels):
        assert found(laid_out(html, styles=sized(sizes)) if sizes else snapshot(html)) == levels

    def test_tags_of_other_blocks_do_not_count(self):
        assert found(snapshot("<h4>A</h4><p>B"), "ph") == [4, 2]

    @given(st.lists(st.tuples(st.sampled_from((*HEADING_TAGS, "p", "div")), st.booleans()), min_size=1, max_size=9))
    def test_levels_are_levels(self, parts):
        html = "".join(f"<{tag}>word</{tag}>" for tag, _ in parts)
        marked = "".join("h" if is_heading else "p" for _, is_heading in parts)
        styles = sized({"h1": 9, "h3": 30}) | {"div": {"font-size": "20px", "font-weight": "700"}}
        for page in (snapshot(html), laid_out(html, styles=styles)):
            assert set(found(page, marked)) <= set(range(1, 7))


TEXT = "The river rose in the night, and in the morning the road to the mill was closed for all but the miller."


class TestCompleteSections:
    @pytest.mark.parametrize(
        ("html", "probability", "kept"),
        [
            ("<p>{t}</p><h2>Flood</h2><p>{t}</p>", 0.4, True),
            ("<p>{t}</p><h2>Flood</h2><p>{t}</p>", 0.2, False),
            ("<p>{t}</p><h2><a href=/x>Flood</a></h2><p>{t}</p>", 0.4, False),
            ("<p>{t}</p><div><p>{t}</p></div><div><h2>More</h2></div>", 0.4, False),
            ("<p>{t}</p><aside><h2>Flood</h2></aside><p>{t}</p>", 0.4, False),
            ("<p>{t}</p><div><pre>x = 1</pre></div><p>{t}</p>", 0.2, True),
            ("<p>{t}</p><pre>x = 1</pre>", 0.2, False),
            ("<p>{t}</p><blockquote>Stay at home.</blockquote><p>{t}</p>", 0.2, True),
            ("<p>{t}</p><blockquote>Stay at home.</blockquote><p>{t}</p>", 0.05, False),
            ("<p>{t}</p><blockquote><a href=/x>Stay at home</a></blockquote><p>{t}</p>", 0.2, False),
            ("<p>{t}</p><dl><dt>Stay<dd>At home.</dl><p>{t}</p>", 0.2, True),
            ("<p>{t}</p><p>Stay at home.</p><p>{t}</p>", 0.4, False),
        ],
    )
    def test_of_what_is_left_out(self, html: str, probability: float, kept: bool) -> None:
        """Keep the long texts, and give the other block the probability."""
        blocks = extract_blocks(snapshot(html.format(t=TEXT)))
        is_text = np.array([text == TEXT for text in blocks.text])
        labels = [Label.PARAGRAPH if flag else Label.OTHER for flag in is_text.tolist()]
        completed = complete_sections(blocks, labels, np.where(is_text, 0.9, probability).astype(np.float32))
        assert all(label.is_content for label in completed) == kept

    def test_without_probabilities_nothing_changes(self) -> None:
        blocks = extract_blocks(snapshot(f"<p>{TEXT}</p><pre>x</pre><p>{TEXT}</p>"))
        labels = [Label.PARAGRAPH, Label.OTHER, Label.PARAGRAPH]
        assert complete_sections(blocks, labels, np.full(3, np.nan, dtype=np.float32)) == labels


class TestPostHeadings:
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
        headline = Headline("Rain in the valleys", row, "rule")
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
