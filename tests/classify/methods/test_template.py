from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.classify.methods import get
from vclean.classify.methods.template import parse, read
from vclean.errors import InputError, UsageError
from vclean.features.blocks import extract_blocks

PAGE = """<nav>Menu</nav><article class="post body" itemprop="articleBody"><h1>Cats</h1><p>Cats sleep.</p>
<div class=ads>Buy <b>now</b></div></article><aside id="it's">Note</aside><p hidden>Secret</p><footer>End</footer>"""
BLOCKS = extract_blocks(snapshot(PAGE))


def content(template, blocks=BLOCKS):
    labels = parse(template)(blocks).labels
    return [text for text, label in zip(blocks.text, labels, strict=True) if label.is_content]


class TestParse:
    @pytest.mark.parametrize(
        ("template", "expected"),
        [
            ("nav", ["Menu"]),
            ("NAV\nfooter", ["Menu", "End"]),
            ("itemprop=", ["Cats", "Cats sleep.", "Buy now"]),
            ("class=post body", ["Cats", "Cats sleep.", "Buy now"]),
            ("class=body", []),
            ("id=it's", ["Note"]),
            ("p", ["Cats sleep."]),
            ("article\np", ["Cats", "Cats sleep.", "Buy now"]),
            ("css: article.body > p, footer", ["Cats sleep.", "End"]),
            ("css:[itemprop='articleBody'] h1", ["Cats"]),
            ("xpath: //article/*[not(@class)]", ["Cats", "Cats sleep."]),
            ("article\n-class=ads", ["Cats", "Cats sleep."]),
            ("article\n- css:.ads\nb", ["Cats", "Cats sleep."]),
            ("article\n-article", []),
            ("-article\narticle", ["Cats", "Cats sleep.", "Buy now"]),
            ("# the menu\n\n  nav  \n", ["Menu"]),
            ("body", ["Menu", "Cats", "Cats sleep.", "Buy now", "Note", "End"]),
        ],
    )
    def test_selected_elements_are_content(self, template, expected):
        assert content(template) == expected

    def test_labels_are_those_of_the_markup(self):
        assert "".join(parse("article")(BLOCKS).labels) == "ohppooo"

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("div.post", "not the name"),
            ("two words", "not the name"),
            ("=value", "not the name"),
            ("-", "not the name"),
            ("title=both ' and \"", "one kind of quotes"),
            ("data-id=3", "do not store the attribute data-id"),
            ("css:[data-id]", "do not store the attribute data-id"),
            ("xpath://p[@onload='']", "do not store the attribute onload"),
            ("css:p >", "Expected selector"),
            ("css:p::first-line", "[Pp]seudo-element"),
            ("css:", "Expected selector"),
            ("xpath://p[", "expression|predicate"),
            ("xpath:", "expression"),
        ],
    )
    def test_error_names_the_line(self, line, reason):
        with pytest.raises(InputError, match=rf"(?s)^the template, line 3: .*({reason})") as caught:
            parse(f"article\n\n{line}")
        assert "\n" not in str(caught.value)

    def test_ignores_attribute_names_in_strings(self):
        assert content("xpath://p[. != '@onclick' and 1]") == ["Cats sleep."]

    @pytest.mark.parametrize("template", ["", "\n \n", "# nothing"])
    def test_no_selector(self, template):
        with pytest.raises(InputError, match="the template has no selector"):
            parse(template)

    @pytest.mark.parametrize("expression", ["count(//p)", "//p/text()", "//article/@class", "string(//p)", "//p[$x]"])
    def test_expression_without_elements_fails_on_use(self, expression):
        with pytest.raises(InputError, match=r"^the template, line 1: "):
            parse(f"xpath:{expression}")(BLOCKS)


class TestRead:
    def test_reads_a_file(self, tmp_path):
        path = tmp_path / "t.txt"
        path.write_text("\ufeffarticle\n", encoding="utf-8")
        assert "".join(get("template", path)(BLOCKS).labels) == "ohppooo"

    def test_no_file_given(self):
        with pytest.raises(UsageError, match="--template FILE"):
            read(None)

    def test_missing_file(self, tmp_path):
        with pytest.raises(InputError, match=r"cannot read the template .*none: No such file"):
            read(tmp_path / "none")

    def test_file_with_another_encoding(self, tmp_path):
        path = tmp_path / "t.txt"
        path.write_bytes(b"\xff\xfe\xff")
        with pytest.raises(InputError, match="it is not in UTF-8"):
            read(path)

    def test_errors_name_the_file(self, tmp_path):
        path = tmp_path / "t.txt"
        path.write_text("p q")
        with pytest.raises(InputError, match=r"t\.txt, line 1: 'p q': "):
            read(path)
