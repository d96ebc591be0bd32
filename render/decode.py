"""Decode bytes as browsers do, and refuse input that is not HTML.

The order is that of the HTML standard's encoding sniffing algorithm (HTML, 13.2.3.2): byte order mark, the charset
of the transport, a `<meta>` or XML declaration near the start, then detection by frequency. It differs in two
points, as both would lose the text:

- If text is declared as UTF-8 and most of it is not, the encoding is detected.
- If text is declared in a legacy encoding and is well-formed UTF-8 with enough multi-byte characters, it is UTF-8.
  Tools that save pages convert them to UTF-8 and keep the `<meta>`; servers send a default charset. The transport needs
  more evidence than a declaration. A byte order mark always decides.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

from vclean.errors import LimitError, NotHtmlError
from vclean.files import read_table
from vclean.render.repair import apply_edits, describe_edits, find_edits
from vclean.render.static._tree import line_feeds

if TYPE_CHECKING:
    from vclean.page import Page

_DECLARATION_BYTES: Final = 4096
"""Bytes that are searched for a declaration. The standard has 1,024, but some pages begin with long comments."""

_BINARY_BYTES: Final = 8192
_BINARY_SHARE: Final = 0.02
"""Share of control bytes above which a document is not text; broken pages contain a few of them."""

_SPARSE: Final = 0.01
"""Share of non-ASCII bytes below which frequencies are not significant, and windows-1252 is the better guess."""

_FEEDS: Final = {"rss": "an RSS feed", "rdf:rdf": "an RSS feed", "feed": "an Atom feed"}
_FEED: Final = re.compile(
    r"(?>\s+|\ufeff|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)*+<(rss|feed|rdf:RDF)[\s>]", re.IGNORECASE | re.DOTALL
)
"""Begin of a feed: its root element, after declarations and comments."""
_ANY_MARKUP: Final = re.compile(r"<[a-zA-Z/!?]|&#?\w+;")
_PLAIN: Final = "plain text"

_SIGNATURES: Final = tuple((bytes.fromhex(first), name) for first, name in read_table(__file__, "signatures.tsv"))
"""First bytes of files that are not HTML."""

_CODECS: Final = {
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-11": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
}
"""Python codecs of the supersets that the Encoding Standard assigns to labels, and labels that Python lacks."""

_MULTI_BYTE: Final = frozenset({"gb18030", "cp932", "cp949", "big5hkscs", "euc_jp", "iso2022_jp"})
"""Legacy encodings of East Asia. Chance makes UTF-8 of one Chinese character in eight, of four in 2,500."""

_ENOUGH_CHARACTERS: Final = 8
"""Distinct multi-byte characters that prove UTF-8, whatever they are."""

_ENOUGH_ENCODABLE: Final = 3
"""Distinct multi-byte characters that prove UTF-8 if the declared encoding has them too, as in a converted page.

