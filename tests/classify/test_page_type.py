from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers import page_types
from helpers.pages import snapshot

import vclean
from vclean.classify.explain.reasons import Rule
from vclean.classify.page_type import is_named_forum, is_thread, page_type
from vclean.features.blocks import extract_blocks
from vclean.features.matrix import page_context
from vclean.features.page_context import PageContext
from vclean.labels import PageType
from vclean.page import Page
from vclean.render.static.parse import parse

FIXTURES = Path(__file__).parents[2] / "fixtures"


def type_of(html: str | bytes, url: str = "") -> str:
    return page_type(PageContext(extract_blocks(parse(Page(content=html, url=url)))))


class TestChoosePageType:
    @pytest.mark.parametrize(
        ("folder", "url", "expected"),
        [
            ("news", "https://news.example.org/2024/05/ferry-harbour", PageType.ARTICLE),
            ("product", "https://shop.example.com/products/fennel-2", PageType.PRODUCT),
            ("forum", "https://forum.example.org/viewtopic.php?t=7", PageType.FORUM),
            ("docs", "https://docs.example.org/reference/read", PageType.DOCUMENTATION),
        ],
    )
    def test_of_fixtures(self, folder: str, url: str, expected: PageType) -> None:
        assert type_of((FIXTURES / folder / "page.html").read_bytes(), url) == expected

    @pytest.mark.parametrize("kind", [PageType.COLLECTION, PageType.SERVICE, PageType.HOME, PageType.OTHER])
    def test_of_written_pages(self, kind: PageType) -> None:
        assert type_of(*page_types.PAGES[kind]()) == kind


LONG = "The pump in the cellar stopped again last night, so I took it apart and found sand in the valve of the inlet. "
POSTS = [
    f"{LONG}Has anyone replaced the seal of this model without the special tool that the manual asks for?",
    f"{LONG}On mine the seal was fine, but the float switch had corroded and had to be cleaned with vinegar first.",
    f"{LONG}You can use two spoons in place of the tool, which is what the mechanic showed me last spring.",
    f"{LONG}Thank you all, the spoons worked, and the pump has been running since Sunday without any noise.",
]


class TestIsThread:
    @staticmethod
    def decide(*probability: float, title: str = "Pump") -> bool:
        texts = "".join(f"<p>{'word ' * count}</p>" for count in (30, 50, 20, 900))
        context = page_context(extract_blocks(snapshot(f"<title>{title}</title>{texts}")))
        return is_thread(
            context, None, np.array(probability, dtype=np.float32), np.array([0, 1, 1, 1], dtype=np.float32)
        )

    def test_counts_likely_words_only(self) -> None:
        assert self.decide(0.1, 0.9, 0.9, 0.1)
        assert not self.decide(0.9, 0.9, 0.9, 0.1)

    def test_a_sign_suffices(self) -> None:
        assert self.decide(0.9, 0.1, 0.1, 0.1, title="Pump - Forum")


def forum_page(post: str, outside: str = "", head: str = "") -> str:
    """Return a thread; `post` has the markup of a post, `outside` that of the first post if it differs."""
    first, *others = POSTS
    posts = (outside or post).format(text=first, user="ada") + "".join(
        post.format(text=text, user=user) for text, user in zip(others, ("ben", "cem", "ada"), strict=True)
    )
    return f"<html lang=en><title>Pump</title><body>{head}<h1>Pump stopped</h1>{posts}<p>Powered by pumps</p></body>"


THREADS = {
    "replies": forum_page("<div class='message reply'><b>{user}</b><div class=message-body>{text}</div></div>"),
    "comments": forum_page("<article class='comment forum-post'><h3>{user}</h3><div class=text>{text}</div></article>"),
    "first post outside": forum_page(
        "<div class=reply itemprop=comment itemscope><span>{user}</span><p>{text}</p></div>",
        "<div itemscope itemtype=https://schema.org/DiscussionForumPosting><span>{user}</span><p>{text}</p></div>",
    ),
    "discussion": forum_page("<div class=Discussion><em>{user}</em><div class=Message>{text}</div></div>"),
}


class TestCommentsOut:
    """`--comments out` on threads and on articles with comments, with the shipped model."""

    @pytest.mark.parametrize("url", ["https://forum.example.org/t/pump/17", ""])
    @pytest.mark.parametrize("markup", THREADS)
    def test_keeps_the_posts_of_a_thread(self, markup: str, url: str) -> None:
        page = Page(content=THREADS[markup], url=url)
        text = vclean.clean(page, policy=vclean.Policy(comments=False)).to_text()
        assert [post for post in POSTS if post.split("inlet. ")[1] not in text] == []

    def test_explains_kept_posts(self) -> None:
        page = THREADS["comments"].replace("</h1>", "</h1><div class=comments>")
        result = vclean.clean(page, policy=vclean.Policy(comments=False), explain=True)
        (post,) = result.blocks.filter(lambda block: POSTS[1] in block.text)
        assert post.reasons[0].rule == Rule.COMMENTS
        assert post.reasons[0].text == "a post of this thread: --comments out leaves out readers' comments only"


class TestHasForumSign:
    @pytest.mark.parametrize(
        ("title", "url", "is_sign"),
        [
            ("", "https://forum.example.org/1", True),
            ("", "https://example.org/forum/pumps/17", True),
            ("", "https://example.org/index.php?mod=viewthread&tid=17", True),
            ("", "https://example.org/thread-17.html", True),
            ("", "https://example.org/ShowTopic-g17-i5", True),
            ("", "https://example.org/viewtopic.php?t=1", True),
            ("Pump - Forum", "https://example.org/", True),
            ("Hahn tropft | Bootsforum", "https://example.org/", True),
            ("", "https://example.org/news/economic-forum-2024.html", False),
            ("", "https://example.org/a/sewing-threads", False),
            ("", "", False),
            ("", "https://[forum/", False),
        ],
    )
    def test_titles_and_addresses(self, title: str, url: str, is_sign: bool) -> None:
        assert is_named_forum(snapshot(f"<title>{title}</title><p>x", url)) == is_sign
