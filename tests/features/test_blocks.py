from __future__ import annotations

import numpy as np
import pytest
from helpers.formulas import DRAWN, MATH, TEX
from helpers.pages import decided, laid_out, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.blocks import block_names, extract_blocks, find_block_level, match_blocks, text_hash

MARKUP = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<b>", "</b>", "<br>", "<div>", "</div>", "<ul><li>", "</ul>", "<td>", "<pre>", "</pre>",
         "<p hidden>", "<script>x</script>", "<select><option>o", "</select>", "<!-- c -->", "a", "b ", " c",
         "\n", "&nbsp;"]
    ),
    max_size=25,
).map(lambda pieces: "<body>" + "".join(pieces))  # fmt: skip


def texts(html):
    return extract_blocks(snapshot(html)).text


class TestBlockBoundaries:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p>One</p><p>Two</p>", ["One", "Two"]),
            ("<p>One <b>and</b> <i>the same</i></p>", ["One and the same"]),
            ("<div>Before<p>Inside</p>After</div>", ["Before", "Inside", "After"]),
            ("<p>$\\begingroup$</p><p>One</p><p>$\\endgroup$</p>", ["One"]),
            ("<h2>One<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>", ["One"]),
            ("<h2>One<a href=#one>¶</a></h2><p>In <a href=/>§</a> 2<sup><a href=#n>¶</a></sup>", ["One", "In § 2¶"]),
            ("<div>Before<div></div>After</div>", ["Before", "After"]),
            ("<a>One<div>Two</div>Three</a>", ["One", "Two", "Three"]),
            ("<ul><li>One<li>Two<ul><li>Three</ul></ul>", ["One", "Two", "Three"]),
            ("<table><tr><td>1<td>2<tr><th>3</table>", ["1", "2", "3"]),
            ("<dl><dt>Term<dd>Meaning</dl>", ["Term", "Meaning"]),
            ("One<hr>Two", ["One", "Two"]),
            ("<p>Choose <select><option>Red<option>Blue</select> now</p>", ["Choose", "Red", "Blue", "now"]),
            ("<p>Press <button>here</button> now</p>", ["Press here now"]),
            ("<p>One<i style='display:block'>Two</i>Three</p>", ["One", "Two", "Three"]),
            ("<div>One<div style='display:inline'>Two</div></div>", ["One", "Two"]),  # as without style sheets
            *((f"<div>One{tag}Two</div>", ["One", "Two"]) for tag in ("<iframe></iframe>", "<object>no</object>",
                                                                      "<video>no</video>")),
            *((f"<div>One {tag} two</div>", ["One two"]) for tag in ("<img src=x>", "<svg><text>no</text></svg>",
                                                                     "<input>", "<script>no()</script>")),
        ],
    )  # fmt: skip
    def test_elements_of_block_level(self, html, expected):
        assert texts(html) == expected

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("One<br><br>Two", ["One", "Two"]),
            ("One<br>\n<br>\nTwo", ["One", "Two"]),
            ("One<br><b><br>Two</b>", ["One", "Two"]),
            ("One<br>two<br>three<br><br><br>Four", ["One two three", "Four"]),
        ],
    )
    def test_two_line_breaks_end_a_block(self, html, expected):
        assert texts(f"<p>{html}</p>") == expected

    @pytest.mark.parametrize(
        ("html", "expected", "visibility"),
        [
            ("<p><i hidden>one</i> two <i hidden>three</i></p>", ["one", "two", "three"], [2, 0, 2]),
            ("<p>One <i hidden>two</i> and th<b hidden>X</b>ree</p><p>six</p>", ["One and three", "two", "X", "six"],
             [0, 2, 2, 0]),  # does not divide the text around it,
            ("<div>One <i hidden>two</i><p>three</p> four</div>", ["One", "two", "three", "four"], [0, 2, 0, 0]),
            ("<div>One <br><br> two <i hidden>three</i><br><br>four</div>", ["One", "two", "three", "four"],
             [0, 0, 2, 0]),  # which a block or two line breaks after it divide
            ("<pre>a\n  <b hidden>x</b>b\n<i>c</i></pre>", ["a\n  b\nc", "x"], [0, 2]),
            ("<p>One <button aria-controls=x>more</button> two <span id=x hidden>three</span> four</p>",
             ["One more two", "three", "four"], [0, 1, 0]),  # a text that can be opened divides
        ],
    )  # fmt: skip
    def test_hidden_text(self, html, expected, visibility):
        blocks = extract_blocks(snapshot(html))
        assert blocks.text == expected
        assert blocks.visibility.tolist() == visibility

    def test_members_are_the_texts_of_each_block(self):
        blocks = extract_blocks(snapshot("<p>One <i hidden>two</i> or <i hidden>four</i> <b>five</b></p><p>six</p>"))
        assert [blocks.snapshot.texts[text].strip() for text in blocks.members[blocks.first].tolist()] == [
            "One", "two", "four", "six",
        ]  # fmt: skip
        assert blocks.text_nodes.tolist() == sorted(blocks.members.tolist())

    def test_the_box_of_a_divided_paragraph_has_all_its_lines(self):
        page = decided(laid_out("<p>One <span>two</span> three</p>", styles={"span": {"color": "rgb(255, 255, 255)"}}))
        blocks = extract_blocks(page)
        assert blocks.text == ["One three", "two"]
        lines = page.line_box[blocks.line_block == 0]
        assert blocks.box[0, 2] == (lines[:, 0] + lines[:, 2]).max() - lines[:, 0].min()

    @pytest.mark.parametrize(
        ("displays", "expected"),
        [
            (("block", "flex", "grid", "table-cell", "list-item", "flow-root"), ["One", "Two"]),
            (("inline", "inline-block", "inline-flex", "contents", "ruby"), ["One Two"]),
        ],
    )
    def test_computed_display(self, displays, expected):
        for display in displays:
            page = laid_out("<p>One <span>Two</span></p>", styles={"span": {"display": display}})
            assert extract_blocks(page).text == expected, display


