"""Define pages that hide, open or show a sentence by backgrounds, by boxes above it, and by panels in panels.

They belong to the suite of `visibility_cases.py`.
"""

from __future__ import annotations

from typing import Final

_TEXT: Final = "<p id=x>{text}</p>"
_BELOW: Final = "<div id=d><p>{text}</p><i></i></div>"
_FRAME: Final = "#d { position:relative } i { position:absolute; inset:0; "
_CARD: Final = (
    "#c { position:relative; height:120px; width:600px; perspective:1000px } #c > div { position:absolute; inset:0; "
    "backface-visibility:hidden } #b { background:#04c; color:#fff; transform:rotateY(180deg) } #f { background:#ddd }"
)
_LIST: Final = (
    "The list of what the ships brought to the mill is kept in the archive of the town, which was built later."
)
_PANEL: Final = f"<details><summary>Cargo</summary><p>{_LIST}</p>"
_HERO: Final = "#d { position:relative } #x { position:absolute; left:20px; bottom:20px; color:#fff }"

HIDDEN: Final = {
    "gradient line below white": (
        "#x { color:#fff; background:linear-gradient(#000,#000) 0 100%/100% 1px no-repeat }",
        _TEXT,
    ),
    "gradient without size": ("#x { color:#fff; background:linear-gradient(#000,#000) 0 0/0 0 no-repeat }", _TEXT),
    "gradient beside": (
        "#x { color:#fff; background:linear-gradient(#000,#000) -5000px 0/50px 100% no-repeat }",
        _TEXT,
    ),
    "gradient hard stop": ("#x { color:#fff; background:linear-gradient(90deg,#fff 99%,#000 99%) }", _TEXT),
    "gradient corner": ("#x { color:#fff; background:linear-gradient(#000,#000) 100% 0/9px 9px no-repeat }", _TEXT),
    "letters of no gradient": (
        "#x { color:transparent; background:linear-gradient(red,red) 0 0/0 0 no-repeat; background-clip:text }",
        _TEXT,
    ),
    "shadow far away": ("#x { color:#fff; text-shadow:-9999px 0 #000 }", _TEXT),
    "shadow spread out": ("#x { color:#fff; text-shadow:0 0 90px #000 }", _TEXT),
    "stroke of a hair": ("#x { color:transparent; -webkit-text-stroke:.01px #000 }", _TEXT),
    "polygon without area": ("#x { clip-path:polygon(0 0,100% 100%,0 0) }", _TEXT),
    "polygon with a hole": (
        "#x { clip-path:polygon(evenodd,-9px -9px,900px -9px,900px 90px,-9px 90px,-9px -9px,0 0,890px 0,890px 80px,"
        "0 80px,0 0); margin:30px }",
        _TEXT,
    ),
    "back of a turning card": (_CARD, "<div id=c><div id=f>The front.</div><div id=b>{text}</div></div>"),
    "display in details": ("", f"{_PANEL}<p style='display:none'>{{text}}</p></details>"),
    "attribute in details": ("", f"{_PANEL}<p hidden>{{text}}</p></details>"),
    "white in details": ("", f"{_PANEL}<p style='color:#fff'>{{text}}</p></details>"),
    "font-size in details": ("", f"{_PANEL}<p>It says: <span style='font-size:0'>{{text}}</span></p></details>"),
    "display in a panel": (
        "#p, #x { display:none }",
        "<button aria-controls=p aria-expanded=false>Cargo</button><div id=p><p>The list is kept in the archive.</p>"
        "<p id=x>{text}</p></div>",
    ),
    "display in an open panel": (
        "",
        "<button aria-controls=p aria-expanded=true>Cargo</button><div id=p><p>The list is kept in the archive.</p>"
        "<p hidden>{text}</p></div>",
    ),
}  # fmt: skip

