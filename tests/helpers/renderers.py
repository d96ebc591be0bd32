"""Replace the browser by a function, for tests of what reads pages."""

from __future__ import annotations

from vclean.render.browser import renderer


def replace_renderer(monkeypatch, render, module=renderer):
    """Replace the class `Renderer` of a module by one whose pages are rendered by `render(page, screenshot)`.

    Returns the renderers that are made, each with its arguments and whether it is open.
    """
    made = []

    class FakeRenderer:
        def __init__(self, settings, **options):
            self.settings, self.options, self.is_open = settings, options, False
            made.append(self)

        def __enter__(self):
            self.is_open = True
            return self

        def __exit__(self, *_):
            self.is_open = False

        def prepare(self, **_):
            pass

        def render(self, page, *, screenshot=False):
            return render(page, screenshot)

    monkeypatch.setattr(module, "Renderer", FakeRenderer)
    return made