class TestRuby:
    @pytest.mark.parametrize(
        ("html", "without", "read"),
        [
            ("日<ruby>子<rt>こ</rt></ruby>ども", "日子ども", "日子こども"),
            ("<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby><ruby>体<rt>tai</rt></ruby>", "漢字体", "漢kan字ji体tai"),
            ("a <ruby>漢<rt>kan</rt></ruby> b", "a 漢 b", "a 漢kan b"),
        ],
    )
    def test_readings(self, html, without, read):
        assert texts(f"<p>{html}</p>") == [without]
        assert extract_blocks(snapshot(f"<p>{html}</p>"), ruby=True).text == [read]


class TestText:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("  One \n\t two  ", "One two"),
            ("One&nbsp;&nbsp;two", "One two"),
            ("W<b>or</b>d", "Word"),
            ("<b>Price</b><i>$10</i>", "Price $10"),
            ("<b>Price </b><i>$10</i>", "Price $10"),
            ("<b>Price</b>: <i>$10</i>", "Price: $10"),
            ("<b>Rain</b><i>, hail (</i><b>snow</b><i>)</i>", "Rain, hail (snow)"),
            ("<code><b>a</b><i>.b</i></code> <b>$</b><i>10</i>", "a.b $10"),
            ("<code>a</code><code>b</code>", "a b"),
            ("<b>a<i>b</i></b>c", "abc"),
            ("One<br>two", "One two"),
            ("wo<wbr>rd", "word"),
            ("One<!-- comment -->two", "Onetwo"),
        ],
    )
    def test_white_space(self, html, expected):
        assert texts(f"<p>{html}</p>") == [expected]

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<pre>if a:\n    b\n\n    c  d\n</pre>", "if a:\n    b\n\n    c  d"),
            ("<pre><b>def</b> f():\n  <i>return</i>\n\n  <i>1</i></pre>", "def f():\n  return\n\n  1"),
        ],
    )
    def test_preformatted_text_keeps_its_lines(self, html, expected):
        assert texts(html) == [expected]

    @pytest.mark.parametrize(("tag", "white_space"), [("p", "pre-wrap"), ("pre", "normal")])
    def test_lines_are_kept_by_tag_and_style_together(self, tag, white_space):
        """Check that `pre-wrap` alone has no effect: it is common on ordinary text with line feeds."""
        page = laid_out(f"<{tag}>One\n two", styles={tag: {"white-space": white_space}})
        assert extract_blocks(page).text == ["One two"]


