"""`clean` for one page, `Cleaner` for many: from a page to its result."""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.deadline import deadline
from vclean.errors import UsageError, VcleanError
from vclean.formats import to_text
from vclean.page import Page
from vclean.reader import PageReader
from vclean.result import Result
from vclean.settings import Policy, RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.methods import Method
    from vclean.classify.methods.templates import Templates
    from vclean.classify.model import Model
    from vclean.classify.prediction import Prediction
    from vclean.classify.reasons import Explanation
    from vclean.features.blocks import Blocks
    from vclean.labels import Label
    from vclean.reader import Input
    from vclean.render.snapshot import Snapshot
    from vclean.sites import Sites
    from vclean.source_place import SourcePlace

MODEL_METHOD: Final = "vclean"
"""The one method that has a model, whose version belongs in its results."""

_TELLING: Final = 200
"""Characters from which on the content alone tells the language."""


def clean(
    page: Input,
    *,
    url: str = "",
    render: bool = False,
    method: str = "vclean",
    model: Path | str | None = None,
    policy: Policy | None = None,
    settings: RenderSettings | None = None,
    picture: bool = False,
    explain: bool = False,
) -> Result:
    """Clean one page; for several, a `Cleaner` keeps browser and model.

    Args:
        page: see `vclean.reader.as_page`.
        url: the address the page came from, if known; relative links resolve against it.
        render: render it in headless Chromium instead of parsing it only.
        method: the name of the method that labels the blocks.
        model: a model file in place of the shipped one.
        policy: what counts as content.
        settings: how to render, and what bounds a page.
        picture: take the page's picture, for `Result.picture`; needs `render`.
        explain: say why every block is kept or left out, as `Cleaner` does.

    Raises:
        UsageError: a picture is asked for without rendering.
        VcleanError: another of its subclasses in `vclean.errors`, by what went wrong.

    >>> clean("<p>Hello.").blocks.text
    ['Hello.']
    """
    options: dict[str, Any] = {"method": method, "model": model, "policy": policy, "settings": settings}
    with Cleaner(render=render, explain=explain, **options) as cleaner:
        return cleaner.clean(page, url=url, picture=picture)


