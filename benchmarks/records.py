"""Measure posts, items and recipes: posts against gold posts, titles of items against those of listings, and more.

    python benchmarks/records.py posts threads.parquet
    python benchmarks/records.py items wcxb.parquet --type listing
    python benchmarks/records.py recipes recipes.parquet

`posts` prints the share of gold posts that a post contains whole (word F1 of at least .9), the mean F1 of all posts,
the F1 of their text on a page beside that of trafilatura, and the shares of right authors and dates. The column
`gold_posts` has a JSON list of objects with `text`, `user` and `date` for each page. A date is right if it has the gold
date or is in it. An author is right if the name or its link is that of the gold.

`items` prints the share of gold titles that are the title of an item. The titles of a page are the lines of
`gold_markdown` that are a heading below the first level, or nothing but a link, and have at least three words.

`recipes` reads every page as if it had no markup, and compares the recipe that readers see with the declared one: the
F1 of the words of all ingredients and of all steps, 0 for pages without such a recipe.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from html import unescape
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from vclean import Cleaner, Page
from vclean.features.matrix import page_context
from vclean.features.metadata.page_view import PageView
from vclean.features.subject.declared import DeclaredRecipe, declared_recipe
from vclean.features.subject.shown_recipes import find_shown_recipe
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean import Post, Result

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+")
TAG = re.compile(r"<[^>]*>")
TITLE = re.compile(r"#{2,6}\s+(.*)|(\[[^\]]*\]\([^)]*\))")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
WHOLE, SAME, SAME_LIST = 0.9, 0.3, 0.8
"""Word F1 from which a post is found whole, a post and a gold post are the same, and two lists are the same."""


def main() -> None:
    """Print the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("posts", "items", "recipes"))
    parser.add_argument("corpus")
    parser.add_argument("--type", default="listing", help="page type of `items`")
    parser.add_argument("--limit", type=int, default=100_000)
    parser.add_argument("--render", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    {"posts": score_posts, "items": score_items, "recipes": score_recipes}[options.task](options)


def results(options: argparse.Namespace, column: str) -> Iterator[tuple[dict[str, Any], Result]]:
    """Iterate over the rows with a gold `column` and their results."""
    rows = [row for row in pq.read_table(options.corpus).to_pylist() if row.get(column)]
    if options.task == "items":
        rows = [row for row in rows if row["page_type"] == options.type]
    with Cleaner(render=options.render) as cleaner:
        for row in rows[: options.limit]:
            yield row, cleaner.clean(Page(content=row["html"], url=row["url"] or "", id=str(row["id"])))


def bag(text: str) -> Counter[str]:
    """Return the bag of words of a text; ideographs and kana are words."""
    return Counter(WORD.findall(text.lower()))


def f1(one: Counter[str], other: Counter[str]) -> float:
    """Return the F1 of two bags of words."""
    return 2 * (one & other).total() / max(one.total() + other.total(), 1)


def plain(markup: str) -> str:
    """Return the text of escaped or unescaped HTML."""
    return TAG.sub(" ", unescape(TAG.sub(" ", unescape(markup))))


def squash(text: str) -> str:
    """Return the letters and digits of a text."""
    return re.sub(r"\W+", "", text.lower())


def score_posts(options: argparse.Namespace) -> None:
    """Print the scores of posts."""
    total: Counter[str] = Counter()
    page_f1, rival_f1, post_f1 = [], [], []
    for row, result in results(options, "gold_posts"):
        gold = json.loads(row["gold_posts"])
        texts = [bag(post.text) for post in result.posts]
        bags = [bag(plain(each["text"])) for each in gold]
        page_f1.append(f1(sum(bags, Counter()), sum(texts, Counter())))
        rival_f1.append(f1(sum(bags, Counter()), bag(rival(row["html"]))))
        free = set(range(len(texts)))
        found = Counter(gold=len(gold), posts=len(texts))
        for each, words in zip(gold, bags, strict=True):
            score, best = max(((f1(words, texts[post]), -post) for post in free), default=(0.0, 0))
            post_f1.append(score)
            found["whole"] += score >= WHOLE
            if score >= SAME:
                free.discard(-best)
                found.update(compare(each, result.posts[-best], result))
        total.update(found)
        if options.verbose:
            print(f"{row['url'][:80]:80} {dict(found)} F1 {page_f1[-1]:.3f}")
    print(f"posts: {total['gold']} gold, {total['posts']} found, {len(page_f1)} pages")
    print(f"found whole {total['whole'] / total['gold']:.3f}, mean F1 {fmean(post_f1):.3f}")
    print(f"author right {total['author'] / total['gold']:.3f}, date right {total['date'] / total['gold']:.3f}")
    print(f"F1 of the text of all posts, mean of pages: {fmean(page_f1):.3f}, trafilatura {fmean(rival_f1):.3f}")


def rival(html: bytes) -> str:
    """Return the text of trafilatura."""
    import trafilatura

    return trafilatura.extract(html, include_comments=True) or ""


def compare(gold: dict[str, str], post: Post, result: Result) -> Counter[str]:
    """Count the right fields of a post: author and date, 0 or 1 each."""
    user, date = gold.get("user") or "", squash(gold.get("date") or "")
    date_text = squash(post.date_text)
    day = squash(post.date[:10])
    author = squash(post.author)
    right = bool(author) and author in squash(user)
    if user and not right and author:
        right = linked(post, result, user)
    forms = [date_text] * (len(date_text) > 5) + [day] * bool(day)
    same_date = bool(date and date_text) and (date in date_text or any(form in date for form in forms))
    return Counter(author=int(right), date=int(same_date))


def linked(post: Post, result: Result, user: str) -> bool:
    """Return whether a link with the author's name has the address `user`."""
    snapshot = result.columns.snapshot
    for node, text in enumerate(snapshot.texts):
        if " ".join(text.split()) == post.author:
            around = snapshot.ancestors(int(snapshot.text_parent[node]))[:3]
            addresses = [snapshot.attributes("href").get(element, "") for element in around]
            if any(address and address.endswith(user.lstrip("./")) for address in addresses):
                return True
    return False


def titles(markdown: str) -> list[str]:
    """Return the gold titles of a page."""
    gold = []
    for line in markdown.splitlines():
        match = TITLE.fullmatch(line.strip().lstrip("-* ").strip())
        if match:
            title = re.sub(r"[*_`]", "", LINK.sub(r"\1", match[1] or match[2]))
            gold += [title] if len(title.split()) > 2 else []
    return gold


def score_items(options: argparse.Namespace) -> None:
    """Print the scores of items."""
    total: Counter[str] = Counter()
    shares = []
    for row, result in results(options, "gold_markdown"):
        gold = titles(row["gold_markdown"])
        names = {squash(item.title) for item in result.items}
        hits = sum(squash(title) in names for title in gold)
        total.update(gold=len(gold), hits=hits, items=len(result.items), pages=1, empty=int(not result.items))
        total.update(link=sum(bool(item.link) for item in result.items))
        if len(gold) > 2:
            shares.append(hits / len(gold))
        if options.verbose:
            print(f"{row['url'][:80]:80} gold {len(gold)}, found {hits}, items {len(result.items)}")
    print(
        f"items: {total['items']} on {total['pages']} pages, {total['empty']} pages without, {total['link']} with link"
    )
    print(f"gold titles that are a title of an item: {total['hits'] / max(total['gold'], 1):.3f} of {total['gold']}")
    print(f"mean of the {len(shares)} pages with three titles or more: {fmean(shares):.3f}")


def score_recipes(options: argparse.Namespace) -> None:
    """Print the scores of recipes without markup."""
    ingredients, steps, pages, found = [], [], Counter[bool](), Counter[bool]()
    for _, result in results(options, "html"):
        context = page_context(result.columns)
        declared = declared_recipe(PageView(context)) if len(context) else None
        shown = find_shown_recipe(context, ~result.columns.is_excluded(Policy())) if len(context) else None
        pages[declared is not None] += 1
        found[declared is not None] += shown is not None
        if declared:
            seen = shown.texts if shown else DeclaredRecipe()
            ingredients.append(f1(bag(" ".join(seen.ingredients)), bag(" ".join(declared.ingredients))))
            if declared.steps:
                steps.append(f1(bag(" ".join(seen.steps)), bag(" ".join(declared.steps))))
    print(f"recipes: {found.total()} on {pages.total()} pages, {found[False]} on {pages[False]} that declare none")
    for name, scores in (("ingredients", ingredients), ("steps", steps)):
        if scores:
            share = fmean(score >= SAME_LIST for score in scores)
            print(f"{name}: mean word F1 {fmean(scores):.3f}, at least {SAME_LIST}: {share:.3f} of {len(scores)}")


if __name__ == "__main__":
    main()