class TestRepr:
    def test_is_one_line_without_arrays(self):
        assert (
            repr(extract_blocks(snapshot("<p>a<p>b"))) == "<BlockColumns 'https://example.org/dir/page.html': 2 blocks>"
        )


class TestColumns:
    @given(MARKUP)
    def test_every_word_is_in_one_block_in_order(self, html):
        """Check that blocks are numbered without gaps in document order, each in its container."""
        page = snapshot(html)
        blocks = extract_blocks(page)
        member_text = "".join("".join(page.texts[text].split()) for text in blocks.members)
        assert "".join("".join(text.split()) for text in blocks.text) == member_text
        assert all(text.strip() == text != "" for text in blocks.text)
        owner = blocks.text_block[blocks.members]
        assert np.unique(owner).tolist() == list(range(len(blocks)))
        assert (np.diff(owner) >= 0).all()
        assert (np.diff(blocks.first) > 0).all()
        parent, node = page.text_parent[blocks.members], blocks.node[owner]
        assert ((node <= parent) & (parent < page.end[node])).all()
        assert find_block_level(page)[[0, *blocks.node.tolist()]].all()

    @given(MARKUP)
    def test_same_blocks_with_and_without_rendering(self, html):
        assert extract_blocks(laid_out(html)).text == texts(html)


class TestBlocksWithFormulas:
    @pytest.mark.parametrize("formula", DRAWN.values(), ids=DRAWN)
    def test_drawn_formula_does_not_separate_text(self, formula: str) -> None:
        assert texts(f"<p>as {formula} says<p>next") == [f"as {TEX} says", "next"]

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            (f"<p>as ({MATH}) says<p>next", ["as (E = mc^2) says", "next"]),
            (f"<p>so<p>{MATH}</p><p>next", ["so E = mc^2", "next"]),
            (f"<h2>Energy</h2><p>{MATH}</p><p>next", ["Energy", "E = mc^2 next"]),  # not in the heading
            (f"<nav>menu</nav><div><p>{MATH}</p><p>next</div>", ["menu", "E = mc^2 next"]),
            (f"<h2>Two</h2><p>{MATH}</p><p><math><mi>b</mi></math></p><p>next", ["Two", "E = mc^2 b next"]),
            (f"<p>so<p hidden>{MATH}</p><p>next", ["so", "next"]),
        ],
    )
    def test_formula_joins_the_nearest_block(self, html: str, expected: list[str]) -> None:
        assert texts(html) == expected


class TestWithoutFormulas:
    def test_is_the_same_object_without_formulas(self) -> None:
        blocks = extract_blocks(snapshot("<p>a"))
        assert blocks.without_formulas is blocks


class TestTextHash:
    def test_accepts_lone_surrogates(self):
        """Accept half of a surrogate pair, which JavaScript strings may contain."""
        assert len(text_hash("\ud83d")) == 16


class TestBlockNames:
    def test_numbers_equal_blocks(self):
        names = block_names(["/p[1]", "/p[1]", "/p[2]"], ["Yes.", "Yes.", "Yes."])
        assert len(set(names)) == 3
        assert [name.split(" ", 1)[1] for name in names] == ["1 /p[1]", "2 /p[1]", "1 /p[2]"]


class TestMatchBlocks:
    def names(self, *blocks):
        return block_names([xpath for xpath, _ in blocks], [text for _, text in blocks])

    def test_unmoved_blocks_match_by_location_and_text(self):
        old = self.names(("/p[1]", "One."), ("/p[2]", "Two."))
        assert match_blocks(old, old) == dict(zip(old, old, strict=True))

    def test_changed_text_does_not_match(self):
        assert match_blocks(self.names(("/p[1]", "One.")), self.names(("/p[1]", "Uno."))) == {}
