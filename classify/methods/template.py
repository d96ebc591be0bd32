"""Extract content by a template: a file of selectors (Bakic 2012).

As published: each line of the file is a selector: the name of an element (`article`), an attribute that an element has
(`itemprop=`), or an attribute and its exact value (`class=post body`). Text in several selected elements counts once.
A bad name, or a value with both kinds of quotes, is an error with its line number.

Added in vclean: blank lines and lines that begin with `#` are ignored. A line that begins with `css:` is a CSS
selector, and one that begins with `xpath:` an XPath expression for elements. `-` before a selector excludes its
elements. The innermost selected element decides; among selectors of the same element, the last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
from lxml import etree

from vclean.classify.methods.base import prediction_of_elements, to_elements
from vclean.classify.methods.registry import get
from vclean.errors import InputError, UsageError
from vclean.imports import import_optional
from vclean.page import split_url
from vclean.render import tree
from vclean.render.snapshot import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method
    from vclean.render.snapshot import Snapshot


_NAME: Final = re.compile(r"[A-Za-z][\w:-]*")
_STRING: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
_ATTRIBUTE: Final = re.compile(r"(?:@|attribute::)\s*([\w:.-]+)")


Selector = tuple[str, etree.XPath, bool]
"""File and line of a selector for messages, its compiled expression, and whether it excludes elements."""


def read(path: Path | None) -> Method:
    """Read a template from a file.

    Raises:
        UsageError: no file is given.
        InputError: the file cannot be read, or a line is wrong.
    """
    if path is None:
        raise UsageError("the method template needs a file of selectors: --template FILE")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not in UTF-8"
        raise InputError(f"cannot read the template {path}: {reason}; check the name and the file") from error
    return parse(text, str(path))


def parse(text: str, source: str = "the template") -> Method:
    """Parse a template; error messages call it `source`.

    Blocks are content if half of their characters are in selected elements and they are not hidden. On use, the method
    raises InputError if an XPath expression selects something other than elements.

    Raises:
        InputError: a line is wrong, or there is no selector.
    """
    selectors = []
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith("#"):
            continue
        place = f"{source}, line {number}"
        try:
            compiled = etree.XPath(_expression(line.removeprefix("-").strip()), regexp=False)
        except (ValueError, SyntaxError, RuntimeError, etree.XPathError) as error:
            raise InputError(f"{place}: {line!r}: {error}") from error
        selectors.append((place, compiled, line.startswith("-")))
    if not selectors:
        raise InputError(f"{source} has no selector: write one a line, such as article, class=post or css:div.post > p")
    return lambda blocks: prediction_of_elements(blocks, _selected(selectors, blocks.snapshot))


def _selected(selectors: Sequence[Selector], snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return whether each element is selected or inside a selected element, bool (N,).

    Raises:
        InputError: an expression selects something other than elements.
    """
    elements = to_elements(snapshot)
    index_of: dict[object, int] = {element: index for index, element in enumerate(elements)}
    selection = np.zeros(len(elements), dtype=np.int8)
    for place, select, excludes in selectors:
        try:
            matches = select(elements[0].getroottree())
        except etree.XPathError as error:
            raise InputError(f"{place}: {error}") from error
        if not isinstance(matches, list) or not all(isinstance(each, etree._Element) for each in matches):
            raise InputError(f"{place}: it has to select elements, as xpath://p does")
        selection[[index_of[element] for element in matches]] = -1 if excludes else 1
    nearest = tree.nearest_ancestor(selection != 0, snapshot.parent)
    return np.asarray(selection[nearest] > 0)


def _expression(selector: str) -> str:
    """Convert a selector to an XPath expression. Raise ValueError if it is wrong."""
    kind, colon, rest = selector.partition(":")
    if colon and kind == "css":
        translator = import_optional("cssselect", "cssselect", "methods").HTMLTranslator()
        expression = str(translator.css_to_xpath(rest.strip()))
    else:
        expression = rest.strip() if colon and kind == "xpath" else _from_line(selector)
    for name in _ATTRIBUTE.findall(_STRING.sub("''", expression)):
        if name not in ATTRIBUTES:
            raise ValueError(f"snapshots do not store the attribute {name}: use one of {', '.join(ATTRIBUTES)}")
    return expression


def _from_line(selector: str) -> str:
    name, equals, value = (part.strip() for part in selector.partition("="))
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of an element or attribute")
    if not equals:
        return f"//*[name() = '{name.lower()}']"
    if not value:
        return f"//*[@{name.lower()}]"
    if "'" in value and '"' in value:
        raise ValueError("a value may have one kind of quotes, not both")
    quote = '"' if "'" in value else "'"
    return f"//*[@{name.lower()} = {quote}{value}{quote}]"


class Templates:
    """Templates by host name in lower case, from the files `HOST.txt` in a folder.

    Raises:
        InputError: there is no such folder, it has no template, or one of them is wrong.
    """

    def __init__(self, folder: Path) -> None:
        self._by_host = {path.stem.lower(): get("template", path) for path in template_files(folder)}

    def for_url(self, url: str) -> Method | None:
        """Return the template of the host of `url`, or of its nearest parent domain with a template, or None.

        A template `example.org` also applies to `www.example.org`, unless that host has its own.
        """
        host = (split_url(url).hostname or "").rstrip(".")
        while host:
            if host in self._by_host:
                return self._by_host[host]
            host = host.partition(".")[2]
        return None


def template_files(folder: Path) -> list[Path]:
    """Return the template files in a folder, sorted by name.

    Raises:
        InputError: there is no such folder, or it has no template.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".txt")
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot read the folder of templates {folder}: {reason}; check the name") from error
    if not files:
        raise InputError(f"no template in {folder}: name each after its host, as in example.org.txt")
    return files
