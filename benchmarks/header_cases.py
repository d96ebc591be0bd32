"""Headers with controls that do not belong to the sentence of a page; they belong to `visibility_cases.py`."""

from __future__ import annotations

from typing import Final

ABOVE: Final = {
    "menu": "<header><a href=/>News</a><button class=menu-toggle aria-expanded=false aria-label=Menu>☰</button>"
    "<nav><a href=/a>Town</a> <a href=/b>Sport</a></nav></header>",
    "navigation bar": "<header><button class=navbar-toggler data-bs-toggle=collapse data-bs-target='#nav'>Menu</button>"
    "<nav id=nav><a href=/a>Town</a></nav></header>",
    "search": "<header><a href=/>News</a><button class=search-toggle aria-expanded=false>Search</button></header>",
    "theme": "<header><a href=/>News</a><button class=theme-toggle aria-pressed=false>Dark</button></header>",
    "language": "<header><a href=/>News</a><button class=lang-dropdown aria-haspopup=listbox aria-expanded=false>"
    "English</button></header>",
    "bar without a tag": "<div class=topbar><button class=hamburger aria-expanded=false>☰</button></div>",
}
"""Controls above the article."""

INSIDE: Final = {
    "share": "<button class=share-toggle>Share</button>",
    "table of contents": "<button class=toc-toggle aria-expanded=false>Contents</button><nav class=toc><ol>"
    "<li><a href='#mill'>The mill</a></ol></nav>",
    "listen": "<button class=listen>Listen</button>",
}
"""Controls below the headline, inside of the article."""

NAMES: Final = (*ABOVE, *INSIDE)


def with_header(html: str, name: str, *, flat: bool) -> str:
    """Return a page of the suite with a header; `flat` puts the paragraphs directly in `main`."""
    opening, closing = ("<main>", "</main>") if flat else ("<main><article>", "</article></main>")
    html = html.replace("<body><article>", f"<body>{ABOVE.get(name, '<header><a href=/>News</a></header>')}{opening}")
    html = html.replace("</h1>", f"</h1>{INSIDE.get(name, '')}", 1)
    return html.replace("</article></body>", f"{closing}</body>")