class Cleaner:
    """Cleans pages, with one browser and one model for all of them.

    A context manager, to be used from one thread: the browser lives as long as its block.

    Args:
        render: render pages in headless Chromium instead of parsing them only.
        method: the name of the method that labels the blocks.
        model: a model file in place of the shipped one, for the methods that have one; the method template takes its
            file of selectors here.
        templates: a folder of files of selectors, called by hosts, which decide on their sites in place of the method.
        policy: what counts as content, for the methods that have a model.
        settings: how to render, and what bounds a page.
        network: fetch the style sheets and images that a rendered page's folder or archive lacks, from public
            addresses.
        explain: say why every block is kept or left out (`Result.explanation`, in four milliseconds a block), and
            where it stands in the source (`Result.places`).
        reader: what reads the pages in place of one made from `render`, `settings` and `network`; whoever made it opens
            and closes it.

    Raises:
        UsageError: there is no such method, or it takes no policy.
        ModelError: the model file is missing, damaged or of another version.
        InputError: a template is missing or wrong.
        ExtraMissingError: the method needs a library that is not installed.
    """

    def __init__(
        self,
        *,
        render: bool = False,
        method: str = "vclean",
        model: Path | str | None = None,
        templates: Path | str | None = None,
        policy: Policy | None = None,
        settings: RenderSettings | None = None,
        network: bool = False,
        explain: bool = False,
        reader: PageReader | None = None,
    ) -> None:
        self._reader = reader or PageReader(settings or RenderSettings(), render=render, network=network)
        self._method = method
        self._label, self._model, self._versions = _load(method, Path(model) if model else None)
        self._templates = _load_templates(Path(templates)) if templates else None
        self._policy = policy or Policy()
        self._explain = explain
        if self._model is None and self._policy != Policy():
            raise UsageError(f"the method {method} cannot be told what counts as content: use the method vclean")

    def __enter__(self) -> Self:
        """Start the browser if pages are to be rendered.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        self._reader.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._reader.__exit__(*exception)

    @property
    def model_version(self) -> str:
        """The version of the model; empty for methods without one."""
        return self._versions.get("model", "")

    def clean(self, page: Input, *, url: str = "", picture: bool = False) -> Result:
        """Clean one page, as `vclean.clean` does, with its picture if that is wanted: the whole page, to a cap."""
        document = self._reader.page(page, url)
        blocks, image = self.cut(document, picture=picture)
        return replace(self.label(blocks, document.id, places=self.places(document, blocks)), image=image)

    def clean_many(
        self,
        pages: Iterable[Input],
        *,
        same_site: bool = False,
        on_error: Callable[[Input, VcleanError], None] | None = None,
    ) -> Iterator[Result]:
        """Clean pages one after the other, in their order.

        Args:
            pages: read as they are needed.
            same_site: compare the pages of each host, those without a URL with each other: what they repeat is
                rarely content. All pages are read before the first result; they wait on disk (see `vclean.sites`).
            on_error: called with a page that failed, which then has no result; without it the error is raised.

        Raises:
            UsageError: pages are to be compared, and the method cannot take that into account.
        """
        if same_site:
            yield from self._clean_sites(pages, on_error or _fail)
            return
        for page in pages:
            try:
                result = self.clean(page)
            except VcleanError as error:
                (on_error or _fail)(page, error)
            else:
                yield result

    def _clean_sites(self, pages: Iterable[Input], on_error: Callable[[Input, VcleanError], None]) -> Iterator[Result]:
        with self.sites() as sites:
            for page in pages:
                try:
                    document = self._reader.page(page)
                    blocks = self.cut(document)[0]
                    sites.add(blocks, (document.id, self.places(document, blocks)))
                except VcleanError as error:
                    on_error(page, error)
            for blocks, (name, places), repeated in sites:
                try:
                    result = self.label(blocks, name, repeated=repeated, places=places)
                except VcleanError as error:
                    on_error(Page(url=blocks.snapshot.url, id=name), error)
                else:
                    yield result

    def sites(self) -> Sites[Any]:
        """A place for the blocks of pages that are to be compared before they are labelled.

        Raises:
            UsageError: the method cannot take into account what the pages of a site repeat.
        """
        from vclean.sites import Sites

        if self._model is None:
            raise UsageError(f"the method {self._method} cannot compare the pages of a site: use the method vclean")
        return Sites()

    def cut(self, page: Page, *, picture: bool = False) -> tuple[Blocks, bytes]:
        """The blocks of a page, not labelled yet, and its picture, or `b""` where none is asked for.

        Raises:
            VcleanError: as `clean` does.
        """
        snapshot, image = self.read(page, picture=picture)
        return self.cut_snapshot(snapshot), image

    def read(self, page: Page, *, picture: bool = False) -> tuple[Snapshot, bytes]:
        """A page as columns, rendered, parsed or as stored, and its picture, or `b""` where none is asked for.

        Raises:
            UsageError: there is no browser to render with, or the picture of a stored snapshot is asked for.
            VcleanError: as `clean` does.
        """
        return self._reader.read(page, picture=picture)

    def cut_snapshot(self, snapshot: Snapshot) -> Blocks:
        """The blocks of a page that was read.

        Raises:
            DeadlineError: it took too long.
        """
        from vclean.features.blocks import cut

        with deadline(self._reader.settings.deadline):
            return cut(snapshot)

    def places(self, page: Page, blocks: Blocks) -> Sequence[SourcePlace | None]:
        """Where the blocks of a page stand in its source, for a cleaner that explains; nothing for one that does not.

        Raises:
            DeadlineError: it took too long.
        """
        if not self._explain:
            return ()
        from vclean.source_place import find_places

        with deadline(self._reader.settings.deadline):
            return find_places(page, blocks, self._reader.settings.max_bytes)

    def label(
        self,
        blocks: Blocks,
        name: str = "",
        *,
        repeated: NDArray[np.float32] | None = None,
        places: Sequence[SourcePlace | None] = (),
        explain: bool | None = None,
    ) -> Result:
        """The result for the blocks of the page called `name`.

        Args:
            blocks: of `cut`.
            name: the page's name.
            repeated: float32 (B,), the evidence that `sites` gives on them, for methods with a model.
            places: of `places`.
            explain: whether to explain it; as the cleaner does where nothing is said.

        Raises:
            DeadlineError: it took too long.
        """
        from vclean.features.language import detect

        with deadline(self._reader.settings.deadline):
            template = self._templates.for_url(blocks.snapshot.url) if self._templates else None
            prediction = template(blocks) if template else self._predict(blocks, repeated)
            language = detect(_telling(blocks.text, prediction.labels), blocks.snapshot.language)
            method = "template" if template else self._method
        wanted = self._explain if explain is None else explain
        return Result(
            blocks=blocks,
            labels=prediction.labels,
            probability=prediction.probability,
            confidence=prediction.confidence,
            method=method,
            version=self._versions,
            language=language,
            roles=prediction.roles,
            id=name,
            explanation=self._why(blocks, prediction, method) if wanted else None,
            places=places,
        )

    def _why(self, blocks: Blocks, prediction: Prediction, method: str) -> Explanation:
        from vclean.classify.reasons import explain, unexplained

        if self._model is None or prediction.decision is None:
            return unexplained(method, len(blocks))
        with deadline(self._reader.settings.deadline):
            return explain(self._model, blocks, prediction)

    def _predict(self, blocks: Blocks, repeated: NDArray[np.float32] | None) -> Prediction:
        if self._model is None:
            return self._label(blocks)
        return self._model.label(blocks, evidence=repeated, policy=self._policy)


def _fail(_page: Input, error: VcleanError) -> None:
    raise error


def _telling(texts: Sequence[str], labels: Sequence[Label]) -> str:
    """The text that tells the language: the content, for menus mislead, or all text where there is little content."""
    kept = to_text(texts, labels)
    return kept if len(kept) >= _TELLING else " ".join(texts)


def _load_templates(folder: Path) -> Templates:
    from vclean.classify.methods.templates import Templates

    return Templates.of(folder)


def _load(name: str, model: Path | None) -> tuple[Method, Model | None, dict[str, str]]:
    """The method called `name`, its model if it has one, and the versions of what makes its decisions."""
    versions = {"vclean": metadata.version("vclean")}
    if name != MODEL_METHOD:
        from vclean.classify.methods import get

        return get(name, model), None, versions
    from vclean.classify.model import load

    loaded = load(model)
    return loaded.label, loaded, {**versions, "model": loaded.version}
