"""Generate newspaper pages of which the shipped model keeps an appeal to readers, for tests of corrections."""

from __future__ import annotations

PLACES = ["ferry", "bridge", "market", "school", "mill", "library"]
APPEAL = "Our reporters read every letter"
COUNCIL = "The council meets again"
"""Beginning of another paragraph."""
FOOTER = "Copyright 2026 The District Courier. All rights reserved."


def article(number: int) -> str:
    """Return a page about one of `PLACES`."""
    what = PLACES[number]
    return f"""<!doctype html><html lang=en><meta charset=utf-8><title>The {what} stays closed</title>
<base href="https://courier.example/{number}"><style>body {{ font: 16px serif; width: 900px; margin: auto }}
nav a {{ margin: 8px }} .appeal {{ font-style: italic }}</style>
<nav><a href=/>Home</a><a href=/news>News</a><a href=/sport>Sport</a></nav>
<main><article><h1>The {what} stays closed</h1>
<p>The {what} has been closed since Monday, and the people who used it every day have had to find another way to work,
to school and to the shops.
<p>Nobody at the council could say on Friday when the {what} would open again, although the engineers have looked at it
twice and a third visit is planned for next week.
<p class=appeal>{APPEAL}. If you know more about the {what}, or about anything else that goes on in the district, write
to the news desk and we will look into it for you.
<p>{COUNCIL} in the town hall on Thursday, and the {what} is the first of the things it will talk about.
</article></main><footer>{FOOTER}</footer>"""
