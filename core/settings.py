"""Settings of rendering and cleaning: frozen dataclasses that check their values."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, get_args

from vclean.errors import UsageError
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.?|(?=.*:.*:)[\da-f:.]+(%\w+)?")
"""Name or IPv4 address, or an IPv6 address, which has two colons at least; a port has one before it."""


Scripts = Literal["auto", "on", "off"]
"""Whether the scripts of a page run while it is rendered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderSettings:
    """Options of rendering, and limits of a page.

    Attributes:
        width, height: viewport in CSS px, 16 to 16,384.
        scripts: whether the scripts of a page run: "on", "off", or "auto" to render a page without them, and again
            with them if they are at hand and the page shows signs of waiting for them.
        settle: the longest time in seconds to wait for a page with scripts to become idle.
        deadline: limit in seconds of wall clock for each step of one page: fetching, rendering, labelling.
        max_bytes: limit on the size of the document in bytes.
        max_nodes: limit on the number of elements; a larger page is an error and never truncated.
        force_html: whether JSON, feeds and plain text are read as HTML, in place of an error.
        hide_overlays: whether screenshots leave out the elements that float above the page, such as consent bars.
        allow_hosts: names or addresses of hosts that pages may be fetched from although they are not public, such as
            this machine or one of an intranet. A page of such a host may read other pages of it.

    Raises:
        UsageError: a value is out of range, or a host is not a name or an address.

    >>> RenderSettings(width=800).height
    768
    """

    width: int = 1366
    height: int = 768
    scripts: Scripts = "auto"
    settle: float = 2.0
    deadline: float = 30.0
    max_bytes: int = 32 * 2**20
    max_nodes: int = 150_000
    force_html: bool = False
    hide_overlays: bool = False
    allow_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check ranges, and write hosts as URLs have them: in lower case, without brackets."""
        hosts: Sequence[str] = self.allow_hosts
        if isinstance(hosts, str):
            hosts = (hosts,)
        object.__setattr__(self, "allow_hosts", tuple(host.lower().strip("[]") for host in hosts))
        if wrong := [host for host in self.allow_hosts if not _HOST.fullmatch(host)]:
            raise UsageError(f"{wrong[0]!r} is not a host: give a name or an address without port, such as 10.0.0.7")
        _check_choice(self, "scripts", get_args(Scripts))
        _check(self, "settle deadline max_bytes max_nodes", "positive", lambda value: value > 0)
        # Chromium takes no larger screenshots.
        _check(self, "width height", "16 to 16,384 px", lambda value: 16 <= value <= 16_384)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that a page depends on by name, as stored in snapshots and results."""
        return {name: value for name, value in asdict(self).items() if name not in ("allow_hosts", "force_html")}


def _check(settings: object, names: str, description: str, is_valid: Callable[[Any], bool]) -> None:
    """Raise a `UsageError` for the first of some fields with a value that is not valid."""
    for name in names.split():
        if not is_valid(value := getattr(settings, name)):
            raise UsageError(f"{name} has to be {description}, not {value!r}")


def _check_choice(settings: object, name: str, choices: Sequence[str]) -> None:
    _check(settings, name, f"one of {', '.join(choices)}", choices.__contains__)


HiddenPolicy = Literal["drop", "revealable", "keep"]
"""Which texts that are not shown may be content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Definition of content: precision or recall, reader comments, the headline. For methods with a model.

    The model selects the blocks with the highest expected F measure. For precision P, recall R and the recall weight w
    it is F = (1 + w^2) P R / (w^2 P + R), the F measure of van Rijsbergen with w for beta: recall is w times as
    important as precision.

    Attributes:
        recall_weight: values under 1 select only blocks of high probability (0.25 is `--precision`), values over 1 also
            select doubtful blocks (4 is `--recall`).
        comments: whether reader comments are content; None: as in the training corpora of the model.
        hidden: which hidden texts may be content, for every method: "drop" none, "revealable" those that a reader can
            open, "keep" all.
        captions: whether captions of images and tables are content; None: as the model decides.
        byline: whether names of authors and dates next to the title are content; None: as the model decides.
        lists: whether lists of links, documents or products are content; None: as the model decides.
        title: whether the headline of the page is content.
        images: whether Markdown, HTML and chunks have the images of the content.
        ruby: whether the readings beside letters (`<rt>`) are part of the text.
        convention: name of a training corpus whose annotators decide what counts as content; empty: the model predicts
            from the page how probable each is. The model card lists the names.

    Raises:
        UsageError: `recall_weight` is not a positive number, or another field has none of its values.

    >>> Policy(recall_weight=4.0).comments is None
    True
    """

    recall_weight: float = 1.0
    comments: bool | None = None
    hidden: HiddenPolicy = "revealable"
    captions: bool | None = None
    byline: bool | None = None
    lists: bool | None = None
    title: bool = True
    images: bool = True
    ruby: bool = False
    convention: str = ""

    def __post_init__(self) -> None:
        """Check the values."""
        _check(self, "comments captions byline lists", "True, False or None", (True, False, None).__contains__)
        _check(self, "recall_weight", "a positive number", lambda value: 0 < value < float("inf"))
        _check(self, "title images ruby", "True or False", (True, False).__contains__)
        _check_choice(self, "hidden", get_args(HiddenPolicy))

    @classmethod
    def for_purpose(cls, purpose: str, **choices: Any) -> Policy:
        """Return the policy of a purpose, with other values for some fields.

        Args:
            purpose: "article", the default policy; "corpus", all text of the page's own content, as in CleanEval 2007;
                "everything", also comments, captions, bylines and lists.
            choices: values by field; None keeps the value of the purpose.

        Raises:
            UsageError: the purpose does not exist, or a value is wrong.

        >>> Policy.for_purpose("corpus", comments=False).convention
        'cleaneval'
        """
        if purpose not in _PURPOSES:
            raise UsageError(f"no purpose {purpose!r}: choose one of {', '.join(_PURPOSES)}")
        return cls(**{**_PURPOSES[purpose], **{name: value for name, value in choices.items() if value is not None}})

    @property
    def most_hidden(self) -> Visibility:
        """Return the least visible kind of block that may be content."""
        return {"drop": Visibility.SHOWN, "revealable": Visibility.REVEALABLE, "keep": Visibility.HIDDEN}[self.hidden]


