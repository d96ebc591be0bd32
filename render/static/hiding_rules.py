"""Find the elements that the style sheets of a page hide, without a browser.

Only rules that leave no doubt count: they apply to every screen, and their selectors say which elements they select.
They do not count where another rule, a script or a handler of the page may show an element again: where one of these
names a class or the id of the element. Style sheets in files are not read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from vclean.render.snapshot import Hidden
from vclean.render.static.css_rules import style_rules
from vclean.render.static.declarations import effect_of, parse_declarations, unescape
from vclean.render.static.selectors import Matcher, last_compound, parse_selector, split_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml import etree

    from vclean.render.static.css_rules import Rule
    from vclean.render.static.page_names import PageNames
    from vclean.render.static.selectors import Compound, Selector
    from vclean.render.static.style_sheets import StyleSheets

MAX_SELECTOR: Final = 400
"""Characters of a selector; of longer ones it is not known what they select."""
MAX_DECLARATIONS: Final = 400
"""Characters of the declarations of a rule that hides something; of longer ones only `display: none` is read."""
MAX_NAMES: Final = 50
"""Names that are searched in scripts one by one; of more, the words of the scripts are collected."""
MAX_STEPS: Final = 20_000
"""Comparisons of selectors with elements."""
_MAX_INSIDE: Final = 2_000
"""Elements inside a hidden one that are looked at."""

_FAR_AWAY: Final = re.compile(r":\s*-(?:\d{3}|\d*\.?\d+e)")
_LOW: Final = re.compile(r"(?:height|width)\s*:\s*[0-4](?:px|[\s;!.]|$)")
_SMALL: Final = re.compile(r"size\s*:\s*(?:0?\.|[0-4](?:\.\d+)?(?:p[xt]|[\s;!]|$))")
_DISPLAY: Final = re.compile(r"(?<![\w-])display\s*:\s*([a-z-]+)")
_PLACING: Final = frozenset(
    ("content-visibility", "clip", "clip-path", "position", "left", "top", "right", "bottom", "text-indent",
     "font-size", "height", "max-height", "width", "max-width", "overflow", "transform", "scale", "zoom",
     "letter-spacing", "filter", "translate", "rotate", "margin-left")
)  # fmt: skip
"""Properties that hide by a place or a size."""
_ONLY_DISPLAY: Final = frozenset(("display",))
_UNDONE: Final = {"visibility": ("visib", "visible"), "font-size": ("font",)}
"""Properties that elements inside of a hidden one may have of their own, and words of the rules that say so."""
_MOVING: Final = ("animation", "transition")
"""Properties of elements that appear, and their longhands."""
_WAITING: Final = (Hidden.OPACITY, Hidden.TRANSFORM)
"""Techniques of elements that appear."""
_PROPERTY: Final = re.compile(r"(?:^|[;{])\s*([a-z-]+)\s*:")
_NAME: Final = re.compile(r"[.#](?:[\w-]|\\[^\r\n\f])+")
_TAG: Final = re.compile(r"[a-zA-Z][\w-]*")
_PSEUDO_ELEMENT: Final = re.compile(r"::|:(?:before|after|first-l)")
_WORD: Final = re.compile(r"[\w-]+")
_HANDLERS: Final = "//@onclick | //@href[starts-with(., 'javascript:')]"
_ANY: Final = "*"
_REMOVED: Final = re.compile(r"^(?:class|id|style)$|cloak|^data-(?:aos|sal|animat|scroll|reveal)|^(?:ng|v|x)-")
"""Attributes that say too little, or that a script takes away."""
_TEXTLESS: Final = frozenset(
    ("svg", "path", "img", "picture", "source", "input", "iframe", "hr", "br", "video", "audio", "canvas")
)


class _HidingRule(NamedTuple):
    """A rule that hides what one of its selectors selects.

    Attributes:
        key: a name or tag of the elements.
        selector: the selector.
        rule: the rule.
        properties: the properties by which it hides.
    """

    key: str
    selector: Selector
    rule: Rule
    properties: frozenset[str]


class _Hidden(NamedTuple):
    """What hides an element.

    Attributes:
        declarations: those of the rules.
        properties: those by which they hide.
        names: the names that the rules depend on, with all of the element.
        is_weak: whether a rule for its tag may win.
    """

    declarations: str
    properties: frozenset[str]
    names: frozenset[str]
    is_weak: bool


def hiding_declarations(
    sheets: StyleSheets, page: PageNames, elements: Sequence[etree._Element], root: etree._Element
) -> dict[int, str]:
    """Return the declarations by which style sheets hide elements, by element; each ends in a semicolon.

    Args:
        sheets: those of the page.
        page: the names of the elements.
        elements: the N elements.
        root: the document.
    """
    rules = list(style_rules(sheets.css, lambda block: "display" in block or _may_hide(block)))
    hiding = [each for rule in rules if rule.applies and _may_hide(rule.declarations) for each in _hiding(rule, page)]
    hidden = _matching(sheets, hiding, page, elements) if hiding else {}
    hidden = _without_shown(hidden, rules, sheets, page, elements) if hidden else {}
    names = frozenset[str]().union(*(each.names for each in hidden.values()))
    changed = changed_names(names, sheets.scripts, root)
    return {node: each.declarations for node, each in hidden.items() if each.names.isdisjoint(changed)}


def _may_hide(text: str) -> bool:
    """Return whether declarations may hide something; a pattern takes ten times as long."""
    return (
        ("none" in text and "display" in text)
        or ("visibility" in text and ("hidden" in text or "collapse" in text))
        or "opacity:0" in text
        or "opacity: 0" in text
        or "opacity:." in text
        or "opacity: ." in text
        or "clip" in text
        or "scale" in text
        or "rotate" in text
        or "zoom" in text
        or "filter" in text
        or ("overflow" in text and (_LOW.search(text) is not None or "indent" in text))
        or "fixed" in text
        or ("-" in text and _FAR_AWAY.search(text) is not None)
        or ("size" in text and _SMALL.search(text) is not None)
    )


def _hiding(rule: Rule, page: PageNames) -> Iterator[_HidingRule]:
    """Yield the selectors of a rule that may match an element of the page, if the rule hides what it selects."""
    for text in split_list(rule.selectors):
        last = last_compound(text) if "(" not in text else ""
        name = _NAME.search(last)
        if len(text) > MAX_SELECTOR or (name and "\\" not in last and not page.has(name[0])):
            continue
        selector = parse_selector(text)
        if selector is not None and (key := _key(selector)) and page.has(key) and _may_match(selector, page):
            if not (properties := _hiding_properties(rule.declarations)):
                return
            yield _HidingRule(key, selector, rule, properties)


@lru_cache(maxsize=1024)
def _hiding_properties(text: str) -> frozenset[str]:
    """Return the properties by which declarations hide an element; none if they do not, or if it may appear later."""
    if "none" in text and set(_DISPLAY.findall(text)) == {"none"}:
        return _ONLY_DISPLAY
    if len(text) > MAX_DECLARATIONS:
        return frozenset()
    declarations = parse_declarations(text)
    effect = effect_of(declarations)
    technique = effect.subtree or effect.block or effect.sized or effect.letters or Hidden.NO
    properties = set()
    if effect.visibility == "hidden":
        properties.add("visibility")
    if technique == Hidden.OPACITY:
        properties.add("opacity")
    elif technique:
        properties |= _PLACING.intersection(declarations)
    if effect.visibility == "hidden" or technique in _WAITING:
        properties.update(_MOVING)
    is_moving = any(name.startswith(_MOVING) for name in declarations)
    return frozenset() if is_moving and not properties.isdisjoint(_MOVING) else frozenset(properties)


def _key(selector: Selector) -> str:
    """Return a name, the tag or an attribute of what a selector selects; empty if it leaves open what it selects."""
    first = selector.compounds[0]
    if first.names:
        return min(first.names)  # an id, if there is one
    if first.attributes and not first.tag:
        name = first.attributes[0][0]
        return "" if _REMOVED.search(name) else f"[{name}"
    return first.tag if first.tag not in _TEXTLESS and any(map(_distinguishes, selector.compounds)) else ""


def _may_match(selector: Selector, page: PageNames) -> bool:
    """Return whether the page has all names of a selector."""
    return all(page.has(name) for compound in selector.compounds for name in compound.names)


def _distinguishes(compound: Compound) -> bool:
    return bool(compound.names or compound.attributes or compound.positions)


def _matching(
    sheets: StyleSheets, hiding: Sequence[_HidingRule], page: PageNames, elements: Sequence[etree._Element]
) -> dict[int, _Hidden]:
    """Return the elements that hiding rules select."""
    hidden: dict[int, _Hidden] = {}
    nodes = page.nodes({each.key for each in hiding})
    matcher = Matcher(MAX_STEPS)
    for each in hiding:
        if sheets.has_gaps and each.selector.depends_on_siblings:
            continue
        for node in nodes[each.key]:
            if matcher.matches(each.selector, elements[node]):
                hidden[node] = _with_rule(hidden.get(node), each, page.names(node))
    return hidden


def _with_rule(hidden: _Hidden | None, each: _HidingRule, names: frozenset[str]) -> _Hidden:
    """Return what hides an element by one more rule.

    Args:
        hidden: what hides it by other rules.
        each: the rule.
        names: the names of the element.
    """
    declarations = each.rule.declarations if len(each.rule.declarations) <= MAX_DECLARATIONS else "display:none"
    names |= frozenset(each.selector.names)
    is_weak = each.rule.is_layered or ":where(" in each.rule.selectors
    if hidden is None:
        return _Hidden(f"{declarations};", each.properties, names, is_weak)
    if len(hidden.declarations) > MAX_DECLARATIONS:
        return hidden
    both = f"{hidden.declarations}{declarations};"
    return _Hidden(both, each.properties | hidden.properties, names | hidden.names, is_weak and hidden.is_weak)


# ---- what may show elements ----


def _without_shown(
    hidden: dict[int, _Hidden],
    rules: Sequence[Rule],
    sheets: StyleSheets,
    page: PageNames,
    elements: Sequence[etree._Element],
) -> dict[int, _Hidden]:
    """Return the hidden elements without those that other rules may show.

    Args:
        hidden: the elements.
        rules: all rules with `display`.
        sheets: the style sheets.
        page: the names of the elements.
        elements: the N elements.
    """
    shown = _Shown(rules, _ONLY_DISPLAY)
    hidden = {
        node: each for node, each in hidden.items() if not shown.includes(page.tags[node], page.names(node), each)
    }
    others = {node: each for node, each in hidden.items() if each.properties != _ONLY_DISPLAY}
    if not others:
        return hidden
    names = {name[1:] for node in others for name in page.names(node)}
    by_display = {node: each for node, each in hidden.items() if node not in others}
    if len(names) > MAX_NAMES:
        return by_display
    named = style_rules(sheets.css, lambda block: any(name in block for name in names))
    shown = _Shown(named, frozenset().union(*(each.properties for each in others.values())))
    properties = frozenset[str]().union(*(each.properties for each in others.values()))
    undone = {name: _undoing(sheets, page, name) for name in _UNDONE.keys() & properties}
    return by_display | {
        node: each
        for node, each in others.items()
        if not shown.includes(page.tags[node], page.names(node), each)
        and not any(_has_inside(elements[node], undone[name]) for name in undone.keys() & each.properties)
    }


def _undoing(sheets: StyleSheets, page: PageNames, name: str) -> set[str]:
    """Return the tags, classes and ids of elements that rules show inside of hidden ones.

    Args:
        sheets: the style sheets.
        page: the names of the elements.
        name: the property that hides, and that descendants inherit.
    """
    words = _UNDONE[name]
    found: set[str] = set()
    for rule in style_rules(sheets.css, lambda block: all(word in block for word in words)):
        if name in _hiding_properties(rule.declarations):
            continue
        for selector in rule.selectors.split(","):
            last = last_compound(selector)
            names = _NAME.findall(last)
            tag = _TAG.match(last)
            found.update(each[1:] for each in names if page.has(each))
            if not names:
                found.add(tag[0].lower() if tag else _ANY)
    return found


def _has_inside(element: etree._Element, names: set[str]) -> bool:
    """Return whether an element inside another has one of some tags, classes and ids."""
    inside = islice(element.iterdescendants(), _MAX_INSIDE) if names else ()
    return any(
        _ANY in names or not names.isdisjoint([each.tag, *each.get("class", "").split(), each.get("id", "")])
        for each in inside
    )


class _Shown:
    """What other rules of a page may show.

    Args:
        rules: the rules of the page.
        properties: the properties by which elements are hidden.
    """

    def __init__(self, rules: Iterable[Rule], properties: frozenset[str]) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)
        self._tags: dict[str, set[str]] = defaultdict(set)
        self._weak_tags: dict[str, set[str]] = defaultdict(set)
        for rule in rules:
            if rule.applies is not False and (shown := _shown_properties(rule.declarations) & properties):
                for selector in rule.selectors.split(","):  # in parentheses too, which shows more than the rule does
                    self._add(selector, shown, is_important="!" in rule.declarations)

    def includes(self, tag: str, names: frozenset[str], hidden: _Hidden) -> bool:
        """Return whether a rule may show an element.

        Args:
            tag: its tag.
            names: its classes as `.class`, and its id as `#id`.
            hidden: what hides it.
        """
        tags = self._weak_tags if hidden.is_weak else self._tags
        shown = [tags.get(tag), tags.get(_ANY), *(self._names.get(name) for name in names)]
        return any(each and not each.isdisjoint(hidden.properties) for each in shown)

    def _add(self, selector: str, shown: frozenset[str], *, is_important: bool) -> None:
        """Record what a selector shows by its last part: names, else the tag; whether it may win over a class."""
        if len(selector) > MAX_SELECTOR:
            self._tags[_ANY] |= shown
            self._weak_tags[_ANY] |= shown
        elif ":" not in selector or not _PSEUDO_ELEMENT.search(selector):
            # What has the focus is shown to readers with a keyboard, such as a link that skips the navigation.
            self._add_last_part(selector, shown & _ONLY_DISPLAY if ":focus" in selector else shown, is_important)

    def _add_last_part(self, selector: str, shown: frozenset[str], is_important: bool) -> None:
        last = last_compound(selector)
        names = _NAME.findall(last)
        for name in map(unescape, names) if "\\" in last else names:
            self._names[name] |= shown
        if names:
            return
        match = _TAG.match(last)
        tag = match[0].lower() if match else _ANY
        self._weak_tags[tag] |= shown
        if is_important or any(each in selector for each in "([:") or _NAME.search(selector):
            self._tags[tag] |= shown


@lru_cache(maxsize=1024)
def _shown_properties(text: str) -> frozenset[str]:
    """Return the properties that declarations have, without those by which they hide."""
    declared = {name for name in _PROPERTY.findall(text) if not name.startswith(_MOVING)}
    declared.update(name for name in _MOVING if name in text)
    return frozenset(declared) - _hiding_properties(text)


def changed_names(names: frozenset[str], scripts: Iterable[etree._Element], root: etree._Element) -> frozenset[str]:
    """Return which classes and ids, as `.class` and `#id`, scripts and handlers of the page contain as words."""
    if not names:
        return names
    handlers = cast("list[str]", root.xpath(_HANDLERS))
    source = "\n".join([*(script.text or "" for script in scripts), *handlers])
    if len(names) > MAX_NAMES:
        words = set(_WORD.findall(source))
        return frozenset(name for name in names if name[1:] in words)
    return frozenset(name for name in names if name[1:] in source and _contains_word(source, name[1:]))


def _contains_word(text: str, word: str) -> bool:
    return re.search(rf"{re.escape(word)}(?<![\w-]{re.escape(word)})(?![\w-])", text) is not None
