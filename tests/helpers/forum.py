"""Pages with posts and items, for tests of records."""

from __future__ import annotations

from helpers.pages import result, snapshot
from vclean.features.blocks import extract_blocks

AUTHORS = ("Ada", "Brook", "Cleo", "Dale")


def post(number, *, author=None, inner="", tag="div", body=None):
    """Return the HTML of one post with a header, a body and a footer."""
    name = author or AUTHORS[number % len(AUTHORS)]
    text = body or f"Post number {number} says that the rain in valley {number} was heavy, and that it will go on."
    return (
        f'<{tag} class="postbit odd{number}" id="post{number}">'
        f'<div class="head"><a class="username" href="/user/{number}">{name}</a>'
        ' <span class="joined">Joined: 3 May 2009</span>'
        f' <span class="when">1{number} March 2024, 10:2{number}</span></div>'
        f'<div class="body"><p>{text}</p></div>'
        f'<div class="foot"><a href="#">Reply</a></div>{inner}</{tag}>'
    )


def thread(count=4, **options):
    """Return the HTML of a thread."""
    posts = "".join(post(number, **options) for number in range(count))
    return f"<html lang=en><title>Rain</title><body><h1>Rain in the valleys</h1><div id=posts>{posts}</div></body>"


def listing(count=5):
    """Return the HTML of a list of products, beside a menu."""
    menu = "".join(f"<li><a href='/m{number}'>Menu {number}</a>" for number in range(6))
    items = "".join(
        f'<li class="card"><a href="/p/{number}"><img src="/i{number}.png"><h3>Blue kettle number {number}</h3></a>'
        f'<p class="price">${number}9.50</p><p>A kettle of {number} litres that whistles when the water boils.</p></li>'
        for number in range(1, count + 1)
    )
    return f"<html lang=en><title>Kettles</title><body><ul id=menu>{menu}</ul><h1>Kettles</h1><ul>{items}</ul></body>"


FORUM = "https://forum.example.org/viewtopic.php?t=1"


def cleaned(html, url=FORUM, *, content=("p", "h3")):
    """Return the result of a page on which blocks in the elements `content` are content."""
    page = snapshot(html, url)
    tags = extract_blocks(page).tag
    labels = "".join("h" if tag == "h1" else "p" if tag in content else "o" for tag in tags)
    return result(page, labels, language="en")
