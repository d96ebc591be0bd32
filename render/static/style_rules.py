"""Find the elements that plain rules of `<style>` elements hide, without a browser.

Plain rules declare `display: none` or `visibility: hidden` for every screen, and select by one compound of classes, an
id and a tag. They do not count where another rule, a script or a handler of the page may show an element again: where
one of these names a class or the id of the element. What other rules hide, only rendering finds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from vclean.render.static.declarations import unescape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml import etree

MAX_CHARACTERS: Final = 120_000
"""Characters of the style sheets of a page; of more, none is read: that would take longer than to parse the page."""
_MAX_SELECTOR: Final = 400
"""Characters of a selector; a longer one may show any element."""

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_EVERY_SCREEN: Final = re.compile(r"(?:@media\s*)?(?:(?:only\s+)?(?:all|screen))?\s*")
_NAME: Final = re.compile(r"[.#](?:[\w-]|\\[^\r\n\f])+")
_PLAIN: Final = re.compile(rf"([a-zA-Z][\w-]*|\*?)((?:{_NAME.pattern})+)")
_LAST: Final = re.compile(r"[^\s>+~]*\Z")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_PSEUDO_ELEMENT: Final = re.compile(r"::|:(?:before|after|first-l)")
_DECLARATION: Final = re.compile(r"(?<![\w-])(display|visibility)\s*:\s*([a-z-]+)\s*(!\s*important)?")
_HIDING: Final = frozenset(("none", "hidden", "collapse"))
_MOVING: Final = ("transition", "animation")
"""Properties of elements that appear."""
_WORD: Final = re.compile(r"[\w-]+")
_HANDLERS: Final = "//@onclick | //@href[starts-with(., 'javascript:')]"
_ANY: Final = "*"
_VIEWPORT_TAGS: Final = ("html", "body")
"""Elements whose classes are states that scripts set, such as `loading`."""


class _Rule(NamedTuple):
    """A style rule with `display` or `visibility`; `applies` is whether it certainly counts for every screen."""

    selectors: str
    declarations: str
    applies: bool


class StyleSheets(NamedTuple):
    """Style sheets of a page, and the source of what may change the classes of its elements.

    Attributes:
        css: the style sheets in `<style>` elements without comments; empty if they hide nothing.
        source: the scripts and handlers of the page.
    """

    css: str = ""
    source: str = ""

    def hiding_declarations(
        self, tags: Sequence[str], classes: Mapping[int, str], ids: Mapping[int, str]
    ) -> dict[int, str]:
        """Return the declarations by which plain rules hide elements, by element; each ends in a semicolon.

        Args:
            tags: the tags of the elements.
            classes: the values of `class` by element.
            ids: the values of `id` by element.
        """
        if not self.css:
            return {}
        hiding, shown = _read(list(_rules(self.css)))
        words = set(_WORD.findall(self.source)) if hiding else set()
        declared: dict[int, str] = {}
        for node in sorted({*classes, *ids}) if hiding else ():
            own = {f".{name}" for name in classes.get(node, "").split()} | {
                f"#{ids[node]}" for _ in ids.keys() & {node}
            }
            matching = {
                text
                for name in own & hiding.keys()
                for tag, names, text in hiding[name]
                if tag in ("", _ANY, tags[node]) and own.issuperset(names)
            }
            may_be_shown = not shown.isdisjoint((*own, tags[node], _ANY)) or any(name[1:] in words for name in own)
            if matching and not may_be_shown and tags[node] not in _VIEWPORT_TAGS:
                declared[node] = "".join(sorted(matching))
        return declared


def read_style_sheets(root: etree._Element) -> StyleSheets:
    """Return the style sheets of a document, before `prune` removes them."""
    sheets = [
        (style.text, style.get("media", "").strip().lower())
        for style in root.iter("style")
        if style.text
        and style.get("type", "").strip().lower() in ("", "text/css")
        and next(style.iterancestors("noscript", "template"), None) is None
    ]
    css = "\n".join(_closed(text, media) for text, media in sheets)
    if len(css) > MAX_CHARACTERS or not any(value in css.lower() for value in _HIDING):
        return StyleSheets()
    handlers = cast("list[str]", root.xpath(_HANDLERS))
    return StyleSheets(css, "\n".join([*(script.text or "" for script in root.iter("script")), *handlers]))


def _closed(text: str, media: str) -> str:
    """Return a style sheet without comments and with all braces closed, inside its media query if it has one."""
    text = _COMMENT.sub(" ", text)
    text += "}" * (text.count("{") - text.count("}"))
    return f"@media {media}{{{text}}}" if media else text


def _rules(css: str) -> Iterator[_Rule]:
    """Yield the style rules with `display` or `visibility` (CSS Syntax 3, 5), without those for print."""
    around = [(True, False)]  # of the open blocks: whether all count for every screen, and whether one is for print
    for part in css.split("}"):
        *outer, declarations = part.split("{")
        if not outer:
            del around[max(len(around) - 1, 1) :]
            continue
        *blocks, selectors = (prelude.rpartition(";")[2].strip() for prelude in outer)
        for block in map(str.lower, blocks):
            applies, prints = around[-1]
            around.append((applies and bool(_EVERY_SCREEN.fullmatch(block)), prints or block == "@media print"))
        declarations = declarations.lower()
        applies, prints = around[-1]
        if ("display" in declarations or "visibility" in declarations) and not prints:
            yield _Rule(selectors, declarations, applies)


def _read(rules: Sequence[_Rule]) -> tuple[dict[str, list[tuple[str, frozenset[str], str]]], set[str]]:
    """Return tag, names and declarations of plain rules that hide, by name, and the names and tags that others show."""
    hiding: dict[str, list[tuple[str, frozenset[str], str]]] = defaultdict(list)
    shown: set[str] = set()
    declarations = [{each[1]: (each[2], each[3] or "") for each in _DECLARATION.finditer(rule[1])} for rule in rules]
    # Descendants of what is hidden by `visibility` may be visible: it counts if no rule makes anything visible.
    is_undone = any(values.get("visibility", ("hidden",))[0] not in _HIDING for values in declarations)
    for rule, values in zip(rules, declarations, strict=True):
        hides = {name for name, (value, _) in values.items() if value in _HIDING}
        is_moving = any(name in rule.declarations for name in _MOVING)
        text = "".join(f"{name}:{values[name][0]} {values[name][1]};" for name in sorted(hides))
        for selector in map(str.strip, rule.selectors.split(",")):
            plain = _PLAIN.fullmatch(selector)
            if len(selector) > _MAX_SELECTOR:
                shown.add(_ANY)
            elif values.keys() - hides:
                shown.update(_last_names(selector, is_strong="!" in rule.declarations))
            elif plain and rule.applies and ("display" in hides or not (is_undone or is_moving)):
                names = frozenset(map(unescape, _NAME.findall(plain[2])))
                hiding[min(names)].append((plain[1].lower(), names, text))
    return hiding, shown


def _last_names(selector: str, *, is_strong: bool) -> list[str]:
    """Return the classes and ids of what a selector selects, else its tag if the rule may win over a class."""
    if ":" in selector and _PSEUDO_ELEMENT.search(selector):
        return []
    last = cast("re.Match[str]", _LAST.search(_ARGUMENTS.sub("", selector)))[0]
    if names := [unescape(name) for name in _NAME.findall(last)]:
        return names
    is_strong |= any(mark in selector for mark in "([:.#")
    return [last.partition(":")[0].lower() or _ANY] if is_strong else []
