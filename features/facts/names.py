"""Read names of authors from text: cut off what is around them, and split lists of names."""

from __future__ import annotations

import re
from typing import Final

from vclean.features.facts.mentions import MAX_NAME_CHARS, pattern_of, words_of
from vclean.features.headline import normalize
from vclean.features.text.dates import find_dates

MAX_AUTHORS: Final = 20
MAX_WORDS: Final = 8
"""Most words of one name; names of organizations are the longest."""


_BY: Final = r"(?:{by}|text(?=\s*[:：]))"
"""Words that begin a byline."""
_PREFIX: Final = pattern_of(r"^\s*(?:[-–—|•·*@~(（]\s*)*(?:" + _BY + r"\b\s*[:：]?\s*)+(?=\S)")
_BYLINE: Final = pattern_of(r"^\s*(?:[-–—|•·*(（]\s*)*(?P<by>" + _BY + r"\b)\s*[:：]?\s*(?=\S)")
_ONLY_BY: Final = pattern_of(_BY)
_STRONG: Final = frozenset(words_of("only_before_capital"))
"""Words that begin a byline only before a capital letter: they are common words, too."""
_REPORTER_AFTER: Final = re.compile(
    r"^\s*([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,8})\s?(?:記者|记者|기자|特派員|특파원)\s*$"
)
"""Name with the word for a reporter after it: Korean, Japanese and Chinese."""
_PLACE: Final = re.compile(
    r"^((?:\S+\s){1,3}\S+(?:\s(?:and|und|et|y|e|en|og|och|i)\s(?:\S+\s){1,3}\S+)?)\s*,\s*[^\W\d_]+\s*$"
)
"""One name, or two with a conjunction, and then a word after a comma: the place or the agency of a report."""
_MAIL: Final = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}\.[\w.-]{2,60}")
_END: Final = pattern_of(
    r"\s+[|•·–—/]\s*.*|\s*[|•·]\s*.*|\s+-\s+.*|\s*[()）].*|\s*\n.*|\s+(?:{on})\s+(?=\w+\.?,?\s*\d|\d).*|"
    r",?\s+(?:{end}|\d+\s+min|in\s+[A-Z]|for\s+[A-Z])\b.*",
    re.IGNORECASE | re.DOTALL,
)
_SPLIT: Final = pattern_of(r"\s*[,;，、/]\s*|\s+(?:{and})\s+(?=\S)", 0)
_DEGREE: Final = r"(?:(?:[A-Z]\.?){2,7}(?:-[A-Z]+)*|Ph\.?\s?D\.?|[A-Z][a-z]{1,2}[A-Z]{1,2}|MSc?|BSc?|[JS]r\.?)"
_CREDENTIAL: Final = re.compile(rf"{_DEGREE}(?:\s{_DEGREE}){{0,3}}(?:\s*\([^)]*\))?")
_ROLE: Final = pattern_of(r"\b(?:{role})\b")
_DANGLING: Final = pattern_of(r"\s(?:{on})\s*$", 0)
"""Prepositions of dates that were cut off."""
_PARTS: Final = re.compile(r"\s*[|•·]\s*|\s+[-–—]\s+|\n|\s+(?=[^\s:：]{1,12}\s?[:：](?!\d))")
_LABEL: Final = pattern_of(
    r"(?:{date_label}|{on}|mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|\w+day|\w+tag)?(?: (?:{on}))?\s*:?"
)
"""Parts of a byline without names: labels of dates and sources, and days of the week."""
_WEEKDAY: Final = re.compile(r"\b(?:(?:mon|tues?|wed|thu|fri|sat)(?:\.|[a-z]*day)?|sunday),?\s*$", re.IGNORECASE)
"""Day of the week before a date, without the abbreviation of Sunday: it is a name, too."""
_AROUND: Final = " .,:;–—|•·()（）\"“”'*"
"""Characters around a name that are no part of it."""
_ADDRESS: Final = re.compile(r"https?://|www\.|@|\.(?:com|org|net)/")


def byline_word(text: str) -> str:
    """Return the word that begins a byline, in lower case; an empty string if the text begins otherwise.

    >>> byline_word("By Ann Lee"), byline_word("Door to the sea")
    ('by', '')
    """
    match = _BYLINE.match(text[:60])
    if not match:
        return "記者" if _REPORTER_AFTER.match(text[:60]) else ""
    word = match["by"].casefold()
    following = text[match.end() : match.end() + 1]
    return "" if word in _STRONG and following.islower() else word


