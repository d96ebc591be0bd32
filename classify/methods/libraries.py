"""Run maintained extractors: Readability, boilerpipe, jusText, trafilatura, Resiliparse.

- Readability (Arc90 2009): readability-lxml; its summary is converted to text by Resiliparse.
- boilerpipe (Kohlschütter, Fankhauser and Nejdl 2010, "Boilerplate detection using shallow text features"): boilerpy3's
  default and article extractor.
- jusText (Pomikálek 2011): jusText, with the stop words of the page's language if it has them, else English.
- trafilatura (Barbaresi 2021): trafilatura's `extract` with its defaults.
- Resiliparse (Bevendorff et al. 2018): `extract_plain_text(main_content=True)`.

Each library gets the page as HTML, as vclean read it, and returns text. Blocks are content if half of their words
are in this text, by the word alignment that is also used for gold text (`vclean.classify.corpora.gold`). Labels are
those of the page's markup, as most of these libraries return none.
"""

from __future__ import annotations

import logging
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from vclean.classify.corpora.gold import find_covered_blocks
from vclean.classify.methods.base import prediction_from_mask, to_html
from vclean.errors import VcleanError
from vclean.features.page_context import PageContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

_LANGUAGES: Final = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "lt": "Lithuanian", "lv": "Latvian",
    "nb": "Norwegian_Bokmal", "nl": "Dutch", "nn": "Norwegian_Nynorsk", "no": "Norwegian_Bokmal", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
}  # fmt: skip
"""Names of jusText's stop word lists by language code."""


def readability(blocks: BlockColumns) -> Prediction:
    """Label the blocks of Readability's article as content."""
    return _by_text(blocks, lambda html: _plain(import_module("readability").Document(html).summary()))


def justext(blocks: BlockColumns) -> Prediction:
    """Label the blocks of jusText's good paragraphs as content."""
    language = PageContext(blocks).language
    return _by_text(blocks, lambda html: _justext(html, language))


def trafilatura(blocks: BlockColumns) -> Prediction:
    """Label the blocks that trafilatura extracts as content."""
    url = blocks.snapshot.url or None
    return _by_text(blocks, lambda html: import_module("trafilatura").extract(html, url=url) or "")


def resiliparse(blocks: BlockColumns) -> Prediction:
    """Label the blocks of Resiliparse's main content as content."""
    return _by_text(blocks, lambda html: _plain(html, main_content=True))


def _by_text(blocks: BlockColumns, extract: Callable[[str], str]) -> Prediction:
    """Select the blocks with words in the text that a library extracts from HTML, without its logs.

    Raises:
        VcleanError: the library fails on the page.
    """
    html = to_html(blocks.snapshot)
    disabled = logging.root.manager.disable
    logging.disable()  # users of vclean cannot act on the libraries' warnings about a page
    try:
        text = extract(html)
    except VcleanError:
        raise
    except Exception as error:  # each library raises other types
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise VcleanError(f"the library fails on this page ({reason}): choose another method") from error
    finally:
        logging.disable(disabled)
    return prediction_from_mask(blocks, find_covered_blocks(blocks.text, text))


def _boilerpipe(blocks: BlockColumns, extractor: str) -> Prediction:
    """Label the blocks that an extractor of boilerpipe keeps as content."""
    content_of = getattr(import_module("boilerpy3.extractors"), extractor)().get_content
    return _by_text(blocks, lambda html: str(content_of(html)))


boilerpipe_default: Final = partial(_boilerpipe, extractor="DefaultExtractor")
boilerpipe_article: Final = partial(_boilerpipe, extractor="ArticleExtractor")


def _justext(html: str, language: str) -> str:
    package = import_module("justext")
    stop_words = package.get_stoplist(_LANGUAGES.get(language, "English"))
    return "\n".join(each.text for each in package.justext(html, stop_words) if not each.is_boilerplate)


def _plain(html: str, **options: bool) -> str:
    """Return Resiliparse's text of HTML, without the alternative text of images."""
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    return str(extract(html, alt_texts=False, **options))
