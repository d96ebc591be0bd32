"""Formulas as generators of pages write them."""

from __future__ import annotations

MATH = "<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>"
TEX = r"E=mc^{2}"
_ANNOTATED = (
    f"<math><semantics><mi>E</mi><annotation encoding='application/x-tex'>{TEX}</annotation></semantics></math>"
)
_DISPLAY = _ANNOTATED.replace("<math", "<math display=block")

KATEX = (
    f"<span class='katex'><span class='katex-mathml'>{_ANNOTATED}</span>"
    "<span class='katex-html' aria-hidden='true'><span class='base'>E=mc2</span></span></span>"
)
KATEX_DISPLAY = f"<span class='katex-display'>{KATEX.replace(_ANNOTATED, _DISPLAY)}</span>"
KATEX_STYLE = (
    "<style>.katex-display { display: block } .katex-mathml { position: absolute; clip: rect(1px, 1px, 1px, 1px);"
    " height: 1px; width: 1px; overflow: hidden }</style>"
)
MATHJAX_2 = (
    "<span class='MathJax_Preview'></span><span class='MathJax' id='MathJax-Element-1-Frame'><nobr>E=mc2</nobr>"
    f"<span class='MJX_Assistive_MathML'>{MATH}</span></span><script type='math/tex'>{TEX}</script>"
)
MATHJAX_2_SOURCE = f"<span class='MathJax_Preview'>E=mc2</span><script type='math/tex; mode=display'>{TEX}</script>"
MATHJAX_3 = (
    "<mjx-container class='MathJax' jax='CHTML' display='true'><mjx-math aria-hidden='true'>E</mjx-math>"
    f"<mjx-assistive-mml>{_ANNOTATED}</mjx-assistive-mml></mjx-container>"
)
MEDIAWIKI = (
    f"<span class='mwe-math-element'><span style='display: none'>{_ANNOTATED}</span>"
    f"<img src='https://example.org/e.svg' class='mwe-math-fallback-image-inline' alt='{TEX}'></span>"
)

INLINE = {"katex": KATEX, "mathjax-2": MATHJAX_2, "mediawiki": MEDIAWIKI}
DISPLAY = {"katex": KATEX_DISPLAY, "mathjax-2": MATHJAX_2_SOURCE, "mathjax-3": MATHJAX_3}
DRAWN = {**{f"{name}-inline": each for name, each in INLINE.items()},
         **{f"{name}-display": each for name, each in DISPLAY.items()}}  # fmt: skip
"""Formulas that a script or MediaWiki draws; each has the text `TEX`."""