def split_names(text: str) -> tuple[str, ...]:
    """Return the names in a byline or in the value of a property, at most `MAX_AUTHORS`.

    >>> split_names("By Ann Lee and Bo Ek | March 7, 2024"), split_names("7.3.2024 | 14:07 Uhr | Von Ann Lee")
    (('Ann Lee', 'Bo Ek'), ('Ann Lee',))
    >>> split_names("https://example.org/ann"), split_names("Lee, Ann")
    ((), ('Lee', 'Ann'))
    """
    text = _MAIL.sub(" ", text) if "@" in text and len(text) < MAX_NAME_CHARS else text
    if len(text) > 3 * MAX_NAME_CHARS or _ADDRESS.search(text):
        return ()
    part = name_part(text)
    if byline_word(part):
        part = _PLACE.sub(r"\1", _REPORTER_AFTER.sub(r"\1", _PREFIX.sub("", part)))
    part = _DANGLING.sub("", _END.sub("", part)).strip(" ,;:-–—|•·")
    names = [name.strip(_AROUND).removeprefix("and ") for name in _SPLIT.split(part)]
    return tuple(dict.fromkeys(name for name in names if is_name(name)))[:MAX_AUTHORS]


def has_role(name: str) -> bool:
    """Return whether a name has the word of a profession or an office.

    >>> has_role("Senior Autos Reporter"), has_role("Ann Lee")
    (True, False)
    """
    return bool(_ROLE.search(name))


def name_part(text: str) -> str:
    """Return the part of a byline with the names.

    It is the part that begins with a word of authorship, else the first one that is not a label of dates.
    """
    for date in reversed(list(find_dates(text))):
        text = f"{_WEEKDAY.sub('', text[: date.start])} | {text[date.end :]}"
    parts = [part.strip() for part in _PARTS.split(text)]
    parts = [part for part in parts if any(map(str.isalpha, part)) and not _LABEL.fullmatch(part)]
    return next((part for part in parts if byline_word(part)), parts[0] if parts else "")


def is_name(text: str) -> bool:
    """Return whether a text is as long as a name, has a letter, no label, and is no word of authorship."""
    is_short = 0 < len(text) <= 60 and len(text.split()) <= MAX_WORDS
    return is_short and any(map(str.isalpha, text)) and not {":", "："} & set(text) and not _ONLY_BY.fullmatch(text)


def looks_like_name(text: str) -> bool:
    """Return whether a text has two to five words with a capital each, or is short and in a script without capitals.

    >>> looks_like_name("Ann van Lee"), looks_like_name("All rights reserved"), looks_like_name("Home")
    (True, False, False)
    """
    words = [word for word in text.replace(".", ". ").split() if word not in _PARTICLES]
    if not words or len(text) > 50 or any(map(str.isdigit, text)) or not all(word[0].isalpha() for word in words):
        return False
    has_case = text.lower() != text.upper()
    return 2 <= len(words) <= 5 and all(word[0].isupper() for word in words) if has_case else len(text) <= 8


def read_names(text: str) -> tuple[str, ...]:
    """Return the names in a text that is known to name authors; none if no part of it can be a name.

    >>> read_names("Ann Lee wrote this from Portsmouth"), read_names("by annlee"), read_names("the seventh of May")
    (('Ann Lee',), ('annlee',), ())
    """
    names = split_names(text[: 3 * MAX_NAME_CHARS])
    if found := tuple(name for name in names if looks_like_name(name)):
        return found
    words = text[: 3 * MAX_NAME_CHARS].split()
    is_short = bool(names) and all(len(name.split()) <= _FEW_WORDS for name in names)
    if is_short and (byline_word(text) or len(words) <= _FEW_WORDS):
        return tuple(_PREFIX.sub("", name) for name in names)
    for start in range(len(words)):
        lengths = range(_LONGEST_NAME, 1, -1)
        runs = (" ".join(words[start : start + length]).strip(".,:;") for length in lengths)
        if name := next((run for run in runs if looks_like_name(run) and run[0].isupper()), ""):
            return (name,)
    return ()


_FEW_WORDS: Final = 2
"""Words of a name of an account, or of a person in small letters."""
_LONGEST_NAME: Final = 4
"""Most words of a name within a sentence."""
_PARTICLES: Final = frozenset(words_of("particle"))
"""Words in names, and between names, that begin with a small letter."""


def without_credentials(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names without degrees and roles that a comma separated from them; all if nothing else is left.

    >>> without_credentials(("Ann Lee", "MD", "Staff Writer")), without_credentials(("ANN LEE", "BO EK", "MD"))
    (('Ann Lee',), ('ANN LEE', 'BO EK'))
    """
    in_capitals = bool(names) and " " in names[0] and names[0].isupper()
    remaining = [
        name for position, name in enumerate(names)
        if not (position and (has_role(name) or (_CREDENTIAL.fullmatch(name) and not (in_capitals and " " in name))))
    ]  # fmt: skip
    return tuple(remaining) or names


def names_key(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names for comparisons: words in lower case, sorted names."""
    return tuple(sorted(filter(None, map(normalize, names))))