REVEALABLE: Final = {
    "panel in a panel": (
        "#p, #q { display:none }",
        f"<button aria-controls=p aria-expanded=false>Cargo</button><div id=p><p>{_LIST}</p><button aria-controls=q "
        f"aria-expanded=false>More</button><div id=q><p>{{text}} {_LIST}</p></div></div>",
    ),
    "details in details after text": (
        "",
        f"{_PANEL}<details><summary>More</summary><p>{{text}} {_LIST}</p></details></details>",
    ),
    "white panel of a menu": (
        "#p { display:none; color:#fff }",
        "<button aria-controls=p aria-expanded=false>Cargo</button><div id=p><p>{text}</p></div>",
    ),
}

SHOWN: Final = {
    "underline by a gradient": (
        "#x { color:#326891; background:linear-gradient(#326891,#326891) 0 100%/100% 1px no-repeat }",
        "<p><a id=x href=y>{text}</a></p>",
    ),
    "bar by a gradient": (
        "#x { color:#222; background:linear-gradient(#222,#222) 0 0/4px 100% no-repeat; padding-left:16px }",
        _TEXT,
    ),
    "hover fill by a gradient": ("#x { color:#04c; background:linear-gradient(#04c,#04c) 0 0/0 9px no-repeat }", _TEXT),
    "corner by a gradient": (
        "#x { color:#fff; background:linear-gradient(#fff,#fff) 100% 0/20px 20px no-repeat,#123; padding:30px }",
        _TEXT,
    ),
    "bullet by a gradient": (
        "#x { color:#222; background:radial-gradient(#222 3px,#222 3px) 0 50%/6px 6px no-repeat; padding-left:20px }",
        _TEXT,
    ),
    "missing hero image": (
        f"{_HERO} img {{ width:100%; height:200px; display:block }}",
        "<div id=d><img src=hero.jpg alt='A ship'><p id=x>{text}</p></div>",
    ),
    "missing image without size": (_HERO, "<div id=d><img src=hero.jpg><p id=x>{text}</p></div>"),
    "missing background image": (
        "#d { position:relative; min-height:300px } #d img { position:absolute; inset:0; width:100%; height:100%; "
        "object-fit:cover } #x { position:relative; color:#fff; padding:60px }",
        "<div id=d><img src=hero.jpg><p id=x>{text}</p></div>",
    ),
    "lazy background image": (
        "#d { position:relative; min-height:300px } #d img { position:absolute; inset:0; width:100%; height:100% } "
        "#x { position:relative; color:#fff; padding:60px }",
        "<div id=d><img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' "
        "data-src=hero.jpg><p id=x>{text}</p></div>",
    ),
    "front of a turning card": (_CARD, "<div id=c><div id=f>{text}</div><div id=b>The back.</div></div>"),
    "layer behind in space": (
        "#d { transform-style:preserve-3d; position:relative } i { position:absolute; inset:0; background:#fff; "
        "transform:translateZ(-1px) }",
        _BELOW,
    ),
    "ribbon above": (_FRAME + "background:#c00; clip-path:polygon(0 0,20px 0,0 20px) }", _BELOW),
    "mask above": (_FRAME + "background:#fff; mask:linear-gradient(transparent,transparent) }", _BELOW),
    "filter above": (_FRAME + "background:#fff; filter:opacity(0) }", _BELOW),
    "multiply above": (_FRAME + "background:#fe8; mix-blend-mode:multiply }", _BELOW),
    "content box above": (
        _FRAME + "box-sizing:border-box; padding-top:200px; height:210px; background:#fff content-box }",
        _BELOW,
    ),
    "line above": (_FRAME + "background:linear-gradient(#222,#222) 0 100%/100% 1px no-repeat }", _BELOW),
    "pseudo multiply above": (
        "#d { position:relative } #d::after { content:''; position:absolute; inset:0; background:#8cf; "
        "mix-blend-mode:multiply }",
        "<div id=d><p>{text}</p></div>",
    ),
    "film above the page": (
        "body::after { content:''; position:fixed; inset:0; background:#888; mix-blend-mode:soft-light; "
        "pointer-events:none }",
        _TEXT,
    ),
    "hidden word in a line": ("", "<p>{text} <span style='display:none'>Nothing.</span> And more words follow it.</p>"),
}  # fmt: skip
