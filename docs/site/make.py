#!/usr/bin/env python3
"""Collect the pages of the documentation site in a folder: `python docs/site/make.py FOLDER`.

The site has the pages of docs/, README, change log and guide for contributors, the Python API from the docstrings, and
a gallery: fixtures with their picture, text and explorable overlay. `mkdocs build` then makes the site from the folder.
Needs the browser of `vclean setup`, and no network.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import vclean

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = {"README.md": "readme.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Pages outside docs/, and their names on the site."""
API: Final = {
    "Functions": "clean clean_file clean_url segment segment_file segment_url",
    "Many pages": "Cleaner AsyncCleaner Segmenter",
    "Settings": "CleanerSettings RenderSettings Policy Page",
    "Results": "Result Blocks Block Box Segments",
    "Labels": "Label Role Kind Visibility",
}


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A page of the gallery: the name of its fixture, and what it is."""

    fixture: str
    title: str
    note: str


GALLERY: Final = (
    Exhibit("news", "News", "The sticky banner, the menu and the teasers are left out, captions and byline stay."),
    Exhibit("forum", "Forum", "Posts are the content, the numbers about their authors are not."),
    Exhibit("product", "Product", "Name, price, description and specification stay, related products are left out."),
    Exhibit("listing", "Listing", "A page whose content is a list of items."),
    Exhibit("docs", "Documentation", "Headings, code and tables stay, the navigation at the side is left out."),
    Exhibit("accordion", "Accordion", "Answers that a click opens stay, although they are hidden at first."),
    Exhibit("noscript", "Page that needs scripts", "Without scripts, the text of noscript is what a reader sees."),
    Exhibit("blog-czech", "Blog in Czech", "The model knows words of many languages."),
    Exhibit("arabic", "Right to left", "Arabic text, laid out from the right."),
    Exhibit("japanese", "Japanese", "A script without spaces between words."),
)


def copy_documents(folder: Path) -> None:
    """Copy docs/ and the pages of the root, with links that work on the site."""
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.py", "site", "__pycache__"))
    for path in folder.rglob("*.md"):
        text = path.read_text("utf-8")
        for name, page in PAGES.items():
            text = re.sub(rf"\]\(((?:\.\./)*)\.\./{re.escape(name)}", rf"](\1{page}", text)
        text = re.sub(r"\[([^\]]+)\]\((?:\.\./)+Dockerfile\)", r"\1", text)
        path.write_text(text, "utf-8")
    for name, page in PAGES.items():
        text = (ROOT / name).read_text("utf-8").replace("](docs/", "](")
        for other, target in PAGES.items():
            text = text.replace(f"]({other}", f"]({target}")
        (folder / page).write_text(re.sub(r"\[([^\]]+)\]\(LICENSE\)", r"\1", text), "utf-8")


def copy_scripts(folder: Path) -> None:
    """Copy the script for searching without a server."""
    (folder / "assets").mkdir()
    for path in Path(__file__).parent.glob("iframe-worker*"):
        shutil.copy(path, folder / "assets")


def write_api(folder: Path) -> None:
    """Write the page of the Python API, which mkdocstrings fills with the docstrings."""
    parts = ["# Python API: docstrings\n"]
    for heading, names in API.items():
        parts.append(f"## {heading}\n")
        parts += [f"::: vclean.{name}\n" for name in names.split()]
    (folder / "reference" / "api.md").write_text("\n".join(parts), "utf-8")


def write_gallery(folder: Path) -> None:
    """Render the exhibits, and write a page with picture, overlay and text for each."""
    gallery = folder / "gallery"
    gallery.mkdir()
    rows = []
    with vclean.Cleaner(render=True) as cleaner:
        for exhibit in GALLERY:
            result = cleaner.clean_file(f"fixtures/{exhibit.fixture}/page.html", screenshot=True)
            (gallery / f"{exhibit.fixture}.png").write_bytes(result.overlay(result.screenshot, "png"))
            (gallery / f"{exhibit.fixture}-overlay.html").write_bytes(result.overlay(result.screenshot, "html"))
            (gallery / f"{exhibit.fixture}.md").write_text(_exhibit_page(exhibit, result), "utf-8")
            rows.append(f"- [{exhibit.title}]({exhibit.fixture}.md): {exhibit.note}")
    intro = "Ten pages of our own writing, as vclean renders and labels them.\n"
    (gallery / "index.md").write_text("\n".join(["# Gallery\n", intro, *rows, ""]), "utf-8")


def _exhibit_page(exhibit: Exhibit, result: vclean.Result) -> str:
    name = exhibit.fixture
    counts = f"{result.content_count} of {len(result.blocks)} blocks are content; confidence {result.confidence:.2f}."
    frame = (
        f'<iframe src="{name}-overlay.html" title="Overlay" style="width: 100%; height: 38rem; border: 1px solid #ccc">'
    )
    sections = [
        f"# {exhibit.title}\n\n[Gallery](index.md)\n\n{exhibit.note} {counts}",
        f"## Overlay\n\nMove over a block for its label, role and reasons. [Open it alone]({name}-overlay.html).",
        f"{frame}</iframe>",
        f"## Picture\n\n![The page with a colored frame around every block]({name}.png)",
        f"## Text\n\n```text\n{result.to_cleaneval().strip()}\n```",
    ]
    return "\n\n".join(sections) + "\n"


def main(folder: Path) -> None:
    """Make `folder` anew."""
    shutil.rmtree(folder, ignore_errors=True)
    copy_documents(folder)
    copy_scripts(folder)
    write_api(folder)
    write_gallery(folder)


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    os.chdir(ROOT)  # overlays show the path of their page
    main(target)
