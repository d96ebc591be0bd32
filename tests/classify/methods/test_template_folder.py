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
    def test_the_nearest_domain_that_has_one(self, folder, url, source):
        found = Templates.of(folder).for_url(url)
        assert (found and found.run.source.rpartition("/")[2]) == source


class TestOf:
    def test_a_wrong_template_is_found_at_once(self, folder):
        (folder / "other.org.txt").write_text("article\nno name")
        with pytest.raises(InputError, match=r"other\.org\.txt, line 2: 'no name'"):
            Templates.of(folder)

    def test_no_folder(self, tmp_path):
        with pytest.raises(InputError, match="cannot read the folder of templates"):
            Templates.of(tmp_path / "none")

    def test_no_template(self, tmp_path):
        with pytest.raises(InputError, match=r"no template in .*example\.org\.txt"):
            Templates.of(tmp_path)


class TestCleaner:
    def test_a_template_decides_on_its_site_alone(self, folder):
        with vclean.Cleaner(method="text", templates=folder) as cleaner:
            here = cleaner.clean(PAGE, url="http://www.example.org/")
            there = cleaner.clean(PAGE, url="http://www.other.org/")
        assert (here.method, here.to_text()) == ("template", "Cats\n\nCats sleep.\n")
        assert (there.method, there.to_text()) == ("text", "Menu\n\nCats\n\nCats sleep.\n")

    def test_one_template_for_all_pages(self, folder):
        result = vclean.clean(PAGE, method="template", model=folder / "example.org.txt")
        assert result.to_cleaneval() == "<h>Cats\n<p>Cats sleep.\n"


class TestCommand:
    @pytest.fixture
    def page(self, tmp_path):
        path = tmp_path / "page.html"
        path.write_text(PAGE)
        return str(path)

    def test_template(self, page, folder, capsys):
        assert main([page, "--template", str(folder / "News.Example.org.txt")]) == 0
        assert capsys.readouterr().out == "<p>Menu\n"

    def test_templates(self, page, folder, capsys):
        assert main([page, "--method", "text", "--templates", str(folder), "--url", "http://example.org/"]) == 0
        assert capsys.readouterr().out == "<h>Cats\n<p>Cats sleep.\n"

    @pytest.mark.parametrize("extra", [["--method", "bte"], ["--model", "m"]])
    def test_a_template_is_a_method_of_its_own(self, page, folder, extra, capsys):
        assert main([page, "--template", str(folder / "example.org.txt"), *extra]) == 2
        assert "it is a method of its own" in capsys.readouterr().err
