"""Find what the `<style>` elements of a page hide, without a browser.

Only rules that leave no doubt count: they apply to every screen, and their selectors say which elements they select.
They do not count where another rule, a script or a handler of the page may show an element again: where one of these
names a class or the id of the element. Style sheets in files are not read.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from vclean.render.static.css_rules import style_rules, without_comments
from vclean.render.static.declarations import unescape
from vclean.render.static.media_queries import media_applies
from vclean.render.static.selectors import Matcher, parse_selector, split_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from lxml import etree

    from vclean.render.static.css_rules import Rule
    from vclean.render.static.selectors import Compound, Selector

MAX_CHARACTERS: Final = 120_000
"""Characters of the style sheets of a page; of more, none is read: that would take longer than to parse the page."""
MAX_SELECTOR: Final = 400
"""Characters of a selector that hides something; longer ones hide nothing."""
MAX_DECLARATIONS: Final = 400
"""Characters of the declarations of a rule that hides something; of longer ones only `display` is read."""
MAX_NAMES: Final = 50
"""Names that are searched in scripts one by one; of more, the words of the scripts are collected."""
MAX_STEPS: Final = 20_000
"""Comparisons of selectors with elements."""

_NONE: Final = re.compile(r"display\s*:\s*none")  # in lower case: other searches take ten times as long
_DISPLAY: Final = re.compile(r"(?<![\w-])display\s*:\s*([a-z-]+)")
_CAPITALS: Final = ("DISPLAY", "NONE")
_BLOCK: Final = re.compile(r"\{[^{}]*")
_NAME: Final = re.compile(r"[.#](?:[\w-]|\\[^\r\n\f])+")
_TAG: Final = re.compile(r"[a-zA-Z][\w-]*")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_COMBINATOR: Final = re.compile(r"[\s>+~]+")
_PSEUDO_ELEMENT: Final = re.compile(r"::|:(?:before|after|first-l)")
_WORD: Final = re.compile(r"[\w-]+")
_HANDLERS: Final = "//@onclick | //@href[starts-with(., 'javascript:')]"
_CSS_TYPES: Final = ("text/css", "")
_ANY: Final = "*"
_TEXTLESS: Final = (
    "svg",
    "path",
    "img",
    "picture",
    "source",
    "input",
    "iframe",
    "hr",
    "br",
    "video",
    "audio",
    "canvas",
)


class StyleSheets(NamedTuple):
    """The style sheets in the `<style>` elements of a page, and what may change its styles.

    Attributes:
        css: the style sheets without comments; empty if they hide nothing.
        scripts: the `<script>` elements.
        paint: whether style sheets of the page, also those in files, may declare backgrounds.
        has_gaps: whether elements were between others that the page does not keep: scripts and style sheets.
    """

    css: str
    scripts: Sequence[etree._Element]
    paint: bool
    has_gaps: bool


class PageNames:
    """Tags, classes and ids of the N elements of a page.

    Args:
        tags: the tags of the elements.
        classes: the values of `class` by element.
        ids: the values of `id` by element.
    """

    def __init__(self, tags: Sequence[str], classes: Mapping[int, str], ids: Mapping[int, str]) -> None:
        self.tags = tags
        self._classes = classes
        self._ids = ids
        self._distinct_tags = frozenset(tags)
        self._distinct_ids = frozenset(ids.values())
        self._values = frozenset(classes.values())
        self._distinct_classes = frozenset(" ".join(self._values).split())

    def has(self, name: str) -> bool:
        """Return whether an element has a name, `.class` or `#id`, or a tag."""
        if name.startswith("."):
            return name[1:] in self._distinct_classes
        return name[1:] in self._distinct_ids if name.startswith("#") else name in self._distinct_tags

    def names(self, node: int) -> frozenset[str]:
        """Return the classes of an element as `.class`, and its id as `#id`."""
        classes = [f".{name}" for name in self._classes.get(node, "").split()]
        return frozenset([*classes, f"#{self._ids[node]}"] if node in self._ids else classes)

    def nodes(self, keys: Set[str]) -> dict[str, list[int]]:
        """Return the elements with each of some names or tags."""
        nodes: dict[str, list[int]] = {key: [] for key in keys}
        classes = {key[1:] for key in keys if key.startswith(".")}
        for name in classes if len(classes) <= MAX_NAMES else ():
            having = {value for value in self._values if name in value and name in value.split()}
            nodes[f".{name}"] = [node for node, value in self._classes.items() if value in having]
        if len(classes) > MAX_NAMES:
            matching = {value: classes.intersection(value.split()) for value in self._values}
            for node, value in self._classes.items():
                for name in matching[value]:
                    nodes[f".{name}"].append(node)
        others = chain(enumerate(self.tags), ((node, f"#{value}") for node, value in self._ids.items()))
        if len(classes) < len(keys):
            for node, name in others:
                if name in nodes:
                    nodes[name].append(node)
        return nodes


class _Hidden(NamedTuple):
    """An element that rules hide.

    Attributes:
        declarations: those of the rules.
        names: the names that the rules depend on, with all of the element.
        is_weak: whether a rule for its tag may win.
    """

    declarations: str
    names: frozenset[str]
    is_weak: bool


def read_style_sheets(root: etree._Element) -> StyleSheets:
    """Return the style sheets of a document, before `prune` removes them."""
    styles = [style for style in root.iter("style") if style.text]
    paint = any("background" in cast("str", style.text) for style in styles) or _has_linked_sheets(root)
    texts = [
        (text, style.get("media", ""))
        for style in styles
        if ("display" in (text := cast("str", style.text)) or _CAPITALS[0] in text)
        and style.get("type", "").strip().lower() in _CSS_TYPES
        and next(style.iterancestors("noscript", "template"), None) is None
    ]
    if sum(len(text) for text, _ in texts) > MAX_CHARACTERS:
        return StyleSheets("", (), paint, False)
    if not any(_NONE.search(text) or "/*" in text or _has_capitals(text) for text, _ in texts):
        return StyleSheets("", (), paint, False)
    css = "\n".join(_closed(text, media) for text, media in texts)
    if not _NONE.search(css):
        return StyleSheets("", (), paint, False)
    scripts = list(root.iter("script"))
    has_gaps = any(cast("etree._Element", each.getparent()).tag != "head" for each in (*scripts, *styles))
    return StyleSheets(css, scripts, paint, has_gaps)


def _has_linked_sheets(root: etree._Element) -> bool:
    return any("stylesheet" in link.get("rel", "").lower() for link in root.iter("link"))


def _has_capitals(text: str) -> bool:
    return _CAPITALS[0] in text or _CAPITALS[1] in text  # a pattern takes ten times as long


def _closed(text: str, media: str) -> str:
    """Return a style sheet without comments and with all braces closed, inside its media query if it has one."""
    text = without_comments(text)
    if "<!--" in text:
        text = text.replace("<!--", " ").replace("-->", " ")
    if _has_capitals(text):
        text = _BLOCK.sub(lambda block: block[0].lower(), text)
    text += "}" * (text.count("{") - text.count("}"))
    return text if media_applies(media) else f"@media {media}{{{text}}}"


def hiding_declarations(
    sheets: StyleSheets, page: PageNames, elements: Sequence[etree._Element], root: etree._Element
) -> dict[int, str]:
    """Return the declarations by which style sheets hide elements, by element.

    Args:
        sheets: those of the page.
        page: the names of the elements.
        elements: the N elements.
        root: the document.
    """
    hiding: list[Rule] = []
    showing: list[Rule] = []
    for rule in style_rules(sheets.css, "display"):
        (hiding if _hides(rule.declarations) else showing).append(rule)
    hidden = _matching(sheets, list(_hiding(hiding, page)), page, elements)
    if not hidden:
        return {}
    shown = _Shown(showing)
    hidden = {
        node: each
        for node, each in hidden.items()
        if not shown.includes(page.tags[node], page.names(node), is_weak=each.is_weak)
    }
    changed = _changed_names(hidden.values(), sheets.scripts, root) if hidden else frozenset()
    return {node: each.declarations for node, each in hidden.items() if each.names.isdisjoint(changed)}


def _hiding(rules: Iterable[Rule], page: PageNames) -> Iterator[tuple[str, Selector, Rule]]:
    """Yield the selectors that hide elements and may match one of the page, with its key and their rules."""
    for rule in rules:
        if not rule.applies:
            continue
        for text in split_list(rule.selectors):
            last = _COMBINATOR.split(text.rstrip())[-1] if "(" not in text else ""
            name = _NAME.search(last)
            if len(text) > MAX_SELECTOR or (name and "\\" not in last and not page.has(name[0])):
                continue
            selector = parse_selector(text)
            if selector is not None and (key := _key(selector)) and page.has(key) and _may_match(selector, page):
                yield key, selector, rule


def _hides(declarations: str) -> bool:
    """Return whether declarations end in `display: none`, and declare no other display type."""
    return "none" in declarations and set(_DISPLAY.findall(declarations)) == {"none"}


def _key(selector: Selector) -> str:
    """Return a name or the tag of what a selector selects; empty if it leaves open what it selects."""
    first = selector.compounds[0]
    if first.names:
        return min(first.names)  # an id, if there is one
    return first.tag if first.tag not in _TEXTLESS and any(map(_distinguishes, selector.compounds)) else ""


def _may_match(selector: Selector, page: PageNames) -> bool:
    """Return whether the page has all names of a selector."""
    return all(page.has(name) for compound in selector.compounds for name in compound.names)


def _distinguishes(compound: Compound) -> bool:
    return bool(compound.names or compound.attributes or compound.positions)


def _matching(
    sheets: StyleSheets,
    hiding: Sequence[tuple[str, Selector, Rule]],
    page: PageNames,
    elements: Sequence[etree._Element],
) -> dict[int, _Hidden]:
    """Return the elements that hiding rules select."""
    hidden: dict[int, _Hidden] = {}
    nodes = page.nodes({key for key, _, _ in hiding}) if hiding else {}
    matcher = Matcher(MAX_STEPS)
    for key, selector, rule in hiding:
        if sheets.has_gaps and selector.depends_on_siblings:
            continue
        for node in nodes[key]:
            if matcher.matches(selector, elements[node]):
                hidden[node] = _with_rule(hidden.get(node), selector, rule, page.names(node))
    return hidden


def _with_rule(hidden: _Hidden | None, selector: Selector, rule: Rule, names: frozenset[str]) -> _Hidden:
    declarations = rule.declarations if len(rule.declarations) <= MAX_DECLARATIONS else "display:none"
    names |= frozenset(selector.names)
    is_weak = rule.is_layered or ":where(" in rule.selectors
    if hidden is None:
        return _Hidden(f"{declarations};", names, is_weak)
    if len(hidden.declarations) > MAX_DECLARATIONS:
        return hidden
    return _Hidden(f"{hidden.declarations}{declarations};", names | hidden.names, is_weak and hidden.is_weak)


def _changed_names(
    hidden: Iterable[_Hidden], scripts: Iterable[etree._Element], root: etree._Element
) -> frozenset[str]:
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


class _Shown:
    """What the rules of a page with another display type than `none` may show.

    Args:
        rules: the rules with `display` that do not hide.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._names: set[str] = set()
        self._tags: set[str] = set()
        self._weak_tags: set[str] = set()
        for rule in rules:
            if rule.applies is not False and _DISPLAY.search(rule.declarations):
                for selector in rule.selectors.split(","):  # in parentheses too, which shows more than the rule does
                    self._add(selector, is_important="!" in rule.declarations)

    def includes(self, tag: str, names: frozenset[str], *, is_weak: bool) -> bool:
        """Return whether a rule may show an element with this tag, these classes and this id.

        Args:
            tag: its tag.
            names: its classes as `.class`, and its id as `#id`.
            is_weak: whether rules for its tag win over those that hide it.
        """
        tags = self._weak_tags if is_weak else self._tags
        return tag in tags or _ANY in tags or not self._names.isdisjoint(names)

    def _add(self, selector: str, *, is_important: bool) -> None:
        """Record what a selector shows by its last part: names, else the tag; whether it may win over a class."""
        if len(selector) > MAX_SELECTOR:
            self._tags.add(_ANY)
            self._weak_tags.add(_ANY)
        elif ":" not in selector or not _PSEUDO_ELEMENT.search(selector):
            self._add_last_part(selector, is_important=is_important)

    def _add_last_part(self, selector: str, *, is_important: bool) -> None:
        plain = _ARGUMENTS.sub("", _ARGUMENTS.sub("", selector)) if "(" in selector or "[" in selector else selector
        last = _COMBINATOR.split(plain.strip())[-1]
        names = _NAME.findall(last)
        self._names.update(map(unescape, names) if "\\" in last else names)
        if names:
            return
        match = _TAG.match(last)
        tag = match[0].lower() if match else _ANY
        self._weak_tags.add(tag)
        if is_important or plain != selector or _NAME.search(plain) or ":" in plain:
            self._tags.add(tag)
