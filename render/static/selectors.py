"""Match selectors of style sheets with the elements of a parsed page (Selectors 4).

Selectors that depend on what a reader does, on pseudo-elements or on relations that are not read here match nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.render.static.declarations import unescape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

MAX_COMPOUNDS: Final = 8
"""Compounds of a selector; longer ones match nothing."""
_MAX_LEVELS: Final = 64
"""Ancestors or siblings of an element that are looked at."""

_IDENT: Final = r"(?:[\w-]|\\[^\r\n\f])+"
_TOKEN: Final = re.compile(
    rf"(?P<combinator>\s*[>+~]\s*|\s+)"
    rf"|(?P<kind>[.#])(?P<name>{_IDENT})"
    rf"|\[\s*(?P<attribute>[\w-]+)\s*(?:(?P<operator>[~|^$*]?=)\s*(?P<value>\"[^\"]*\"|'[^']*'|[\w-]+)\s*)?\]"
    rf"|:not\(\s*(?P<negated>[^()]*?)\s*\)"
    rf"|:(?P<position>nth-child|nth-of-type)\(\s*(?P<formula>[^()]*?)\s*\)"
    rf"|:(?P<edge>first-child|last-child|only-child|first-of-type|last-of-type)(?![\w(-])"
    rf"|(?P<tag>\*|[a-zA-Z][\w-]*)"
)
_FORMULA: Final = re.compile(r"([+-]?\d*)n(?:\s*([+-])\s*(\d+))?|([+-]?\d+)")
_ALTERNATIVES: Final = re.compile(r":(?:where|is|matches|-webkit-any)\(([^()]*)\)")
_COMMA: Final = re.compile(r",(?![^(]*\))")
_ARGUMENTS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_COMBINATOR: Final = re.compile(r"[\s>+~]+")
_MAX_ALTERNATIVES: Final = 16
_MAX_FORMULA: Final = 12
_MAX_SIBLINGS: Final = 1000
_EDGES: Final = {
    "first-child": (("nth-child", 0, 1),),
    "last-child": (("last-child", 0, 1),),
    "only-child": (("nth-child", 0, 1), ("last-child", 0, 1)),
    "first-of-type": (("nth-of-type", 0, 1),),
    "last-of-type": (("last-of-type", 0, 1),),
}
"""Pseudo-classes of the first and last of siblings, as a position and a formula."""
_ANCESTRY: Final = frozenset((" ", ">"))
_VIEWPORT_TAGS: Final = ("html", "body")


class Compound(NamedTuple):
    """Compound selector: what an element itself has to be.

    Attributes:
        tag: its tag; empty for any.
        names: its classes as `.class`, and its id as `#id`.
        attributes: names, operators and values of its attributes; the operator is empty if any value matches.
        negated: the compounds that it must not match.
        positions: pseudo-classes with a and b of `an+b`.
    """

    tag: str = ""
    names: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str, str], ...] = ()
    negated: tuple[Compound, ...] = ()
    positions: tuple[tuple[str, int, int], ...] = ()


class Selector(NamedTuple):
    """Complex selector, from right to left.

    Attributes:
        compounds: C compounds, that of the selected element first.
        combinators: the C - 1 combinators between them: a space, `>`, `+` or `~`.
        around: names that the ancestors of the element have.
    """

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]
    around: frozenset[str] = frozenset()

    @property
    def names(self) -> Iterator[str]:
        """Yield the classes as `.class` and ids as `#id` in it, also those that are negated."""
        for compound in self.compounds:
            yield from compound.names
            for negated in compound.negated:
                yield from negated.names

    @property
    def depends_on_siblings(self) -> bool:
        """Return whether elements between siblings matter, such as scripts."""
        positions = [name for compound in self.compounds for name, _, _ in compound.positions]
        return "+" in self.combinators or any(name.endswith("child") for name in positions)


def split_list(selectors: str) -> list[str]:
    """Return the selectors of a list, with `:where` and `:is` of one compound each written out.

    >>> split_list("p:is(.a, .b) i, h1")
    ['h1', 'p.a i', 'p.b i']
    """
    if "(" not in selectors:
        return selectors.split(",")
    pending, expanded = _COMMA.split(selectors), []
    while pending and len(pending) < _MAX_ALTERNATIVES:
        selector = pending.pop()
        match = _ALTERNATIVES.search(selector)
        if match is None:
            expanded.append(selector.strip())
        else:
            before, after = selector[: match.start()], selector[match.end() :]
            pending += [f"{before}{part.strip()}{after}" for part in reversed(match[1].split(","))]
    return expanded + pending


def last_compound(selector: str) -> str:
    """Return the last compound of a selector, without what is in parentheses and brackets.

    >>> last_compound("main > a.b:not(.c)[href]:hover")
    'a.b:not:hover'
    """
    if "(" in selector or "[" in selector:
        selector = _ARGUMENTS.sub("", _ARGUMENTS.sub("", selector))
    return _COMBINATOR.split(selector.strip())[-1]


@lru_cache(maxsize=4096)
def parse_selector(text: str) -> Selector | None:
    """Return a complex selector; None if it is not one that is read.

    >>> parse_selector(".a > p:not(.b)").combinators, parse_selector("a:hover")
    (('>',), None)
    """
    compounds: list[Compound | None] = [None]
    combinators = []
    text, position = text.strip(), 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or len(compounds) > MAX_COMPOUNDS:
            return None
        if not token["combinator"]:
            compounds[-1] = _extended(compounds[-1] or Compound(), token)
        if compounds[-1] is None:
            return None
        if token["combinator"]:
            combinators.append(token["combinator"].strip() or " ")
            compounds.append(None)
        position = token.end()
    read = [compound for compound in reversed(compounds) if compound is not None]
    if len(read) < len(compounds):
        return None
    is_ancestry = _ANCESTRY.issuperset(combinators)
    around = frozenset(name for compound in read[1:] for name in compound.names) if is_ancestry else frozenset()
    return Selector(tuple(read), tuple(reversed(combinators)), around)


def _extended(compound: Compound, token: re.Match[str]) -> Compound | None:
    """Return a compound with one more simple selector; None if that is not read."""
    if token["kind"]:
        name = unescape(token["name"]) if "\\" in token["name"] else token["name"]
        return compound._replace(names=(*compound.names, token["kind"] + name))
    if token["tag"]:
        return compound._replace(tag="" if token["tag"] == "*" else token["tag"].lower())
    if token["attribute"]:
        test = (token["attribute"].lower(), token["operator"] or "", (token["value"] or "").strip("\"'"))
        return compound._replace(attributes=(*compound.attributes, test))
    if token["negated"] is not None:
        negated = [parse_selector(each) for each in token["negated"].split(",")]
        if any(each is None or len(each.compounds) > 1 for each in negated):
            return None
        return compound._replace(negated=(*compound.negated, *(each.compounds[0] for each in negated if each)))
    steps = _EDGES.get(token["edge"]) if token["edge"] else _steps(token["position"], token["formula"])
    return None if steps is None else compound._replace(positions=(*compound.positions, *steps))


def _steps(name: str, formula: str) -> tuple[tuple[str, int, int], ...] | None:
    """Return a pseudo-class with a and b of `an+b` (CSS Syntax 3, 6)."""
    formula = {"odd": "2n+1", "even": "2n"}.get(formula.lower(), formula.lower())
    match = _FORMULA.fullmatch(formula)
    if match is None or len(formula) > _MAX_FORMULA:
        return None
    if match[4]:
        return ((name, 0, int(match[4])),)
    step = int(match[1] + "1") if match[1] in ("", "+", "-") else int(match[1])
    return ((name, step, int((match[2] or "+") + (match[3] or "0"))),)


class Matcher:
    """Match elements with selectors, in a bounded number of steps.

    Args:
        steps: compounds that are compared with elements; after them nothing matches.
    """

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._names: dict[tuple[str, str], frozenset[str]] = {}
        self._around: dict[etree._Element, frozenset[str]] = {}

    @property
    def is_exhausted(self) -> bool:
        """Return whether all steps are used up."""
        return self._steps <= 0

    def matches(self, selector: Selector, element: etree._Element) -> bool:
        """Return whether an element matches a selector."""
        if not self._is_match(selector.compounds[0], element):
            return False
        if selector.around and not self._names_around(element).issuperset(selector.around):
            return False
        return len(selector.compounds) == 1 or self._matches_rest(selector, 1, element)

    def _names_around(self, element: etree._Element) -> frozenset[str]:
        """Return the names of the ancestors of an element."""
        parent = element.getparent()
        if parent is None:
            return frozenset()
        names = self._around.get(parent)
        if names is None:
            self._steps -= 1
            names = self._around[parent] = frozenset().union(*map(self._names_of, element.iterancestors()))
        return names

    def _matches_rest(self, selector: Selector, first: int, element: etree._Element) -> bool:
        """Return whether what is left of a selector, from compound `first` on, matches around an element."""
        if first == len(selector.compounds):
            return True
        combinator, compound = selector.combinators[first - 1], selector.compounds[first]
        return any(
            self._is_match(compound, other, is_around=True) and self._matches_rest(selector, first + 1, other)
            for other in _others(element, combinator)
        )

    def _is_match(self, compound: Compound, element: etree._Element, *, is_around: bool = False) -> bool:
        self._steps -= 1
        if self._steps < 0 or (compound.tag and element.tag != compound.tag):
            return False
        # The classes of the root and the body are states that scripts set, such as `no-js` and `loading`.
        if is_around and element.tag in _VIEWPORT_TAGS and compound != Compound(compound.tag):
            return False
        names = self._names_of(element) if compound.names or compound.negated else frozenset()
        return (
            names.issuperset(compound.names)
            and all(_has_attribute(element, *test) for test in compound.attributes)
            and not any(self._is_match(negated, element) for negated in compound.negated)
            and all(_is_at(element, *position) for position in compound.positions)
        )

    def _names_of(self, element: etree._Element) -> frozenset[str]:
        key = (element.get("class", ""), element.get("id", ""))
        names = self._names.get(key)
        if names is None:
            names = self._names[key] = frozenset((f"#{key[1]}", *(f".{name}" for name in key[0].split())))
        return names


def _others(element: etree._Element, combinator: str) -> Iterator[etree._Element]:
    """Return the elements that a combinator relates an element to, the nearest first."""
    others = element.iterancestors() if combinator in (" ", ">") else element.itersiblings(preceding=True)
    return islice(others, 1 if combinator in (">", "+") else _MAX_LEVELS)


def _has_attribute(element: etree._Element, name: str, operator: str, value: str) -> bool:
    actual = element.get(name)
    if actual is None or not operator:
        return actual is not None
    if operator == "=":
        return actual == value
    if operator == "~=":
        return value in actual.split()
    if operator == "|=":
        return actual == value or actual.startswith(f"{value}-")
    test = {"^=": actual.startswith, "$=": actual.endswith, "*=": actual.__contains__}[operator]
    return value != "" and bool(test(value))


def _is_at(element: etree._Element, name: str, step: int, offset: int) -> bool:
    """Return whether the position of an element among its siblings is `step * n + offset` for an n of at least 0."""
    is_last, of_type = name.startswith("last"), name.endswith("type")
    siblings = element.itersiblings(*(element.tag,) if of_type else (), preceding=not is_last)
    position = 1 + sum(1 for _ in islice(siblings, _MAX_SIBLINGS))
    if position > _MAX_SIBLINGS:
        return False
    difference = position - offset
    return difference == 0 if step == 0 else difference % step == 0 and difference // step >= 0
