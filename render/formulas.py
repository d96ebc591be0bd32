r"""Write formulas as TeX: MathML, and the TeX in it or in scripts of MathJax.

The text of a formula is its TeX if the page has it: in `<annotation>`, in a script of MathJax, or in the attribute
`alttext` (MathML 3, 2.2.1 and 5.1). Other MathML is converted: `\frac{a}{b}`, `x_i^{n+1}`, `\sqrt{x}`. So is MathML
whose TeX has other letters than what is painted. The elements are those of MathML Core and of MathML 3, chapter 3, but
for `mfenced`: browsers paint no fences around its content.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, Final

from lxml import etree

from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

WRAPPERS: Final = (
    "mjx-container", ".katex", ".katex-display", ".MathJax", ".MathJax_Display", ".MathJax_CHTML", ".MathJax_SVG",
    ".MathJax_SVG_Display", ".MJXc-display", ".mjx-chtml", ".mwe-math-element",
)  # fmt: skip
"""Tags and classes of elements with one formula, drawn and as MathML: of MathJax, KaTeX and MediaWiki."""

DISPLAY_WRAPPERS: Final = (
    ".katex-display", ".MathJax_Display", ".MathJax_SVG_Display", ".MJXc-display", ".mwe-math-element-block",
    "mjx-container[display=true]",
)  # fmt: skip
"""Wrappers of a formula in a line of its own."""

PREVIEWS: Final = (".MathJax_Preview",)
"""Replacements of a formula in a script of MathJax until it is drawn."""

DRAWINGS: Final = (
    "mjx-container:not(:has(math))", "span.mjx-chtml:not(:has(math))",
    *(f'img[src*="{part}" i]' for part in ("latex", "/tex", "/formula/", "cht=tx", "math", "equation")),
    *(f"img.{name}" for name in ("latex", "tex", "math", "equation", "formula")),
)  # fmt: skip
"""Selectors of formulas without MathML: what MathJax draws, and what may be an image of a formula."""

MAX_SOURCE: Final = 50_000
"""Characters of a formula that are read."""

_MAX_DEPTH: Final = 100
_TEX_TYPES: Final = frozenset(("application/x-tex", "application/x-latex", "latex", "tex", "text/latex", "text/x-tex"))
_STYLE: Final = re.compile(r"\{\\(?:display|text)style\s+(.*)\}", re.DOTALL)
_DELIMITERS: Final = (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)"))
_COMMENT: Final = re.compile(r"(?<!\\)%[^\n]*\n\s*")
_BRACE: Final = re.compile(r"(?<!\\)[{}]")
_PARTS_OF_PAGES: Final = ("p", "ul", "ol", "table", "section", "article", "h1", "h2", "h3", "h4", "h5", "h6")
"""Elements that no formula contains."""
_EMPTY: Final = frozenset(("annotation", "annotation-xml", "maligngroup", "malignmark", "mphantom", "mprescripts",
                           "none"))  # fmt: skip
_SCRIPTS: Final = {"msub": "_", "msup": "^", "msubsup": "_^", "munder": "_", "mover": "^", "munderover": "_^"}
_OVER: Final = {"¯": "bar", "‾": "overline", "―": "overline", "^": "hat", "ˆ": "hat", "→": "vec", "\u20d7": "vec",
                "~": "tilde", "˜": "tilde", "˙": "dot", ".": "dot", "¨": "ddot", "⏞": "overbrace"}  # fmt: skip
_UNDER: Final = {"_": "underline", "¯": "underline", "\u0332": "underline", "⏟": "underbrace"}
_FONTS: Final = {"bold": "mathbf", "double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak",
                 "normal": "mathrm", "sans-serif": "mathsf", "monospace": "mathtt"}  # fmt: skip
_FENCES: Final = {("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("|", "|"): "vmatrix", ("‖", "‖"): "Vmatrix",
                  (r"\{", r"\}"): "Bmatrix"}  # fmt: skip
_INVISIBLE: Final = dict.fromkeys(range(0x2061, 0x2065), "")
"""Function application, invisible times, separator and plus."""
_ESCAPED: Final = str.maketrans({character: rf"\{character}" for character in "{}%#&$_"})
_FUNCTION_NAMES: Final = (
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max "
    "min sec sin sinh sup tan tanh Pr"
)
_FUNCTIONS: Final = frozenset(_FUNCTION_NAMES.split())
_SYMBOLS: Final = tuple(read_table(__file__, "symbols.tsv"))
_COMMANDS: Final = {character: command for character, command, _ in _SYMBOLS}
"""Commands of LaTeX by character."""
_INFIX: Final = frozenset((*"=<>+-:", *(f"\\{command}" for _, command, kind in _SYMBOLS if kind == "infix")))
_COMMAND_END: Final = re.compile(r"\\[A-Za-z]+$")
_ONE: Final = re.compile(r"\\?[^\W_]|\\[A-Za-z]+|\d")
"""A token of TeX that needs no braces as a script."""
_BASE: Final = re.compile(r"\\?[^\\{}\s]|\\[A-Za-z]+(?:\{[^{}]*\})?|[\d.,]+|\([^()]*\)|\\left.*\\right.", re.DOTALL)
"""TeX that needs no braces as the base of a script."""
_COMMAND: Final = re.compile(r"\\(?:(?:text|operatorname|mathrm)\*?(?=\{)|(?:begin|end)\{[^}]*\}|[A-Za-z]+)")


def formula_text(source: str | etree._Element) -> str:
    r"""Return a formula in one line: its TeX, or its MathML as a line of TeX; empty if there is neither.

    A `<math>` without an end tag contains the rest of its page, and is no formula.

    Args:
        source: a `<math>` element, its source, or TeX.

    >>> formula_text("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>")
    '\\frac{a}{b + 1}'
    >>> formula_text(r"{\displaystyle E=mc^{2}}")
    'E=mc^{2}'
    """
    if isinstance(source, str) and not source.lstrip().startswith("<"):
        return _tidy(source)
    math = _parse(source) if isinstance(source, str) else source
    if math is None or next(math.iter(*_PARTS_OF_PAGES), None) is not None:
        return ""
    tex = _tidy(_annotation(math) or math.get("alttext", ""))
    return tex if tex and _says_the_same(tex, math) else " ".join(_tex(math, 0).split()) or tex


def _says_the_same(tex: str, math: etree._Element) -> bool:
    """Return whether TeX has at least half of its letters and digits in common with what is painted, or has few."""
    painted = Counter(_SIGN.findall("".join(_painted(math))))
    source = Counter(_SIGN.findall(_COMMAND.sub("", tex)))
    return not painted or 2 * (painted & source).total() >= source.total() or source.total() < _MIN_SIGNS


_SIGN: Final = re.compile("[A-Za-z0-9]")
_MIN_SIGNS: Final = 8
"""Letters and digits of TeX that is compared with what is painted."""


def _painted(element: etree._Element) -> Iterator[str]:
    if element.tag not in _EMPTY:
        yield element.text or ""
        for child in element.iterchildren("*"):
            yield from _painted(child)


def _parse(source: str) -> etree._Element | None:
    parser = etree.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(source[:MAX_SOURCE], parser)
    return None if root is None else next(root.iter("math"), None)


def _annotation(math: etree._Element) -> str:
    """Return the TeX in the annotations of a formula, or an empty string."""
    found = (each for each in math.iter("annotation") if each.get("encoding", "").strip().lower() in _TEX_TYPES)
    return next(map(_characters, found), "")


def _characters(element: etree._Element) -> str:
    return etree.tostring(element, encoding="unicode", method="text", with_tail=False)


def _tidy(tex: str) -> str:
    """Return TeX in one line, without delimiters, comments, and the style that converters add."""
    tex = " ".join(_COMMENT.sub("", tex).split())
    for begin, end in _DELIMITERS:
        if len(tex) > len(begin + end) and tex.startswith(begin) and tex.endswith(end):
            tex = tex[len(begin) : -len(end)].strip()
    styled = _STYLE.fullmatch(tex)
    tex = styled[1] if styled and _is_balanced(styled[1]) else tex
    return tex.removeprefix(r"\displaystyle ").removeprefix(r"\textstyle ").strip()


def _is_balanced(tex: str) -> bool:
    depths = [0, *accumulate(1 if brace == "{" else -1 for brace in _BRACE.findall(tex))]
    return min(depths) == depths[-1] == 0


def _tex(element: etree._Element, depth: int) -> str:  # noqa: PLR0911 - a case per kind of element
    """Return an element of MathML as TeX."""
    tag, children = str(element.tag), list(element.iterchildren("*"))
    if tag in _EMPTY:
        return ""
    if tag == "mspace":
        return " "
    if tag == "mtable":
        is_aligned = element.get("displaystyle") == "true" or "right" in element.get("columnalign", "")
        return _table("aligned" if is_aligned else "matrix", element, depth)
    if depth > _MAX_DEPTH or not children:
        return _token(tag, _characters(element), element.get("mathvariant", ""))
    if tag in ("maction", "semantics"):
        return _tex(children[0], depth + 1)
    parts = [_tex(child, depth + 1) for child in children]
    if tag == "mmultiscripts":
        return _multiscripts([str(child.tag) for child in children], parts)
    if tag in ("mfrac", "mroot", *_SCRIPTS) and len(parts) > 1:
        return _layout(element, parts)
    row = _row(children, parts, depth)
    return rf"\sqrt{{{row}}}" if tag == "msqrt" else row


def _layout(element: etree._Element, parts: list[str]) -> str:
    tag = str(element.tag)
    if tag == "mfrac":
        has_line = element.get("linethickness", "").strip() not in ("0", "0px", "0pt")
        return rf"\frac{{{parts[0]}}}{{{parts[1]}}}" if has_line else rf"{{{parts[0]} \atop {parts[1]}}}"
    if tag == "mroot":
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    base, script = parts[0].strip(), parts[1].strip()
    accents = {"mover": _OVER, "munder": _UNDER}.get(tag, {})
    character = _characters(element[1]).strip() if len(element) > 1 else ""
    if script and character in accents:
        return rf"\{accents[character]}{{{base}}}"
    return _scripts(base, parts[1:], _SCRIPTS[tag])


def _row(children: list[etree._Element], parts: list[str], depth: int) -> str:
    """Join the parts of a row; fences around a table or a fraction without a line become those of TeX."""
    for index, inner in enumerate(map(_only, children)):
        before, after = (parts[at].strip() if 0 <= at < len(parts) else "" for at in (index - 1, index + 1))
        if inner.tag == "mtable" and (name := _FENCES.get((before, after), "cases" if before == r"\{" else "")):
            parts[index] = _table(name, inner, depth)
        elif inner.tag == "mfrac" and r" \atop " in parts[index] and (before, after) == ("(", ")"):
            above, _, below = parts[index].strip()[1:-1].partition(r" \atop ")
            parts[index] = rf"\binom{{{above}}}{{{below}}}"
        else:
            continue
        parts[index - 1] = ""
        if after and not parts[index].startswith(r"\begin{cases}"):
            parts[index + 1] = ""
    return _join(parts)


def _only(element: etree._Element) -> etree._Element:
    """Return the only element in rows and styles of one element."""
    while element.tag in ("mrow", "mstyle", "mpadded") and len(element) == 1:
        element = element[0]
    return element


def _join(parts: list[str]) -> str:
    """Join parts with spaces around infix operators, and after commands that letters follow."""
    line = ""
    for part in parts:
        if part.strip() in _INFIX and line and not line.endswith((" ", "(", "[", ",", "{", "|")):
            line += f" {part.strip()} "
        else:
            is_glued = _COMMAND_END.search(line) or (line[-2:-1] in ("_", "^") and part[:1].isalnum())
            line += " " * bool(is_glued and (part[:1].isalpha() or line[-2:-1] in ("_", "^"))) + part
    return line.strip() if line.strip() else line


def _table(name: str, element: etree._Element, depth: int) -> str:
    rows = [
        " & ".join(_tex(cell, depth + 1).strip() for cell in row.iterchildren("mtd"))
        for row in element.iterchildren("mtr", "mlabeledtr")
    ]
    return rf"\begin{{{name}}} " + r" \\ ".join(rows) + rf" \end{{{name}}}"


def _token(tag: str, text: str, variant: str) -> str:
    """Return the characters of a token; entities of MathML that the parser does not know are resolved."""
    words = " ".join(html.unescape(text).translate(_INVISIBLE).split())
    if tag in ("mtext", "ms") and any(map(str.isalpha, words)):
        pad = text[:1].isspace(), text[-1:].isspace()
        return rf"\text{{{' ' * pad[0]}{words.translate(_ESCAPED)}{' ' * pad[1]}}}"
    if tag in ("mi", "mo") and words in _FUNCTIONS:
        return rf"\{words}"
    if tag == "mi" and len(words) > 1 and words.isalpha():
        return rf"\{_FONTS.get(variant, 'operatorname')}{{{words}}}"
    characters = words.replace("−", "-").translate(_ESCAPED)
    tex = _join([rf"\{_COMMANDS[each]}" if each in _COMMANDS else each for each in characters])
    return rf"\{_FONTS[variant]}{{{tex}}}" if variant in _FONTS and tag == "mi" and variant != "normal" and tex else tex


def _scripts(base: str, scripts: list[str], signs: str) -> str:
    base = base.strip()
    base = base if not base or _BASE.fullmatch(base) else f"{{{base}}}"
    written = ((sign, part.strip()) for sign, part in zip(signs, scripts, strict=False) if part.strip())
    return base + "".join(sign + (part if _ONE.fullmatch(part) else f"{{{part}}}") for sign, part in written)


def _multiscripts(tags: list[str], parts: list[str]) -> str:
    """Return a base with pairs of scripts after it, and those behind `<mprescripts>` before it (MathML 3, 3.4.7)."""
    split = tags.index("mprescripts") if "mprescripts" in tags else len(tags)
    halves = (zip_longest(part[::2], part[1::2], fillvalue="") for part in (parts[1:split], parts[split + 1 :]))
    after, before = ([_scripts("", list(pair), "_^") for pair in pairs] for pairs in halves)
    return "".join([*("{}" + pair for pair in before), parts[0], *after])
