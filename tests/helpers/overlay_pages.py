"""Pages with elements that float above the article, and pages whose fixed and sticky elements belong to it."""

from __future__ import annotations

SENTENCE = "The heron counts the silver buttons beside the weir until the evening."
"""A sentence of the article."""
NOTE = "Readers who agree to this note never see it again."
"""The sentence of the element that is an overlay, or is none."""
PARAGRAPHS = "".join(f"<p>Paragraph {number}. {SENTENCE} {SENTENCE} {SENTENCE}</p>" for number in range(40))
WHITE = "background: #fff; color: #222"
_BODY = "body { margin: 0; font: 16px/1.5 Arial, sans-serif } article { width: 720px; margin: 0 auto }"


def page(css: str, body: str) -> str:
    """Return a page; `{note}` and `{article}` in its body are the note and an article of forty paragraphs."""
    filled = body.format(note=NOTE, article=f"<h1>The heron</h1>{PARAGRAPHS}")
    return f"<!DOCTYPE html><title>The heron</title><style>{_BODY} {css}</style>{filled}"


_OVERLAYS = {
    "consent bar at the bottom": (
        f".c {{ position: fixed; left: 0; right: 0; bottom: 0; padding: 20px; {WHITE} }}",
        "<article>{article}</article><div class=c><p>{note}</p><button>Agree</button></div>",
    ),
    "consent bar at the top, over the header": (
        f".c {{ position: fixed; left: 0; right: 0; top: 0; padding: 20px; {WHITE} }}",
        "<div class=c>{note}</div><header><b>The daily weir</b></header><article>{article}</article>",
    ),
    "consent bar that sticks to the bottom": (
        f".c {{ position: sticky; bottom: 0; padding: 20px; {WHITE} }}",
        "<article>{article}</article><div class=c>{note}</div>",
    ),
    "modal with a backdrop around it": (
        f".b {{ position: fixed; inset: 0; background: rgba(0, 0, 0, .5); display: grid; place-items: center }} "
        f".m {{ width: 400px; padding: 40px; {WHITE} }}",
        "<article>{article}</article><div class=b><div class=m>{note}</div></div>",
    ),
    "modal beside its backdrop": (
        ".b { position: fixed; inset: 0; background: rgba(0, 0, 0, .5) } "
        f".m {{ position: absolute; left: 300px; top: 200px; width: 400px; padding: 40px; {WHITE} }}",
        "<article>{article}</article><div class=b></div><div class=m>{note}</div>",
    ),
    "opaque wall over the whole page": (
        ".b { position: fixed; inset: 0; background: #fff; z-index: 9 }",
        "<div class=b>{note}</div><article>{article}</article>",
    ),
    "newsletter box, aria-modal": (
        f".m {{ position: fixed; left: 50%; top: 50%; transform: translate(-50%, -50%); width: 420px; {WHITE} }}",
        "<article>{article}</article><div class=m aria-modal=true>{note}<p><input><button>Join</button></div>",
    ),
    "newsletter box over a picture": (
        f".m {{ position: fixed; left: 400px; top: 300px; width: 420px; {WHITE} }} .p {{ height: 1200px }}",
        "<article><div class=p></div>{article}</article><div class=m>{note}</div>",
    ),
    "paywall with a gradient over the text": (
        ".w { position: fixed; left: 0; right: 0; bottom: 0; height: 420px; "
        "background: linear-gradient(rgba(255, 255, 255, 0), #fff 40%) } .w p { margin: 240px 400px 0 }",
        "<article>{article}<div class=w><p>{note}</p></div></article>",
    ),
    "chat box in the corner": (
        f".c {{ position: fixed; right: 20px; bottom: 20px; width: 260px; padding: 12px; {WHITE} }}",
        "<article>{article}</article><div class=c>{note}</div>",
    ),
    "chat box whose parent has no size": (
        f".c {{ position: fixed; right: 20px; bottom: 20px }} .c div {{ position: absolute; right: 0; bottom: 0; "
        f"width: 260px; {WHITE} }}",
        "<article>{article}</article><div class=c><div>{note}</div></div>",
    ),
    "chat box on a short page": (
        f".c {{ position: fixed; right: 20px; bottom: 20px; width: 260px; padding: 12px; {WHITE} }}",
        f"<article><h1>The heron</h1><p>{3 * SENTENCE}</p></article><div class=c>{{note}}</div>",
    ),
    "consent bar on a short page": (
        f".c {{ position: fixed; left: 0; right: 0; bottom: 0; padding: 20px; {WHITE} }}",
        f"<article><h1>The heron</h1><p>{3 * SENTENCE}</p></article><div class=c>{{note}}</div>",
    ),
    "longer than the article": (
        f".c {{ position: fixed; right: 0; bottom: 0; width: 600px; padding: 20px; {WHITE} }}",
        f"<main><h1>The heron</h1><p>{6 * SENTENCE}</p></main><div class=c><p>{{note}}</p><p>{9 * SENTENCE}</div>",
    ),
    "open dialog": ("", "<dialog open>{note}</dialog><article>{article}</article>"),
    "absolute dialog": (
        f".m {{ position: absolute; left: 400px; top: 100px; width: 400px; {WHITE} }}",
        "<article>{article}</article><div class=m><div role=dialog>{note}</div></div>",
    ),
    "inside a single-page application": (
        ".a { position: fixed; inset: 0; overflow: auto } "
        f".c {{ position: fixed; left: 0; right: 0; bottom: 0; {WHITE} }}",
        "<div class=a><article>{article}</article><div class=c>{note}</div></div>",
    ),
}

