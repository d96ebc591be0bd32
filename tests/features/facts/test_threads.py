"""Parts of pages with comments of readers, and the comments below articles."""

from __future__ import annotations

import pytest

import vclean
from vclean.features.blocks import extract_blocks
from vclean.features.facts.threads import comment_parts
from vclean.page import Page
from vclean.render.static.parse import parse

ARTICLE = (
    "<article><h1>The rope ferry</h1>"
    + "<p>The ferry on the river still runs on a rope, as it did then.</p>" * 4
    + "</article>"
)
TEXTS = ("My mother courted across that rope.", "Nine sheep is a modest estimate.", "Will it be lit at night?")
NAMES = ("Ada Pell", "Bo Ek", "Cleo Marr")


def texts_in_parts(html: str) -> list[str]:
    """Return the blocks inside parts with comments."""
    blocks = extract_blocks(parse(Page(content=f"<!doctype html><body>{html}")))
    inside = comment_parts(blocks)[blocks.node]
    return [text for text, is_inside in zip(blocks.text, inside.tolist(), strict=True) if is_inside]


def commented(template: str) -> vclean.Result:
    """Return an article with three comments."""
    rows = zip(NAMES, TEXTS, range(1, 4), strict=True)
    comments = "".join(template.format(name=name, text=text, day=day) for name, text, day in rows)
    return vclean.clean(f"<title>The rope ferry</title>{ARTICLE}<div id=comments>{comments}</div>")


@pytest.mark.parametrize(
    "html",
    [
        "<p>one</p><div class=comments><p>two</p></div>",
        "<p>one</p><div id=comment-list><p>two</p></div>",
        "<p>one</p><section class='x kommentare'><p>two</p></section>",
        "<p>one</p><div id=disqus_thread><p>two</p></div>",
        "<p>one</p><div class=wpComments><p>two</p></div>",
    ],
)
def test_named_parts(html: str) -> None:
    assert texts_in_parts(html) == ["two"]


@pytest.mark.parametrize("heading", ["3 comments", "Comments (3)", "Kommentare", "2 thoughts on “Rain”", "留言"])
def test_parts_below_a_heading(heading: str) -> None:
    assert texts_in_parts(f"<p>one</p><div><h2>{heading}</h2><p>two</p></div><p>three</p>") == ["two"]


@pytest.mark.parametrize(
    "template",
    [
        "<li class=comment><b>{name}</b> <time>{day} March 2024</time><p>{text}</p></li>",
        "<div class=comment><cite>{name}</cite> says: <a href=#c{day}>March {day}, 2024</a><p>{text}</p></div>",
        "<article id=comment-{day}><footer>{name} <time>2024-03-0{day}</time></footer><div>{text}</div></article>",
        "<li class=comment><i class=user>R</i><a href=/u/{day}>{name}</a> in reply to "
        "<a href=/u/9 class=user>Ida {day}</a> <time>{day} March 2024</time><p>{text}</p></li>",
        "<li class=comment><b>{name}</b><i>Ambitioniertes Mitglied</i> <time>{day} March 2024</time><p>{text}</p></li>",
        "<li class=comment><b>{name}</b> <i>Joined: {day} May 2020</i> <u>{day} March 2024</u><p>{text}</p></li>",
    ],
)
def test_comments_below_an_article_are_posts(template: str) -> None:
    page = commented(template)
    assert [post.author for post in page.posts] == list(NAMES)
    assert [post.date[:10] for post in page.posts] == ["2024-03-01", "2024-03-02", "2024-03-03"]
    assert [post.text for post in page.posts] == list(TEXTS)
    assert not page.is_thread


def test_titles_and_tags_are_no_authors() -> None:
    title, tag = "<h3 itemprop=name>Rain {day}</h3>", "<a rel=tag href=/t/{day}>tag {day}</a>"
    template = f"<li class=comment>{title}<a href=/user/{{day}}>{{name}}</a> {{day}}/3/2024<p>{{text}}</p>{tag}</li>"
    assert [post.author for post in commented(template).posts] == list(NAMES)


def test_depth_by_attribute() -> None:
    template = "<div class=comment data-depth={day}><b>{name}</b> <time>{day} March 2024</time><p>{text}</p></div>"
    assert [post.depth for post in commented(template).posts] == [0, 1, 2]


def test_columns_of_an_article_are_no_posts() -> None:
    columns = f"<div class=column>{ARTICLE}</div><div class=column><h2>More</h2><p>By Ann Lee, 3 March 2024</p></div>"
    assert vclean.clean(f"<title>The rope ferry</title><div>{columns}</div>").posts == ()


@pytest.mark.parametrize(
    "records",
    [
        "<div class=post>{text}</div><div class=post>{text}</div><div class=post>{text}</div>",
        "<div class=post><i class=author>Ada</i> 3 May 2024{text}</div><div class=post>May 2024 {text}</div>",
    ],
)
def test_records_without_author_and_date_are_no_posts(records: str) -> None:
    text = "<p>It rained on all of the days of the week, and the river rose above the bridge at noon.</p>" * 2
    page = vclean.clean(f"<title>Rain - Forum</title><h1>Rain</h1><div>{records.format(text=text)}</div>")
    assert page.posts == ()
    assert not page.is_thread
