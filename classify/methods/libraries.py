"""Maintained extractors: Readability, boilerpipe, jusText, trafilatura, resiliparse.

- Readability (Arc90 2009): readability-lxml, its summary turned into text by resiliparse;
- boilerpipe (Kohlschütter, Fankhauser and Nejdl 2010, "Boilerplate detection using shallow text features"): boilerpy3's
  default and article extractor;
- jusText (Pomikálek 2011): jusText, with the stop words of the page's language where it has them, else English;
- trafilatura (Barbaresi 2021): trafilatura's `extract` with its defaults;
- Resiliparse (Bevendorff et al. 2018): `extract_plain_text(main_content=True)`.

Each library gets the page as vclean read it, as HTML, and gives text; blocks are content whose words that text has, by
the word alignment that also serves for gold text (`vclean.classify.corpora.gold`). Chosen here: types are those of the
page's markup, for most of these libraries give none.
"""

from __future__ import annotations

import logging
import pickle
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from vclean.classify.corpora.gold import covered
from vclean.classify.methods.base import decide
from vclean.errors import DeadlineError, VcleanError
from vclean.features.page_context import PageContext
from vclean.render.document import to_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

_T = TypeVar("_T")

_ENGLISH: Final = "English"
_LANGUAGES: Final = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "lt": "Lithuanian", "lv": "Latvian",
    "nb": "Norwegian_Bokmal", "nl": "Dutch", "nn": "Norwegian_Nynorsk", "no": "Norwegian_Bokmal", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
}  # fmt: skip
"""jusText's names of its lists of stop words."""


def readability_and_boilerpipe(blocks: BlockColumns) -> list[NDArray[np.bool_]]:
    """What Readability and boilerpipe's default and article extractors keep, a bool (B,) each.

    They share one writing of the page as HTML, and boilerpipe's two one parsing. A library that fails keeps nothing.
    """
    html = to_html(blocks.snapshot)
    kept = []
    for count, texts in ((1, lambda: [_readability(html)]), (2, lambda: _boilerpipe_both(html))):
        try:
            kept += [covered(blocks.text, text) for text in _quietly(texts)]
        except DeadlineError:
            raise
        except VcleanError:
            kept += [np.zeros(len(blocks), dtype=bool)] * count
    return kept


def readability(blocks: BlockColumns) -> Prediction:
    """What Readability takes for the article."""
    return _by_text(blocks, _readability)


def boilerpipe_default(blocks: BlockColumns) -> Prediction:
    """What boilerpipe's default extractor keeps."""
    return _by_text(blocks, _boilerpipe("DefaultExtractor"))


def boilerpipe_article(blocks: BlockColumns) -> Prediction:
    """What boilerpipe's article extractor keeps."""
    return _by_text(blocks, _boilerpipe("ArticleExtractor"))


def justext(blocks: BlockColumns) -> Prediction:
    """What jusText takes for good paragraphs."""
    language = PageContext(blocks).language
    return _by_text(blocks, lambda html: _justext(html, language))


def trafilatura(blocks: BlockColumns) -> Prediction:
    """What trafilatura extracts."""
    url = blocks.snapshot.url or None
    return _by_text(blocks, lambda html: _module("trafilatura").extract(html, url=url) or "")


def resiliparse(blocks: BlockColumns) -> Prediction:
    """What Resiliparse takes for the main content."""
    return _by_text(blocks, lambda html: _plain(html, main_content=True))


def _by_text(blocks: BlockColumns, extract: Callable[[str], str]) -> Prediction:
    html = to_html(blocks.snapshot)
    return decide(blocks, covered(blocks.text, _quietly(lambda: extract(html))))


def _quietly(extract: Callable[[], _T]) -> _T:
    """What a library gives, without its logs.

    Raises:
        VcleanError: it fails on the page.
    """
    try:
        with _silence():
            return extract()
    except VcleanError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise VcleanError(f"the library fails on this page ({reason}): choose another method") from error


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the libraries' logs from standard error: what they find wrong with a page is no news to its reader."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


def _readability(html: str) -> str:
    return _plain(_module("readability").Document(html).summary())


def _boilerpipe(name: str) -> Callable[[str], str]:
    extractor = getattr(_module("boilerpy3.extractors"), name)()
    return lambda html: str(extractor.get_content(html))


def _boilerpipe_both(html: str) -> list[str]:
    """The texts of the default and of the article extractor, which change the parsed page: each gets a copy."""
    package = _module("boilerpy3.extractors")
    extractors = package.DefaultExtractor(), package.ArticleExtractor()
    parsed = pickle.dumps(extractors[0].parse_doc(html))
    texts = []
    for extractor in extractors:
        document = pickle.loads(parsed)
        extractor.filter.process(document)
        texts.append(str(document.content))
    return texts


def _justext(html: str, language: str) -> str:
    package = _module("justext")
    stop_words = package.get_stoplist(_LANGUAGES.get(language, _ENGLISH))
    return "\n".join(each.text for each in package.justext(html, stop_words) if not each.is_boilerplate)


def _plain(html: str, **options: bool) -> str:
    """Resiliparse's text of HTML, without what stands for images."""
    extract = _module("resiliparse.extract.html2text").extract_plain_text
    return str(extract(html, alt_texts=False, **options))


@cache
def _module(name: str) -> Any:  # noqa: ANN401 - libraries without types
    return import_module(name)