_NO_OVERLAYS = {
    "sticky header": (
        f".h {{ position: sticky; top: 0; padding: 20px; {WHITE} }}",
        "<header class=h>{note}</header><article>{article}</article>",
    ),
    "fixed header above the page": (
        f".h {{ position: fixed; left: 0; right: 0; top: 0; height: 60px; {WHITE} }} body {{ padding-top: 80px }}",
        "<header class=h><nav>{note}</nav></header><article>{article}</article>",
    ),
    "two fixed bars": (
        f".h {{ position: fixed; left: 0; right: 0; top: 0; height: 60px; {WHITE} }} .n {{ top: 60px; height: 40px }} "
        "body { padding-top: 120px }",
        "<header class=h>Daily weir</header><nav class='h n'>{note}</nav><article>{article}</article>",
    ),
    "sticky sidebar": (
        f".w {{ display: flex }} .s {{ position: sticky; top: 20px; width: 200px; align-self: start; {WHITE} }}",
        "<div class=w><aside class=s>{note}</aside><article>{article}</article></div>",
    ),
    "fixed sidebar": (
        f".s {{ position: fixed; left: 0; top: 0; bottom: 0; width: 240px; {WHITE} }}",
        "<aside class=s>{note}</aside><article>{article}</article>",
    ),
    "fixed contents in the margin": (
        f".s {{ position: fixed; left: 20px; top: 240px; width: 200px; {WHITE} }}",
        "<aside class=s>{note}</aside><article>{article}</article>",
    ),
    "sticky table head": (
        f"th {{ position: sticky; top: 0; {WHITE} }}",
        "<article>{article}<table><thead><tr><th>{note}<th>Buttons</thead>"
        + "<tr><td>Heron<td>3" * 60
        + "</table></article>",
    ),
    "single-page application in a fixed scroller": (
        ".a { position: fixed; inset: 0; overflow: auto; background: #fff }",
        "<noscript>Please use a browser.</noscript><div class=a><h1>{note}</h1>{article}</div>",
    ),
    "single-page application beside its menu": (
        ".n { position: fixed; left: 0; top: 0; bottom: 0; width: 240px; background: #eee } "
        ".a { position: fixed; left: 240px; right: 0; top: 0; bottom: 0; overflow: auto; background: #fff }",
        "<nav class=n>Menu</nav><div class=a><main><h1>{note}</h1>{article}</main></div>",
    ),
    "fixed body": (
        "body { position: fixed; inset: 0; overflow: auto; background: #fff }",
        "<article><p>{note}</p>{article}</article>",
    ),
    "fixed background image": (
        ".b { position: fixed; inset: 0; z-index: -1; background: linear-gradient(#9bd, #fff) }",
        "<div class=b>{note}</div><article>{article}</article>",
    ),
    "fixed background below positioned text": (
        ".b { position: fixed; inset: 0; background: #9bd } article { position: relative }",
        "<div class=b></div><article><p>{note}</p>{article}</article>",
    ),
    "dialog in flow": ("", "<article>{article}</article><div role=dialog>{note}</div>"),
    "closed dialog": ("", "<dialog>{note}</dialog><article>{article}</article>"),
    "page in a dialog": (
        ".m { position: fixed; inset: 0; overflow: auto; background: #fff }",
        "<div class=m role=dialog><h1>{note}</h1>{article}</div>",
    ),
    "aside in the article, fixed beside it": (
        f".s {{ position: fixed; left: 0; bottom: 0; width: 300px; {WHITE} }}",
        f"<article><h1>The heron</h1><p>{3 * SENTENCE}</p><p class=s>{{note}}</p></article>",
    ),
}

OVERLAYS = {name: page(*parts) for name, parts in _OVERLAYS.items()}
NO_OVERLAYS = {name: page(*parts) for name, parts in _NO_OVERLAYS.items()}
