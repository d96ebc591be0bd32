"""Find the elements that the `<style>` elements of a page hide, without a browser.

Only rules that leave no doubt count: one class or id, with a tag or without, and `display: none` on every screen. They
do not count where another rule, a script or a handler of the page may show the element again: where one of these names
a class or the id of the element. Style sheets in files are not read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from vclean.render.static.css_rules import style_rules, without_comments
from vclean.render.static.media_queries import media_applies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml import etree

    from vclean.render.static.css_rules import Rule

MAX_CHARACTERS: Final = 120_000
"""Characters of the style sheets of a page; of more, none is read: that would take longer than to parse the page."""
MAX_SELECTOR: Final = 400
"""Characters of a list of selectors before a declaration that hides something; longer ones hide nothing."""
MAX_NAMES: Final = 50
"""Names that are searched in scripts one by one; of more, the words of the scripts are collected."""

_NONE: Final = re.compile(r"display\s*:\s*none")  # in lower case: other searches take ten times as long
_DISPLAY: Final = re.compile(r"(?<![\w-])display\s*:\s*([a-z-]+)", re.IGNORECASE)
_UNUSUAL_CASE: Final = re.compile(r"(?:DISPLAY|Display)\s*:")
_SIMPLE: Final = re.compile(r"\s*([a-zA-Z][\w-]*)?([.#][\w-]+)\s*")
_NAME: Final = re.compile(r"[.#][\w-]+")
_TAG: Final = re.compile(r"[a-zA-Z][\w-]*")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_COMBINATOR: Final = re.compile(r"[\s>+~]+")
_PSEUDO_ELEMENT: Final = re.compile(r"::|:(?:before|after|first-l)")
_WORD: Final = re.compile(r"[\w-]+")
_BEFORE_SELECTORS: Final = re.compile(r"[{};]|\*/|<!--")
_HANDLERS: Final = "//@onclick | //@href[starts-with(., 'javascript:')]"
_CSS_TYPES: Final = ("text/css", "")


class StyleSheets(NamedTuple):
    """The style sheets in the `<style>` elements of a page, and what may change its styles.

    Attributes:
        texts: the text and the media query of each; none if they hide nothing.
        scripts: the `<script>` elements.
        paint: whether style sheets of the page, also those in files, may declare backgrounds.
    """

    texts: Sequence[tuple[str, str]]
    scripts: Sequence[etree._Element]
    paint: bool


class Names(NamedTuple):
    """The tag of an element, its classes as `.class` and its id as `#id`."""

    tag: str
    names: frozenset[str]


def read_style_sheets(root: etree._Element) -> StyleSheets:
    """Return the style sheets of a document, before `prune` removes them."""
    styles = [style for style in root.iter("style") if style.text]
    paint = any("background" in cast("str", style.text) for style in styles) or _has_linked_sheets(root)
    texts = [
        (cast("str", style.text), style.get("media", ""))
        for style in styles
        if style.get("type", "").strip().lower() in _CSS_TYPES
        and next(style.iterancestors("noscript", "template"), None) is None
    ]
    if sum(len(text) for text, _ in texts) > MAX_CHARACTERS or not any(_NONE.search(text) for text, _ in texts):
        return StyleSheets((), (), paint)
    if any(_UNUSUAL_CASE.search(text) for text, _ in texts):
        return StyleSheets((), (), paint)
    return StyleSheets(texts, list(root.iter("script")), paint)


def _has_linked_sheets(root: etree._Element) -> bool:
    return any("stylesheet" in link.get("rel", "").lower() for link in root.iter("link"))


def _closed(text: str, media: str) -> str:
    """Return a style sheet without comments and with all braces closed, inside its media query if it has one."""
    text = without_comments(text).replace("<!--", " ").replace("-->", " ")
    text += "}" * (text.count("{") - text.count("}"))
    return text if media_applies(media) else f"@media {media}{{{text}}}"


def hiding_names(sheets: StyleSheets) -> set[str]:
    """Return the classes and ids of simple selectors with `display: none`: a quick search that returns too many."""
    return {name for text, _ in sheets.texts for name in _hiding_names(text)}


def _hiding_names(css: str) -> set[str]:
    names: set[str] = set()
    for match in _NONE.finditer(css):
        brace = css.rfind("{", max(0, match.start() - 2 * MAX_SELECTOR), match.start())
        before = css[max(0, brace - MAX_SELECTOR) : max(brace, 0)]
        selectors = _BEFORE_SELECTORS.split(before)[-1]
        names.update(simple[2] for simple in map(_SIMPLE.fullmatch, selectors.split(",")) if simple)
    return names


def hidden_elements(sheets: StyleSheets, elements: Mapping[int, Names], root: etree._Element) -> list[int]:
    """Return the elements that style sheets hide.

    Args:
        sheets: those of the page.
        elements: the elements with one of `hiding_names`, without those that inline styles give a display type.
        root: the document.
    """
    rules = _DisplayRules("\n".join(_closed(*text) for text in sheets.texts))
    hidden = {element: names for element, names in elements.items() if rules.hide(names)}
    changed = _changed_names(hidden.values(), sheets.scripts, root) if hidden else frozenset()
    return [element for element, names in hidden.items() if names.names.isdisjoint(changed)]


def _changed_names(hidden: Iterable[Names], scripts: Iterable[etree._Element], root: etree._Element) -> frozenset[str]:
    """Return which names of elements scripts and handlers of the page contain, as words."""
    names = frozenset[str]().union(*(each.names for each in hidden))
    handlers = cast("list[str]", root.xpath(_HANDLERS))
    source = "\n".join([*(script.text or "" for script in scripts), *handlers])
    if len(names) > MAX_NAMES:
        words = set(_WORD.findall(source))
        return frozenset(name for name in names if name[1:] in words)
    return frozenset(name for name in names if name[1:] in source and _contains_word(source, name[1:]))


def _contains_word(text: str, word: str) -> bool:
    return re.search(rf"{re.escape(word)}(?<![\w-]{re.escape(word)})(?![\w-])", text) is not None


class _DisplayRules:
    """What the rules with `display` of a page hide, and what they may show.

    Args:
        css: the style sheets, without comments.
    """

    def __init__(self, css: str) -> None:
        self._hidden: set[tuple[str, str]] = set()
        self._shown: set[str] = set()
        self._shown_tags: set[str] = set()
        self._may_show_all = False
        for rule in style_rules(css, "display"):
            self._add(rule)

    def hide(self, element: Names) -> bool:
        """Return whether an element is hidden, and no rule may show it."""
        tag, names = element
        is_hidden = any(("", name) in self._hidden or (tag, name) in self._hidden for name in names)
        return is_hidden and not self._may_show_all and tag not in self._shown_tags and self._shown.isdisjoint(names)

    def _add(self, rule: Rule) -> None:
        values = _DISPLAY.findall(rule.declarations)
        if not values or rule.applies is False:
            return
        if values[-1].lower() != "none" or len({value.lower() for value in values}) > 1:
            for selector in _selectors(rule.selectors):
                self._show(selector, is_important="!" in rule.declarations)
        elif rule.applies and not rule.is_layered:
            simple = filter(None, map(_SIMPLE.fullmatch, _selectors(rule.selectors)))
            self._hidden.update(((match[1] or "").lower(), match[2]) for match in simple)

    def _show(self, selector: str, *, is_important: bool) -> None:
        """Record what a selector shows by its last part: names, else the tag if it may win over a class."""
        if len(selector) > MAX_SELECTOR:
            self._may_show_all = True
        elif ":" not in selector or not _PSEUDO_ELEMENT.search(selector):
            self._show_last_part(selector, is_important=is_important)

    def _show_last_part(self, selector: str, *, is_important: bool) -> None:
        plain = _ARGUMENTS.sub("", _ARGUMENTS.sub("", selector)) if "(" in selector or "[" in selector else selector
        last = _COMBINATOR.split(plain.strip())[-1]
        names = _NAME.findall(last)
        self._shown.update(names)
        if not names and (is_important or plain != selector or _NAME.search(plain) or ":" in plain):
            tag = _TAG.match(last)
            self._may_show_all |= tag is None
            self._shown_tags.update([tag[0].lower()] if tag else [])


def _selectors(text: str) -> Iterator[str]:
    """Yield the selectors of a list; commas in parentheses separate too, which shows more than the rule does."""
    yield from text.split(",")