_PURPOSES: Final[dict[str, dict[str, Any]]] = {
    "article": {},
    "corpus": {"convention": "cleaneval"},
    "everything": {
        "convention": "cleaneval", "comments": True, "captions": True, "byline": True, "lists": True,
        "recall_weight": 4.0,
    },
}  # fmt: skip

OverlayFormat = Literal["png", "svg", "html"]
"""File format of an overlay: an image (`png`, `svg`) or an interactive page (`html`)."""

OVERLAY_FORMATS: Final[dict[str, OverlayFormat]] = {".png": "png", ".svg": "svg", ".html": "html"}
"""Format of an overlay by the suffix of its file name."""


DEFAULT_PDOC: Final = 5
"""Default of the permitted degree of coherence (PDoC) of segments, 1 to 11."""

RenderMode = bool | Literal["auto"]
"""Whether pages are rendered; "auto" parses a page first, and renders it if its parsed version does not suffice."""

Network = Literal["none", "public"]
"""Source of subresources that the folder or archive of a page does not have: no source, or public addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanerSettings:
    """Settings that determine the result of a page: the same page with the same settings has the same result.

    Attributes:
        render: whether pages are rendered in headless Chromium; otherwise they are only parsed. With "auto", a page is
            parsed first, and rendered if its parsed version does not suffice (see `vclean.pipeline`).
        rendering: options of rendering, and limits of a page.
        method: the name of the method that labels the blocks; `vclean methods` lists them.
        model: a model file to use in place of the shipped model; for the method `template`, its file of selectors.
        templates: a folder of selector files, one for each host; they replace the method for pages of these hosts.
        policy: the definition of content, for methods with a model.
        network: "public" loads subresources that the archive or folder does not have from public addresses.
        explain: whether to give the reasons for the label of every block; about four milliseconds per block.

    Raises:
        UsageError: `network` is neither "none" nor "public", `render` neither a bool nor "auto", or another field has
            a value of another type.

    >>> CleanerSettings(method="text").render
    False
    """

    render: RenderMode = False
    rendering: RenderSettings = field(default_factory=RenderSettings)
    method: str = "vclean"
    model: Path | None = None
    templates: Path | None = None
    policy: Policy = field(default_factory=Policy)
    network: Network = "none"
    explain: bool = False

    def __post_init__(self) -> None:
        """Convert strings to paths, and check the values."""
        for name in ("model", "templates"):
            if isinstance(path := getattr(self, name), str):
                object.__setattr__(self, name, Path(path) if path else None)
        # Wrong types of these fields would fail on every page.
        _check(self, "rendering", "a vclean.RenderSettings", lambda value: isinstance(value, RenderSettings))
        _check(self, "policy", "a vclean.Policy", lambda value: isinstance(value, Policy))
        _check(self, "method", "a string", lambda value: isinstance(value, str))
        _check(self, "model templates", "a path or None", lambda value: isinstance(value, Path | None))
        _check(self, "render", 'True, False or "auto"', (True, False, "auto").__contains__)
        _check_choice(self, "network", get_args(Network))

    def replace(self, **options: Unpack[CleanerOptions]) -> CleanerSettings:
        """Return a copy of the settings with new values for some fields.

        Args:
            options: the new values, by the name of the field.

        Raises:
            UsageError: a field does not exist, or its value is wrong.

        >>> CleanerSettings().replace(render=True).render
        True
        """
        if unknown := [name for name in options if name not in CleanerOptions.__annotations__]:
            choices = ", ".join(CleanerOptions.__annotations__)
            raise UsageError(f"no option {unknown[0]!r}: choose one of {choices}")
        values: dict[str, Any] = {**options}
        return replace(self, **values)


class CleanerOptions(TypedDict, total=False):
    """Fields of `CleanerSettings` as keyword arguments."""

    render: RenderMode
    rendering: RenderSettings
    method: str
    model: Path | str | None
    templates: Path | str | None
    policy: Policy
    network: Network
    explain: bool
