"""Build prepared and labelled pages for tests from small HTML, without a browser and without a model."""

from __future__ import annotations

import io
from functools import partial

from PIL import Image

from helpers.pages import laid_out, result
from vclean.files import make_folder
from vclean.labelling import preparation
from vclean.labelling.export import GOLD, LabelledPage, write_gold
from vclean.labelling.preparation import GoldBlock, to_prepared_page
from vclean.labelling.session import Annotation, AnnotationSession, Status
from vclean.labels import Label, Role
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering

HTML = "<title>News</title><nav>Home</nav><article><h1>Rain</h1><p>It rained.<p>It rained again.</article>"
"""Page with four blocks."""
PREDICTED = "ohpp"
ROLES = [Role.NAVIGATION, Role.ARTICLE, Role.ARTICLE, None]

H, P, L, C, O = (Annotation(label, None) for label in Label)  # noqa: E741


def page(name="a.html", *, html=HTML, labels=PREDICTED, confidence=0.5):
    """Return a prepared page with the labels of a string; the page `HTML` also has `ROLES`."""
    roles = ROLES if html == HTML else ()
    made = result(laid_out(html), labels, id=name, confidence=confidence, roles=roles, versions={"model": "m1"})
    return to_prepared_page(made, maker="m1 f1", content="c0" * 32, snapshots={"rendered": "00" * 16})


def labelled(labels, *, name="a.html", annotator="me", status=Status.DONE, roles=(), parts=(), texts=(), snapshots=()):
    """Return a labelled page of one-word blocks, or of the given texts."""
    words = texts or [f"word{row}" for row in range(len(labels))]
    nothing = [None] * len(labels)
    rows = enumerate(zip(labels, roles or nothing, parts or nothing, words, strict=True))
    blocks = [
        GoldBlock(f"/html[1]/p[{row}]", text, Annotation(Label(label), role, part), by_hand=row == 0, version=row)
        for row, (label, role, part, text) in rows
    ]
    fixed = {"url": "https://example.org/", "title": "", "content": "c0", "settings": "s0", "model": "m1"}
    given = {"id": name, "annotator": annotator, "status": status, "snapshots": dict(snapshots), "blocks": blocks}
    return LabelledPage(**fixed, **given)


def session(folder, *pages, failures=()):
    """Return a session with pages. The change log and the gold are in the folder."""
    write = partial(write_gold, make_folder(folder / GOLD / "me"), "me")
    made = AnnotationSession(folder / "me.jsonl", write, failures)
    for each in pages:
        made.add(each)
    return made


def white(width=80, height=60):
    """Return a white screenshot."""
    out = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(out, "PNG")
    return out.getvalue()


def without_browser(monkeypatch):
    """Replace the renderer by `helpers.laid_out`, and return a list that receives the ids of rendered pages."""
    asked = []

    class FakeRenderer:
        def __init__(self, settings, **_):
            """Accept the arguments of a renderer."""

        def __enter__(self):
            asked.append("started")
            return self

        def __exit__(self, *_):
            asked.append("ended")

        def render(self, page, *, screenshot=False):
            asked.append(page.id)
            content = page.content if isinstance(page.content, str) else page.content.decode()
            return Rendering(laid_out(content or "<p>Live", page.url), white() if screenshot else None)

    monkeypatch.setattr(preparation, "Renderer", FakeRenderer)
    monkeypatch.setattr(renderer, "Renderer", FakeRenderer)
    return asked
