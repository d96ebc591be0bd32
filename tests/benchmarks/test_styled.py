from __future__ import annotations

import gzip
import importlib
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from helpers.benchmarks import imported_benchmark
from PIL import Image
from resiliparse.parse.html import HTMLTree

from vclean.errors import InputError, UsageError
from vclean.render.archive.pages import Archive

TOML = """
[[source]]
package = "handbook==1.0"
pages = ["html/**/*.html"]
generator = "derived"
count = 2

[generator.base]
Content = ["div.body"]
Sidebar = ["div.side"]

[generator.derived]
like = "base"
Title = ["div.body > h1"]
Sidebar = ["aside"]
Image = ["img"]
"""
PAGE = """<!DOCTYPE html><html><head><link rel="stylesheet" href="../look.css?v=1"></head>
<body><div class="body"><h1>{title}</h1><p>{text}</p><img src="large.png"><img src="small.png"></div>
<aside>See also</aside></body></html>"""


@pytest.fixture(scope="module")
def modules() -> Iterator[tuple[ModuleType, ModuleType]]:
    with imported_benchmark("styled") as module:
        yield module, importlib.import_module("styled_sites")


@pytest.fixture(scope="module")
def styled(modules) -> ModuleType:
    return modules[0]


@pytest.fixture(scope="module")
def sites(modules) -> ModuleType:
    return modules[1]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Write three pages, an index and a stub, a style sheet behind an absolute symbolic link, two images and a font."""
    root = tmp_path / "packages" / "handbook.example"
    (root / "html").mkdir(parents=True)
    (root / "styles").mkdir()
    for name in ("one", "three", "two", "genindex"):
        (root / "html" / f"{name}.html").write_text(PAGE.format(title=name, text="word " * 700))
    (root / "html" / "stub.html").write_text(PAGE.format(title="stub", text="short"))
    (root / "styles" / "real.css").write_text(
        "@font-face { src: url('a%20b.woff2') } body { background: url(//cdn/x) }"
    )
    (root / "styles" / "a b.woff2").write_bytes(b"wOF2")
    (root / "a b.woff2").write_bytes(b"wOF2")
    (root / "look.css").symlink_to("/styles/real.css")
    Image.new("RGB", (300, 200)).save(root / "html" / "large.png")
    Image.new("RGB", (16, 16)).save(root / "html" / "small.png")
    return root


def tree(body: str) -> HTMLTree:
    return HTMLTree.parse(f"<!DOCTYPE html><body>{body}")


class TestTables:
    def test_generator_inherits_selectors(self, styled) -> None:
        selectors = styled.Tables.read(TOML).generators["derived"]
        assert selectors == {
            "Content": ["div.body"],
            "Sidebar": ["aside"],
            "Title": ["div.body > h1"],
            "Image": ["img"],
        }

    def test_host_is_a_reserved_name_without_version(self, styled) -> None:
        assert styled.Tables.read(TOML).sources[0].host == "handbook.example"

    @pytest.mark.parametrize(
        ("change", "expected"),
        [(("[generator.derived]", "[generator.other]"), "derived"), (("Title =", "Heading ="), "Heading")],
    )
    def test_rejects_unknown_generators_and_roles(self, styled, change: tuple[str, str], expected: str) -> None:
        with pytest.raises(UsageError, match=expected):
            styled.Tables.read(TOML.replace(*change))

    def test_shipped_tables(self, styled, sites) -> None:
        """Require a different host for every source, and a parser that accepts every selector."""
        tables = styled.Tables.read(styled.TABLES.read_text("utf-8"))
        assert len({source.host for source in tables.sources}) == len(tables.sources) >= 40
        assert {source.generator for source in tables.sources} == set(tables.generators)
        empty = tree("")
        for selectors in tables.generators.values():
            assert "Content" in selectors
            assert [sites.select(empty, ", ".join(each)) for each in selectors.values()] == [[]] * len(selectors)


class TestMark:
    SELECTORS = {"Content": ["main"], "Title": ["h1"], "Article": ["article", "h1"], "Image": ["img"]}  # noqa: RUF012

    def mark(self, styled, body: str, large_images: dict[str, bool] | None = None) -> tuple[str, dict[str, int]]:
        page = tree(body)
        counts = styled.mark(page, self.SELECTORS, large_images or {})
        return page.body.html, dict(counts)

    def test_level_is_two_inside_a_marked_element(self, styled) -> None:
        html, counts = self.mark(styled, "<main><div><h1>a</h1></div></main><h1>b</h1>")
        assert '<main data-block-type="Content" data-block="1"><div><h1 data-block-type="Title" data-block="2">' in html
        assert '<h1 data-block-type="Title" data-block="1">b</h1>' in html
        assert counts == {"Content": 1, "Title": 2}

    def test_element_gets_the_first_matching_role(self, styled) -> None:
        assert self.mark(styled, "<h1>a</h1><article>b</article>")[1] == {"Title": 1, "Article": 1}

    def test_marks_only_large_images(self, styled) -> None:
        html, counts = self.mark(styled, '<img src="a"><img src="b"><img>', {"a": True, "b": False})
        assert (html.count("data-block-type"), counts) == (1, {"Image": 1})


class TestChoose:
    @pytest.mark.parametrize(("count", "expected"), [(1, "a"), (2, "ae"), (3, "ace"), (9, "abcde"), (0, "")])
    def test_spread_evenly(self, sites, count: int, expected: str) -> None:
        assert sites.choose(list("abcde"), count) == list(expected)

    def test_none(self, sites) -> None:
        assert sites.choose([], 3) == []


class TestCandidates:
    def test_skips_stubs_indexes_and_symbolic_links(self, sites, package: Path) -> None:
        (package / "html" / "again.html").symlink_to("one.html")
        pages = sites.candidates(package, ["html/*.html", "**/*.html"])
        assert [path.stem for path in pages] == ["one", "three", "two"]


class TestCompleteDocument:
    def test_document_is_unchanged(self, sites) -> None:
        assert sites.complete_document("<p>--- a ---", ["/a.css"]) == "<p>--- a ---"

    def test_content_of_a_template(self, sites) -> None:
        text = '---\ntitle: A\nbody_class: "dark wide"\n---\n<p>{{< icon\nsize=1 >}}text{{% note %}}</p>'
        html = sites.complete_document(text, ["/a.css", "own.css"])
        assert '<link rel="stylesheet" href="/a.css"><link rel="stylesheet" href="own.css">' in html
        assert html.endswith('<body class="dark wide"><p>text</p></body></html>')


class TestReferences:
    def test_subresources_that_a_browser_paints(self, sites) -> None:
        page = HTMLTree.parse(
            '<link rel="Alternate StyleSheet" href="a"><link rel=icon href=no><script src=no></script>'
            '<style>@import "b"; p { background: URL( "c" ) }</style><img src=d srcset="e 1x, f 2x">'
            '<p style="background: url(g)"><a href=no>x</a><table background=h><tr><td><iframe src=i></iframe>'
        )
        assert sorted(sites.references(page)) == list("abcdefghi")


class TestSite:
    def test_absolute_links_start_at_the_root(self, sites, package: Path) -> None:
        site = sites.Site(package, "handbook.example")
        assert site.find("https://handbook.example/look.css?v=1#x") == package / "styles" / "real.css"

    @pytest.mark.parametrize(
        "url", ["https://other.example/look.css", "https://handbook.example/../../x", "https://handbook.example/no", ""]
    )
    def test_finds_no_file_outside_the_site(self, sites, package: Path, url: str) -> None:
        (package.parent.parent / "x").write_text("outside")
        assert sites.Site(package, "handbook.example").find(url) is None

    def test_circular_links(self, sites, package: Path) -> None:
        (package / "a").symlink_to("b")
        (package / "b").symlink_to("a")
        assert sites.Site(package, "handbook.example")._resolve("a") is None

    def test_javascript_folder_of_the_web_server(self, sites, package: Path) -> None:
        (package / "usr/share/javascript").mkdir(parents=True)
        (package / "usr/share/javascript/x.css").write_text("")
        file = sites.Site(package, "handbook.example").find("https://handbook.example/javascript/x.css")
        assert file == package / "usr/share/javascript/x.css"

    def test_collects_the_references_of_style_sheets(self, sites, package: Path) -> None:
        site = sites.Site(package, "handbook.example")
        site.collect("https://handbook.example/html/one.html", ["../look.css", "", "http://[broken", "large.png"])
        assert {url.rpartition("/")[2] for url in site.files} == {"look.css", "a%20b.woff2", "large.png"}


class TestIsLargeImage:
    def test_by_its_size(self, sites, package: Path) -> None:
        names = ("html/large.png", "html/small.png", "look.css", "html/one.html", "none.png")
        assert [sites.is_large_image(package / name) for name in names] == [True, False, False, False, False]
        assert not sites.is_large_image(None)


class TestFetch:
    def test_downloaded_and_unpacked(self, sites, tmp_path: Path, monkeypatch) -> None:
        def run(command: list[str], *, cwd: Path, **_: object) -> SimpleNamespace:
            (cwd / "page.html").write_text(" ".join(command))
            with tarfile.open(cwd / "package.tgz", "w:gz") as archive:
                archive.add(cwd / "page.html", "package/page.html")
            (cwd / "page.html").unlink()
            return SimpleNamespace(stdout=b"")

        monkeypatch.setattr(subprocess, "run", run)
        sites.fetch("npm", ["theme"], tmp_path / "theme.example")
        assert (tmp_path / "theme.example/package/page.html").read_text() == "npm pack --silent theme"
        assert [path.name for path in tmp_path.iterdir()] == ["theme.example"]

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (FileNotFoundError(2, "No such file"), "apt-get cannot be run"),
            (
                subprocess.CalledProcessError(100, "x", stderr=b"W: a\nE: Unable to locate package x\n"),
                "Unable to locate",
            ),
            (subprocess.CalledProcessError(100, "x", stderr=b""), "failed: 100"),
        ],
    )
    def test_reports_failed_downloads(
        self, sites, tmp_path: Path, monkeypatch, error: Exception, expected: str
    ) -> None:
        def run(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(subprocess, "run", run)
        with pytest.raises(InputError, match=expected):
            sites.fetch("apt", ["x"], tmp_path / "x.example")
        assert not (tmp_path / "x.example").exists()


class TestMain:
    @pytest.fixture
    def tables(self, styled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "tables.toml").write_text(TOML)
        monkeypatch.setattr(styled, "TABLES", tmp_path / "tables.toml")

    @pytest.mark.usefixtures("tables")
    def test_archive_has_marked_pages(self, styled, package: Path, tmp_path: Path, capsys) -> None:
        out = tmp_path / "out.warc.gz"
        assert styled.main([str(out), "--packages", str(package.parent)]) == 0
        assert "2 pages; " in capsys.readouterr().out
        archive = Archive(out)
        names = [record.url for record in archive.pages]
        assert (tmp_path / "out.pages.txt").read_text().split() == names
        assert names == [f"https://handbook.example/html/{name}.html" for name in ("one", "two")]
        html = bytes(archive.page(archive.pages[0], 10**6).content)
        assert [html.count(role) for role in (b'"Content"', b'"Title"', b'"Sidebar"', b'"Image"')] == [1, 1, 1, 1]
        style = archive.get("https://handbook.example/look.css?v=1")
        assert style is not None
        assert (style.content_type, b"@font-face" in style.body) == ("text/css", True)

    @pytest.mark.usefixtures("tables")
    def test_writes_the_same_bytes_again(self, styled, package: Path, tmp_path: Path) -> None:
        outs = [tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"]
        assert [styled.main([str(out), "--packages", str(package.parent)]) for out in outs] == [0, 0]
        first, second = (gzip.decompress(out.read_bytes()) for out in outs)
        assert first == second

    @pytest.mark.usefixtures("tables")
    def test_no_package(self, styled, tmp_path: Path, monkeypatch, capsys) -> None:
        def fetch(*_: object) -> None:
            raise InputError("no network")

        monkeypatch.setattr(styled, "fetch", fetch)
        assert styled.main([str(tmp_path / "out.warc.gz")]) == InputError.exit_code
        assert "handbook==1.0: no network" in capsys.readouterr().err
        assert not (tmp_path / "out.warc.gz").exists()
