r"""Write formulas as text: MathML, and the TeX in it or in scripts of MathJax.

The text of a formula is its TeX if the page has it: in `<annotation>`, in a script of MathJax, or in the attribute
`alttext` (MathML 3, 2.2.1 and 5.1). Other MathML becomes a line of TeX that people can read: `(a + b)/c`, `x_i^{n+1}`,
`\sqrt{x}`. The elements are those of MathML Core and of MathML 3, chapter 3.
"""

from __future__ import annotations

import html
import re
from itertools import zip_longest
from typing import Final

from lxml import etree

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
_TOKENS: Final = frozenset(("mi", "mn", "mo", "ms", "mtext"))
_EMPTY: Final = frozenset(("annotation", "annotation-xml", "maligngroup", "malignmark", "mphantom", "mprescripts",
                           "mspace", "none"))  # fmt: skip
_FIRST_ONLY: Final = frozenset(("maction", "semantics"))
_SCRIPTS: Final = {"msub": "_", "msup": "^", "msubsup": "_^", "munder": "_", "mover": "^", "munderover": "_^"}
_ACCENTS: Final = {"¯": "bar", "‾": "bar", "^": "hat", "ˆ": "hat", "→": "vec", "\u20d7": "vec", "~": "tilde",
                   "˜": "tilde", "˙": "dot", "¨": "ddot"}  # fmt: skip
_INVISIBLE: Final = dict.fromkeys(range(0x2061, 0x2065), "")
"""Function application, invisible times, separator and plus."""
_ESCAPED: Final = str.maketrans({character: rf"\{character}" for character in "{}%#&$_"})
_INFIX: Final = frozenset("=<>≤≥≠≈≡∼≃≅∝+−-±∓×÷⋅·→←↔⇒⇐⇔↦∈∉⊂⊆⊃⊇∪∩∧∨≪≫≔:")
_TERM: Final = re.compile(
    r"\([^()]*\)|[\d.,]+|.|(?:[^\W\d_]+|\\[a-z]+(?:\[[^][]*\])?\{[^{}]*\})(?:[_^](?:[^{}]|\{[^{}]*\}))*"
)
"""Numbers, names with scripts, and what is in parentheses or braces: fractions and scripts of them are clear."""
_FIRST_LETTERS: Final = re.compile(r"[^\W\d_]+")
_LAST_LETTERS: Final = re.compile(r"[^\W\d_]+$")
_OPENING: Final = ("(", "[", "⟨", "|", "‖", ",", ";", r"\{")


def formula_text(source: str | etree._Element) -> str:
    r"""Return a formula in one line: its TeX, or its MathML as a line of TeX; empty if there is neither.

    A `<math>` without an end tag contains the rest of its page, and is no formula.

    Args:
        source: a `<math>` element, its source, or TeX.

    >>> formula_text("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>")
    'a/(b + 1)'
    >>> formula_text(r"{\displaystyle E=mc^{2}}")
    'E=mc^{2}'
    """
    if isinstance(source, str) and not source.lstrip().startswith("<"):
        return _tidy(source)
    math = _parse(source) if isinstance(source, str) else source
    if math is None or next(math.iter(*_PARTS_OF_PAGES), None) is not None:
        return ""
    return _tidy(_annotation(math) or math.get("alttext", "")) or " ".join(_line(math, 0).split())


def _parse(source: str) -> etree._Element | None:
    parser = etree.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(source[:MAX_SOURCE], parser)
    return None if root is None else next(root.iter("math"), None)


def _annotation(math: etree._Element) -> str:
    """Return the TeX in the annotations of a formula, or an empty string."""
    for annotation in math.iter("annotation"):
        if annotation.get("encoding", "").strip().lower() in _TEX_TYPES:
            return _characters(annotation)
    return ""


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
    depth = 0
    for brace in _BRACE.findall(tex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _line(element: etree._Element, depth: int) -> str:
    """Return an element of MathML as a line."""
    tag, children = element.tag, list(element.iterchildren("*"))
    if tag in _EMPTY:
        return " " * (tag == "mspace")
    if depth > _MAX_DEPTH or tag in _TOKENS or not children:
        return _token(_characters(element))
    if tag in _FIRST_ONLY:
        return _line(children[0], depth + 1)
    return _arranged(element, [child.tag for child in children], [_line(child, depth + 1) for child in children])


def _arranged(element: etree._Element, tags: list[str], parts: list[str]) -> str:
    """Return an element of MathML as a line, given the tags of its children and their lines."""
    tag = element.tag
    if tag == "mmultiscripts":
        return _multiscripts(tags, parts)
    if tag in _SCRIPTS:
        return _scripts(parts, _SCRIPTS[tag], is_accent=tag == "mover")
    if tag == "mfenced":
        return f"{element.get('open', '(')}{', '.join(parts)}{element.get('close', ')')}"
    return _layout(tag, parts)


def _layout(tag: str, parts: list[str]) -> str:
    if tag == "mfrac" and len(parts) == 2:
        return "/".join(_in_parentheses(part) for part in parts)
    if tag == "mroot" and len(parts) == 2:
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if tag in ("mtable", "mtr"):
        return ("; " if tag == "mtable" else ", ").join(filter(None, parts))
    return rf"\sqrt{{{_row(parts)}}}" if tag == "msqrt" else _row(parts)


def _token(text: str) -> str:
    """Return the characters of a token; entities of MathML that the parser does not know are resolved."""
    return " ".join(html.unescape(text).translate(_INVISIBLE).split()).translate(_ESCAPED)


def _row(parts: list[str]) -> str:
    """Join parts: spaces around infix operators, and between words."""
    line = ""
    for part in parts:
        infix = part in _INFIX and line and not line.endswith((" ", *_OPENING))
        line += f" {part} " if infix else " " * _are_words(line, part) + part
    return line.rstrip() if line.strip() else line


def _are_words(line: str, part: str) -> bool:
    """Return whether letters meet that are not only names of one letter, which are a product; or follow a script."""
    if len(line) > 1 and line[-2] in "_^" and part[:1].isalnum():
        return True
    letters = _LAST_LETTERS.search(line), _FIRST_LETTERS.match(part)
    return all(letters) and any(match is not None and len(match[0]) > 1 for match in letters)


def _in_parentheses(part: str) -> str:
    """Return a part of a fraction, or the base of a script, in parentheses unless it is one term."""
    part = part.strip()
    return part if not part or _TERM.fullmatch(part) else f"({part})"


def _braced(part: str) -> str:
    part = part.strip()
    return part if len(part) == 1 else f"{{{part}}}"


def _scripts(parts: list[str], signs: str, *, is_accent: bool = False) -> str:
    base, scripts = _in_parentheses(parts[0]), [part.strip() for part in parts[1:]]
    if is_accent and scripts and scripts[0] in _ACCENTS:
        return rf"\{_ACCENTS[scripts[0]]}{{{base}}}"
    return base + "".join(sign + _braced(part) for sign, part in zip(signs, scripts, strict=False) if part)


def _multiscripts(tags: list[str], parts: list[str]) -> str:
    """Return a base with pairs of scripts after it, and those behind `<mprescripts>` before it (MathML 3, 3.4.7)."""
    split = tags.index("mprescripts") if "mprescripts" in tags else len(tags)
    after, before = (_pairs(part) for part in (parts[1:split], parts[split + 1 :]))
    return "".join([*("{}" + pair for pair in before), parts[0], *after])


def _pairs(parts: list[str]) -> list[str]:
    pairs = zip_longest(parts[::2], parts[1::2], fillvalue="")
    return [_scripts(["", *pair], "_^") for pair in pairs]
