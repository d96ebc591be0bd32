from __future__ import annotations

import pytest
from helpers.pages import snapshot

import vclean
from vclean.classify.methods.template import Templates, parse, read
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

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("div.post", "not the name"),
            ("=value", "not the name"),
            ("-", "not the name"),
            ("title=both ' and \"", "one kind of quotes"),
            ("data-id=3", "do not store the attribute data-id"),
            ("css:[data-id]", "do not store the attribute data-id"),
            ("xpath://p[@onload='']", "do not store the attribute onload"),
            ("css:p >", "Expected selector"),
            ("css:p::first-line", "[Pp]seudo-element"),
            ("xpath://p[", "expression|predicate"),
        ],
    )
    def test_error_names_the_line(self, line, reason):
        with pytest.raises(InputError, match=rf"(?s)^the template, line 3: .*({reason})") as caught:
            parse(f"article\n\n{line}")
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("template", ["", "\n \n", "# nothing"])
    def test_no_selector(self, template):
        with pytest.raises(InputError, match="the template has no selector"):
            parse(template)

    @pytest.mark.parametrize("expression", ["count(//p)", "//p/text()", "//article/@class", "string(//p)", "//p[$x]"])
    def test_expression_without_elements_fails_on_use(self, expression):
        with pytest.raises(InputError, match=r"^the template, line 1: "):
            parse(f"xpath:{expression}")(BLOCKS)


class TestRead:
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("", "--template FILE"),
            ("none", r"cannot read the template .*none: No such file"),
            ("t.txt", "it is not in UTF-8"),
        ],
    )
    def test_wrong_file(self, tmp_path, name, message):
        (tmp_path / "t.txt").write_bytes(b"\xff\xfe\xff")
        with pytest.raises((InputError, UsageError), match=message):
            read(tmp_path / name if name else None)


CATS_PAGE = "<nav>Menu</nav><article><h1>Cats</h1><p>Cats sleep.</p></article>"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "templates"
    path.mkdir()
    (path / "example.org.txt").write_text("article\n")
    (path / "News.Example.org.txt").write_text("nav\n")
    (path / "notes.md").write_text("no template")
    return path


class TestForUrl:
    @pytest.mark.parametrize(
        ("url", "host"),
        [
            ("https://example.org/a", "example.org"),
            ("http://www.example.org:8080/", "example.org"),
            ("http://EXAMPLE.org./", "example.org"),
            ("http://news.example.org/", "news.example.org"),
            ("http://a.news.example.org/", "news.example.org"),
            ("http://badexample.org/", None),
            ("http://org/", None),
            ("page.html", None),
            ("http://[broken/", None),
        ],
    )
    def test_uses_the_nearest_domain_with_a_template(self, folder, url, host):
        templates = Templates(folder)
        assert templates.for_url(url) is templates._by_host.get(host)


class TestFromFolder:
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("templates", r"other\.org\.txt, line 2: 'no name'"),
            ("none", "cannot read the folder of templates"),
            ("", r"no template in .*example\.org\.txt"),
        ],
    )
    def test_wrong_folder(self, folder, name, message):
        (folder / "other.org.txt").write_text("article\nno name")
        with pytest.raises(InputError, match=message):
            Templates(folder.parent / name)


class TestCleaner:
    def test_template_applies_to_its_site_only(self, folder):
        with vclean.Cleaner(method="text", templates=folder) as cleaner:
            same_site = cleaner.clean(CATS_PAGE, url="http://www.example.org/")
            other_site = cleaner.clean(CATS_PAGE, url="http://www.other.org/")
        assert (same_site.method, same_site.to_text()) == ("template", "Cats\n\nCats sleep.\n")
        assert (other_site.method, other_site.to_text()) == ("text", "Menu\n\nCats\n\nCats sleep.\n")

    @pytest.mark.parametrize(
        ("hidden", "text"),
        [("drop", "Cats\n\nMore\n"), ("revealable", "Cats\n\nMore\n\nPanel\n"), ("keep", "Cats\n\nMore\n\nPanel\n")],
    )
    def test_hidden_text_follows_the_policy(self, folder, hidden, text):
        page = "<article><p>Cats<details><summary>More</summary><p>Panel</details><p hidden>Never</article>"
        with vclean.Cleaner(method="text", templates=folder, policy=vclean.Policy(hidden=hidden)) as cleaner:
            assert cleaner.clean(page, url="http://example.org/").to_text() == text