Chance rarely gives them: "É®" in windows-1252 is well-formed UTF-8, but of a letter that windows-1252 lacks.
"""

_TRANSPORT_FACTOR: Final = 2
"""How much more evidence it takes against the charset of the transport, if the document does not declare UTF-8."""

_WINDOWS_1252: Final = "".join(bytes([i]).decode("cp1252", "ignore") or chr(i) for i in range(256))
_CONTROLS: Final = {code: _WINDOWS_1252[code] for code in range(0x80, 0xA0)}
"""Characters for C1 controls: a converter took windows-1252 for ISO 8859-1. The same as for character references (HTML,
13.2.5.80)."""
_C1: Final = re.compile("[\x80-\x9f]")
"""C1 controls."""
_CONVERTED: Final = "converted"
"""Encoding of a document in UTF-8 that names another encoding."""

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta[\s/][^>]*", re.IGNORECASE)
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"""\A\s*<\?xml\s[^>]*encoding\s*=\s*["']([^"']+)""")
_MARKUP = re.compile(rb"<(script|style)\b.*?</\1|<[^>]*>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile("<script", re.IGNORECASE)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_BINARY = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))


class Document(NamedTuple):
    """Document as browser and parser read it: decoded and repaired.

    Attributes:
        text: the source.
        notes: what was repaired.
        source: the text in UTF-8, if it has been in it; else empty.
    """

    text: str
    notes: tuple[str, ...] = ()
    source: bytes = b""

    @property
    def scripted(self) -> bool:
        """Return whether the document has scripts."""
        return _SCRIPT.search(self.text) is not None


def read_document(page: Page, max_bytes: int, *, force_html: bool = False, opens_roots: bool = True) -> Document:
    """Decode and repair the document of a page.

    Args:
        page: the page.
        max_bytes: limit on the size of the document.
        force_html: read JSON, feeds and plain text as HTML, too. Plain text that is a string always is.
        opens_roots: whether closed shadow roots are opened, as browsers need it.

    Raises:
        LimitError: the document has more than `max_bytes` bytes (characters if it is text).
        NotHtmlError: the document is empty, binary, JSON, a feed or plain text.
    """
    text, source = source_text(page, max_bytes)
    if not force_html:
        refuse_other_text(text, plain=isinstance(page.content, bytes))
    return repaired(text, source, opens_roots=opens_roots)


def refuse_other_text(source: str, *, plain: bool = True) -> None:
    """Raise NotHtmlError if a document is JSON, a feed, or with `plain` text without any markup."""
    kind = _text_kind(source)
    if kind and (plain or kind != _PLAIN):
        raise NotHtmlError(f"this is {kind}, not HTML: --force-html (force_html=True) cleans it all the same")


def _text_kind(source: str) -> str:
    head = source[:_DECLARATION_BYTES]
    if feed := _FEED.match(head):
        return _FEEDS[feed[1].lower()]
    if head.lstrip()[:1] in ("{", "[") and source.rstrip()[-1:] in ("}", "]"):
        with suppress(ValueError, RecursionError):
            json.loads(source)
            return "JSON"
    return "" if _ANY_MARKUP.search(source) else _PLAIN


def repaired(text: str, source: bytes = b"", *, opens_roots: bool = True) -> Document:
    """Repair a text (see `vclean.render.repair`) with its `source` in UTF-8, if it is known."""
    edits = find_edits(text, source, opens_roots=opens_roots)
    return Document(apply_edits(text, edits), describe_edits(edits), b"" if edits else source)


def source_text(page: Page, max_bytes: int) -> tuple[str, bytes]:
    """Return the document of a page as text with normalized line ends and without NULs, and its UTF-8 if it is known.

    Raises:
        LimitError: the document has more than `max_bytes` bytes (characters if it is text).
        NotHtmlError: the document is empty or binary.
    """
    size = len(page.content)
    if size > max_bytes:
        raise LimitError(f"the document has {size:,} bytes, over the limit of {max_bytes:,}: raise it with --max-bytes")
    if isinstance(page.content, bytes):
        return _decode(page.content, page.charset)
    # No decoder returns lone surrogates, but a string may contain them: they are U+FFFD.
    return _preprocess(page.content).encode("utf-16", "surrogatepass").decode("utf-16", "replace"), b""


def decode(content: bytes, charset: str = "") -> str:
    r"""Decode an HTML document as browsers do.

    Args:
        content: the document; it may be truncated anywhere.
        charset: the encoding label of the transport (HTTP header, archive record), or the empty string.

    Returns:
        The text without byte order mark. Malformed sequences are U+FFFD, line ends are U+000A, and NULs are removed
        (HTML, 13.2.5.1 and 13.2.6.4.7: ignored in content).

    Raises:
        NotHtmlError: the input is empty, only white space, or binary.

    >>> decode(b'<meta charset="iso-8859-1">\x93quoted\x94')
    '<meta charset="iso-8859-1">“quoted”'
    >>> decode("<p>Žluťoučký kůň".encode())
    '<p>Žluťoučký kůň'
    """
    return _decode(content, charset)[0]


def _decode(content: bytes, charset: str) -> tuple[str, bytes]:
    """Return the text of a document, and the text in UTF-8 or nothing."""
    encoding, start = _byte_order_mark(content)
    if not encoding:
        _refuse_signature(content)
        encoding = _labelled_encoding(content, encoding_of(charset))
    content = content[start:]
    if encoding.startswith("utf-16"):
        return _preprocess(_decode_with(content, encoding)), b""
    head = content[:_BINARY_BYTES]
    if len(head) - len(head.translate(None, _BINARY)) > _BINARY_SHARE * len(head):
        raise NotHtmlError("this is binary data, not HTML")
    content = line_feeds(content).replace(b"\0", b"")  # faster than in the text
    is_certain = start or encoding not in ("", "utf-8")
    text, source = (_decode_with(content, encoding), b"") if is_certain else _as_utf8_or_detected(content)
    return _not_empty(text), source


def encoding_of(label: str) -> str:
    """Return the Python codec for a label of the Encoding Standard; empty if it is unknown.

    >>> encoding_of("ISO-8859-1"), encoding_of("gb2312"), encoding_of("bogus")
    ('cp1252', 'gb18030', '')
    """
    label = label.strip().strip("'\"").lower()
    name = map_encoding_to_html5(label, fallback_utf8=False) or ""
    return _CODECS.get(name or label, name)


def _preprocess(text: str) -> str:
    """Normalize line ends and drop NULs; refuse text of white space only."""
    return _not_empty(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))


def _not_empty(text: str) -> str:
    if not text or text.isspace():
        raise NotHtmlError("the document is empty")
    return text


def _byte_order_mark(content: bytes) -> tuple[str, int]:
    """Return the encoding and length of a byte order mark; UTF-16 without a mark is detected by its first `<`."""
    marks = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
    for mark, encoding in marks:
        if content.startswith(mark):
            return encoding, len(mark)
    if content[:4:2] and content[1:4:2] == b"\0\0" and content[:1] == b"<":
        return "utf-16-le", 0
    if content[:3:2] == b"\0\0" and content[1:2] == b"<":
        return "utf-16-be", 0
    return "", 0


def _refuse_signature(content: bytes) -> None:
    head = content[:_BINARY_BYTES].lstrip()
    if not head and not content.strip():
        raise NotHtmlError("the document is empty")
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            raise NotHtmlError(f"this is {name}, not HTML")


def _labelled_encoding(content: bytes, transport: str) -> str:
    """Return the encoding of the transport, else the declared one; `_CONVERTED` if the document proves it false."""
    declared = _declared_encoding(content)
    label = transport or declared
    if label in ("", "utf-8") or label.startswith("utf-16"):
        return label
    needed = _TRANSPORT_FACTOR if transport and declared != "utf-8" else 1
    return _CONVERTED if _utf_8_evidence(content, label) >= needed else label


def _utf_8_evidence(content: bytes, label: str) -> float:
    """Return the evidence that a document is UTF-8 and not in the legacy encoding `label`; 1 is enough.

    It is 0 if a sequence is malformed; the last one may be truncated.
    """
    try:
        text, _ = codecs.utf_8_decode(content, "strict", False)
    except UnicodeDecodeError:
        return 0
    counts = Counter(_NON_ASCII.findall(text))
    proofs = sum(_proofs(character, count, label) for character, count in counts.items())
    return max(proofs / _ENOUGH_ENCODABLE, len(counts) / _ENOUGH_CHARACTERS)


def _proofs(character: str, count: int, label: str) -> int:
    """Return how many proofs of UTF-8 the occurrences of a character are: 1 if the encoding `label` has it.

    Typographic punctuation is in pages of any encoding. Its three bytes are no text in a single-byte encoding
    (windows-1252: "â€™"), so there each occurrence is a proof.
    """
    if "\u2010" <= character <= "\u203a" or (label == "cp1252" and ord(character) in _CONTROLS):
        return 1 if label in _MULTI_BYTE else count
    codec = "gbk" if label == "gb18030" else label  # GB 18030 has all of Unicode
    try:
        return len(character.encode(codec)) > 0
    except (UnicodeEncodeError, LookupError):
        return 0


def _declared_encoding(content: bytes) -> str:
    """Return the encoding of the first `<meta>` that declares a known one, else that of the XML declaration."""
    head = content[:_DECLARATION_BYTES]
    for tag in _META.findall(_COMMENT.sub(b"", head)):
        charset = _CHARSET.search(tag)
        encoding = _ascii_compatible(charset.group(1)) if charset else ""
        if encoding:
            return encoding
    declaration = _XML_DECLARATION.match(head)
    return _ascii_compatible(declaration.group(1)) if declaration else ""


def _ascii_compatible(label: bytes) -> str:
    """Return the encoding of a label that was read as ASCII, which excludes UTF-16 (HTML, 13.2.3.2)."""
    encoding = encoding_of(label.decode("latin-1"))
    return "utf-8" if encoding.startswith("utf-16") else encoding


def _as_utf8_or_detected(content: bytes) -> tuple[str, bytes]:
    """Decode a document that declares UTF-8 or no encoding; return its UTF-8 too if it is well-formed.

    It is UTF-8 unless malformed sequences outnumber the well-formed multi-byte sequences; ASCII is UTF-8.
    """
    with suppress(UnicodeDecodeError):
        return content.decode(), content
    text = content.decode("utf-8", "replace")
    malformed = text.count("\ufffd")
    non_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text if non_ascii >= 2 * malformed else _decode_with(content, _detected(content)), b""


def _detected(content: bytes) -> str:
    """Detect an encoding other than UTF-8 by byte frequencies."""
    text = _MARKUP.sub(b" ", content[: 2**20])
    if len(text.translate(None, bytes(range(128)))) < _SPARSE * len(text.strip()):
        return "cp1252"
    name = detect_encoding(text) or ""
    return _CODECS.get(name, name) if name != "utf-8" else "cp1252"


def _decode_with(content: bytes, encoding: str) -> str:
    if encoding == _CONVERTED:
        return _C1.sub(lambda match: _CONTROLS[ord(match[0])], content.decode("utf-8", "replace"))
    if encoding == "cp1252":
        return codecs.charmap_decode(content, "replace", _WINDOWS_1252)[0]
    return content.decode(encoding, "replace")
