from __future__ import annotations

import pytest

import vclean
from vclean.classify.methods.template import Templates
from vclean.cli.main import main
from vclean.errors import InputError

PAGE = "<nav>Menu</nav><article><h1>Cats</h1><p>Cats sleep.</p></article>"


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
        ("url", "source"),
        [
            ("https://example.org/a", "example.org.txt"),
            ("http://www.example.org:8080/", "example.org.txt"),
            ("http://EXAMPLE.org./", "example.org.txt"),
            ("http://news.example.org/", "News.Example.org.txt"),
            ("http://a.news.example.org/", "News.Example.org.txt"),
            ("http://badexample.org/", None),
            ("http://org/", None),
            ("page.html", None),
            ("http://[broken/", None),
            ("", None),
        ],
    )
    def test_uses_the_nearest_domain_with_a_template(self, folder, url, source):
        template = Templates.from_folder(folder).for_url(url)
        assert (template and template.method.source.rpartition("/")[2]) == source


class TestOf:
    def test_wrong_template_fails_when_the_folder_is_read(self, folder):
        (folder / "other.org.txt").write_text("article\nno name")
        with pytest.raises(InputError, match=r"other\.org\.txt, line 2: 'no name'"):
            Templates.from_folder(folder)

    def test_missing_folder(self, tmp_path):
        with pytest.raises(InputError, match="cannot read the folder of templates"):
            Templates.from_folder(tmp_path / "none")

    def test_folder_without_templates(self, tmp_path):
        with pytest.raises(InputError, match=r"no template in .*example\.org\.txt"):
            Templates.from_folder(tmp_path)


class TestCleaner:
    def test_template_applies_to_its_site_only(self, folder):
        with vclean.Cleaner(method="text", templates=folder) as cleaner:
            same_site = cleaner.clean(PAGE, url="http://www.example.org/")
            other_site = cleaner.clean(PAGE, url="http://www.other.org/")
        assert (same_site.method, same_site.to_text()) == ("template", "Cats\n\nCats sleep.\n")
        assert (other_site.method, other_site.to_text()) == ("text", "Menu\n\nCats\n\nCats sleep.\n")

    def test_one_template_for_all_pages(self, folder):
        result = vclean.clean(PAGE, method="template", model=folder / "example.org.txt")
        assert result.to_cleaneval() == "<h>Cats\n<p>Cats sleep.\n"

    @pytest.mark.parametrize(
        ("hidden", "text"),
        [("drop", "Cats\n\nMore\n"), ("revealable", "Cats\n\nMore\n\nPanel\n"), ("keep", "Cats\n\nMore\n\nPanel\n")],
    )
    def test_hidden_text_follows_the_policy(self, folder, hidden, text):
        page = "<article><p>Cats<details><summary>More</summary><p>Panel</details><p hidden>Never</article>"
        with vclean.Cleaner(method="text", templates=folder, policy=vclean.Policy(hidden=hidden)) as cleaner:
            assert cleaner.clean(page, url="http://example.org/").to_text() == text


class TestCommand:
    @pytest.fixture
    def page(self, tmp_path):
        path = tmp_path / "page.html"
        path.write_text(PAGE)
        return str(path)

    def test_template_option(self, page, folder, capsys):
        assert main([page, "--template", str(folder / "News.Example.org.txt")]) == 0
        assert capsys.readouterr().out == "Menu\n"

    def test_templates_option(self, page, folder, capsys):
        assert main([page, "--method", "text", "--templates", str(folder), "--url", "http://example.org/"]) == 0
        assert capsys.readouterr().out == "# Cats\n\nCats sleep.\n"

    @pytest.mark.parametrize("extra", [["--method", "bte"], ["--model", "m"]])
    def test_template_and_method_are_exclusive(self, page, folder, extra, capsys):
        assert main([page, "--template", str(folder / "example.org.txt"), *extra]) == 2
        assert "not allowed with --method or --model" in capsys.readouterr().err
