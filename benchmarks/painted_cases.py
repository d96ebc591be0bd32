"""Define pages that hide or show a sentence by pseudo-elements, shadows, frames, drawings and other painting.

They belong to the suite of `visibility_cases.py`.
"""

from __future__ import annotations

from typing import Final

WHITE: Final = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'%3E"
    "%3Crect width='9' height='9' fill='white'/%3E%3C/svg%3E"
)
DARK: Final = WHITE.replace("white", "%23123")
_BLANK_FONT: Final = (
    "AAEAAAAKAIAAAwAgT1MvMkT/RNIAAAEoAAAAYGNtYXABTwIOAAABkAAAALxnbHlmAAAAAAAAAlQAAAABaGVhZC1pi9QAAACsAAAANmhoZWEDIg"
    "EuAAAA5AAAACRobXR4AfQAAAAAAYgAAAAGbG9jYQAAAAAAAAJMAAAABm1heHAAAwACAAABCAAAACBuYW1lyMHBcQAAAlgAAABOcG9zdG1nc80A"
    "AAKoAAAALAABAAAAAQAAR6SIUl8PPPUAAwPoAAAAAOcppXoAAAAA5ymlegAAAAAAAAAAAAAAAwACAAAAAAAAAAEAAAMg/zgAAAH0AAAAAAAAAA"
    "EAAAAAAAAAAAAAAAAAAAABAAEAAAACAAAAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAwH0AZAABQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAPz8/PwAAACAAegMgAAAAAAMgAMgAAAAAAAAAAAAAAAAAAAAgAAAB9AAAAAAAAAAAAAIAAAADAAAAFA"
    "ADAAEAAAAUAAQAqAAAAAwACAACAAQAIAAsAC4AWgB6//8AAAAgACwALgBBAGH////h/9X/0wAAAAAAAQAAAAAAAAAGADgAAAABAAEAAQABAAEA"
    "AQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAAEAAQABAA"
    "EAAQABAAEAAQABAAAAAAAAAAAAAAAAAAAABAA2AAEAAAAAAAEAAQAAAAEAAAAAAAIABwABAAMAAQQJAAEAAgAIAAMAAQQJAAIADgAKQlJlZ3Vs"
    "YXIAQgBSAGUAZwB1AGwAYQByAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAABAgVibGFuaw=="
)
"""TrueType font whose letters have no ink, base64."""

_TEXT: Final = "<p id=x>{text}</p>"
_BOX: Final = f"<div id=d>{_TEXT}</div>"
_TALL: Final = "<div style='height: 3000px'></div>"

HIDDEN: Final = {
    "font without ink": (
        "@font-face { font-family: B; src: url(data:font/ttf;base64," + _BLANK_FONT + ") } #x { font-family: B }",
        _TEXT,
    ),
    "covered by ::after of itself": (
        "#x { position: relative } #x::after { content: ''; position: absolute; inset: 0; background: #fff }",
        _TEXT,
    ),
    "covered by ::after of parent": (
        "#d { position: relative } #d::after { content: ''; position: absolute; inset: 0; background: #fff }",
        _BOX,
    ),
    "covered by ::before of parent": (
        "#d { position: relative } #d::before { content: ''; position: absolute; inset: 0; background: #fff }",
        _BOX,
    ),
    "covered by ::before of next": (
        "#n { position: relative } #n::before { content: ''; position: absolute; left: 0; top: -60px; width: "
        "100%; height: 60px; background: #fff }",
        _TEXT + "<div id=n>&nbsp;</div>",
    ),
    "covered by gradient ::after": (
        "#d { position: relative } #d::after { content: ''; position: absolute; inset: 0; background: "
        "linear-gradient(#fff,#eee) }",
        _BOX,
    ),
    "covered by ::after no position negative margin": (
        "#n::before { content: ''; display: block; position: relative; margin-top: -60px; height: 60px; "
        "background: #fff }",
        _TEXT + "<div id=n></div>",
    ),
    "white on ::before white": (
        "#d { position: relative; color: #fff } #d::before { content: ''; position: absolute; inset: 0; "
        "background: #fff; z-index: -1 }",
        _BOX,
    ),
    "black on ::before black": (
        "#d { position: relative; z-index: 0; color: #000 } #d::before { content: ''; position: absolute; inset: "
        "0; background: #000; z-index: -1 }",
        _BOX,
    ),
    "black on inset shadow": ("#x { box-shadow: inset 0 0 0 200px #000; color: #000 }", _TEXT),
    "covered by a thick border": (
        "#c { position: absolute; width: 0; height: 0; border: solid #fff; border-width: 40px 360px; margin-top: "
        "-70px }",
        _TEXT + "<div id=c></div>",
    ),
    "covered by a spread shadow": (
        "#c { position: absolute; width: 1px; height: 1px; box-shadow: 0 0 0 700px #fff; clip-path: inset(-70px "
        "-700px 0 -700px) }",
        _TEXT + "<div id=c></div>",
    ),
    "covered by an inset shadow": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; box-shadow: inset 0 0 0 80px "
        "#fff }",
        _TEXT + "<div id=c></div>",
    ),
    "covered by an outline": (
        "#c { position: absolute; width: 720px; height: 2px; margin-top: -40px; outline: 60px solid #fff }",
        _TEXT + "<div id=c></div>",
    ),
    "covered by iframe": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; border: 0 }",
        _TEXT + "<iframe id=c srcdoc='<body style=background:white>'></iframe>",
    ),
    "covered by a progress bar": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; appearance: none; background: "
        "#fff }",
        _TEXT + "<progress id=c value=1></progress>",
    ),
    "covered by a button": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; }",
        _TEXT + "<button id=c></button>",
    ),
    "covered by textarea": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; }",
        _TEXT + "<textarea id=c></textarea>",
    ),
    "covered by hr": (
        "#c { position: relative; height: 70px; margin-top: -75px; border: 0; background: #fff }",
        _TEXT + "<hr id=c>",
    ),
    "covered by table cell": (
        "#c { position: relative; margin-top: -75px } td { background: #fff; height: 70px; width: 720px }",
        _TEXT + "<table id=c><tr><td>&nbsp;</table>",
    ),
    "svg filter flood": (
        "#x { filter: url(#f) }",
        "<svg width=0 height=0><filter id=f><feFlood flood-color='#fff'/></filter></svg>" + _TEXT,
    ),
    "svg filter opacity 0": (
        "#x { filter: url(#f) }",
        "<svg width=0 height=0><filter id=f><feComponentTransfer><feFuncA type=linear slope=0 "
        "/></feComponentTransfer></filter></svg>"
        + _TEXT,
    ),
    "svg blur": (
        "#x { filter: url(#f) }",
        "<svg width=0 height=0><filter id=f><feGaussianBlur stdDeviation=20 /></filter></svg>" + _TEXT,
    ),
    "mask of size 0": ("#x { mask-image: linear-gradient(#000,#000); mask-size: 0 0; mask-repeat: no-repeat }", _TEXT),
    "mask beside": (
        "#x { mask-image: linear-gradient(#000,#000); mask-size: 10px 10px; mask-repeat: no-repeat; "
        "mask-position: -50px }",
        _TEXT,
    ),
    "mask svg empty": (
        "#x{mask-image:url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' "
        "height='9'/%3E\")}",
        _TEXT,
    ),
    "mask missing reference": (
        "#x { mask: url(#m) }",
        "<svg width=0 height=0><mask id=m><rect width=9999 height=9999 fill=black /></mask></svg>" + _TEXT,
    ),
    "mask luminance black": ("#x { mask-image: linear-gradient(#000,#000); mask-mode: luminance }", _TEXT),
    "mask first stop opaque elsewhere": ("#x { mask-image: linear-gradient(90deg,transparent 99%,#000) }", _TEXT),
    "clip-path url": (
        "#x { clip-path: url(#cp) }",
        "<svg width=0 height=0><clipPath id=cp><rect width=0 height=0 /></clipPath></svg>" + _TEXT,
    ),
    "clip-path xywh": ("#x { clip-path: xywh(0 0 0 0) }", _TEXT),
    "clip-path rect": ("#x { clip-path: rect(0 0 0 0) }", _TEXT),
    "clip-path shape": ("#x { clip-path: shape(from 0 0,line to 1px 0,line to 0 1px,close) }", _TEXT),
    "clip-path path arc": ("#x { clip-path: path('M0 0 A1 1 0 0 1 2 2 Z') }", _TEXT),
    "backdrop blur": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; backdrop-filter: blur(30px) }",
        _TEXT + "<div id=c></div>",
    ),
    "backdrop brightness 0": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; backdrop-filter: brightness(0) }",
        _TEXT + "<div id=c></div>",
    ),
    "text-security": ("#x { -webkit-text-security: disc }", _TEXT),
    "collapsed column": (
        "table { border-collapse: collapse } #k { visibility: collapse }",
        "<table><col><col id=k><tr><td>a<td id=x>{text}</table>",
    ),
    "paused animation": (
        "@keyframes a { from { opacity: 0 } to { opacity: 1 }  } #x { animation: a 1s both paused }",
        _TEXT,
    ),
    "delayed animation": (
        "@keyframes a { from { opacity: 0 } to { opacity: 1 }  } #x { animation: a 1s 9999s both }",
        _TEXT,
    ),
    "scroller two pixels high": ("#d { height: 2px; overflow: auto }", _BOX),
    "endless animation": ("@keyframes a { from, to { opacity: 0 } } #x { animation: a 1s infinite }", _TEXT),
    "faded as it is scrolled to": (
        "@keyframes a { to { opacity: 0 } } #x { animation: a linear both; animation-timeline: view(); "
        "animation-range: entry 0% entry 20% } .b { height: 2000px }",
        "<div class=b></div>" + _TEXT + "<div class=b></div>",
    ),
    "covered by two halves": (
        "#d { position: relative; width: 300px } .a { left: 0 } .b { right: 0 } "
        ".a, .b { position: absolute; background: #fff; top: 0; bottom: 0; width: 60% }",
        "<div id=d>" + _TEXT + "<div class=a></div><div class=b></div></div>",
    ),
    "covered line by line": (
        "#d { position: relative; width: 300px; line-height: 20px } #x { margin: 0 } "
        "i { position: absolute; background: #fff; height: 20px; left: 0; right: 0 } "
        + " ".join(f"i:nth-of-type({line + 1}) {{ top: {20 * line}px }}" for line in range(12)),
        "<div id=d>" + _TEXT + 12 * "<i></i>" + "</div>",
    ),
    "rotated to its back": ("#x { rotate: y 180deg; backface-visibility: hidden }", _TEXT),
    "first-line": ("#x::first-line { color: #fff }", _TEXT),
    "first-line size": ("#x::first-line { font-size: 1px }", _TEXT),
    "stroke over letters": ("#x { -webkit-text-stroke: 14px #fff; color: #000 }", _TEXT),
    "font-size-adjust 0": ("#x { font-size-adjust: 0 }", _TEXT),
    "line through": ("#x { color: #000; text-decoration: line-through #fff 2em }", _TEXT),
    "line through on black": ("#x { color: #000; background: #fff; text-decoration: line-through 2em #fff }", _TEXT),
    "highlight by list marker": ("#x { display: list-item; list-style: none; color: #fff }", _TEXT),
    "perspective behind": ("#d { perspective: 100px } #x { transform: translateZ(150px) }", _BOX),
    "transform far": ("#x { transform: translate(0,-99999px) }", _TEXT),
    "legend hidden by contain": (
        "#x { contain: size; height: 0; overflow: hidden; contain-intrinsic-size: 0 0 }",
        _TEXT,
    ),
    "rotated out of clip": ("#d { overflow: hidden; height: 30px } #x { transform: translateY(40px) }", _BOX),
    "mix-blend difference of same": ("#d { background: #000 } #x { color: #000; mix-blend-mode: screen }", _BOX),
    "border area of itself": ("#x { border-top: 60px solid #fff; height: 0; overflow: hidden }", _TEXT),
    "video cover": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; background: #fff }",
        _TEXT + "<video id=c></video>",
    ),
    "fieldset cover": (
        "#c { position: absolute; width: 720px; height: 70px; margin: -75px 0 0; background: #fff; border: 0 }",
        _TEXT + "<fieldset id=c></fieldset>",
    ),
    "opacity via backdrop gradient": ("#x { background: linear-gradient(#000,#000); color: #000 }", _TEXT),
    "own background image cover via ::before z1": (
        "#d{position:relative} #d::before{content:'';position:absolute;z-index:1;inset:0;background:url(\""
        + WHITE
        + "\")}",
        _BOX,
    ),
    "content replaced": ("#x{content:url(\"" + WHITE + "\")}", _TEXT),
    "slot unassigned": ("", "<div><template shadowrootmode=open><p>shadow</p></template>" + _TEXT + "</div>"),
    "inert folded": ("", "<details><summary style='display:none'>s</summary>" + _TEXT + "</details>"),
    "image alt none": ("", "<p id=x style='font:0/0 a;color:transparent'>{text}</p>"),
    "word spacing and letters": ("#x { letter-spacing: -.9em; word-spacing: -.9em; white-space: nowrap }", _TEXT),
    "columns overflow": (
        "#x { columns: 1; height: 1em; overflow: hidden; padding-top: 1em; box-sizing: border-box }",
        _TEXT,
    ),
    "clip-path content-box empty": ("#x { height: 0; clip-path: content-box }", _TEXT),
    "matrix 0": ("#x { transform: matrix(0,0,0,0,0,0) }", _TEXT),
    "skew 90": ("#x { transform: skewX(90deg) }", _TEXT),
    "skewY 89": ("#x { transform: skewY(89.9deg) }", _TEXT),
    "preserve-3d": ("#d { transform-style: preserve-3d; transform: rotateY(90deg) }", _BOX),
    "filter contrast 0": ("#d { background: #888; filter: contrast(0) }", _BOX),
    "filter opacity 1%": ("#x { filter: opacity(1%) }", _TEXT),
    "filter brightness huge": ("#d { background: #fff; filter: brightness(100) } #x { color: #333 }", _BOX),
    "grid column 0": (
        "#d { display: grid; grid-template-columns: 0 1fr; } #x { overflow: hidden; min-width: 0; white-space: "
        "nowrap }",
        "<div id=d>" + _TEXT + "<p>&nbsp;</p></div>",
    ),
    "inline block 0": ("#x { display: inline-block; width: 0; height: 0; overflow: hidden }", _TEXT),
    "table width 0": (
        "#d { display: block; width: 0; height: 0; overflow: hidden }",
        "<div id=d><table><tr><td id=x>{text}</table></div>",
    ),
    "absolute bottom": ("#x { position: absolute; bottom: calc(100vh + 99px) }", _TEXT),
    "relative left vw": ("#x { position: relative; left: -110vw }", _TEXT),
    "svg desc": ("", "<svg width=20 height=20><desc>{text}</desc><rect width=20 height=20 /></svg>"),
    "svg metadata": ("", "<svg width=20 height=20><metadata>{text}</metadata><rect width=20 height=20 /></svg>"),
    "svg text opacity 0": ("", "<svg width=600 height=20><text opacity=0 y=15>{text}</text></svg>"),
    "svg defs": ("", "<svg width=600 height=20><defs><text y=15>{text}</text></defs></svg>"),
    "svg white": ("", "<svg width=600 height=20><text fill=white y=15>{text}</text></svg>"),
    "foreignObject 0": (
        "",
        "<svg width=600 height=20><foreignObject width=0 height=0><p>{text}</p></foreignObject></svg>",
    ),
    "video fallback": ("", "<video width=10 height=10><p>{text}</p></video>"),
    "audio fallback": ("", "<audio><p>{text}</p></audio>"),
    "canvas fallback": ("", "<canvas width=10 height=10><p>{text}</p></canvas>"),
    "text clip transparent": (
        "#x { background: linear-gradient(#fff,#fff); background-clip: text; -webkit-text-fill-color: transparent"
        " }",
        _TEXT,
    ),
    "property": (
        "@property --o { syntax: '<number>'; inherits: false; initial-value: 0 } #x { opacity: var(--o) }",
        _TEXT,
    ),
    "behind background image": (
        "#d{position:relative;height:60px}#x{position:absolute;top:0}#c{position:absolute;inset:0;background:url(\""
        + WHITE
        + "\")}",
        "<div id=d>" + _TEXT + "<div id=c></div></div>",
    ),
    "behind two halves": (
        "#d { position: relative; height: 60px } #x { position: absolute; top: 0 } .c { position: absolute; top: "
        "0; height: 60px; width: 360px; background: #fff }",
        "<div id=d>" + _TEXT + "<div class=c></div><div class=c style='left:360px'></div></div>",
    ),
    "behind repeated letters": (
        "#d { position: relative; height: 60px } #x { position: absolute; top: 0; margin: 0 } #c { position: "
        "absolute; top: 0; background: #fff; color: #fff }",
        "<div id=d>"
        + _TEXT
        + "<div id=c>m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m "
        "m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m m "
        "m m m m m m m m m m m m m m m m m m m m m </div></div>",
    ),
    "behind a flex item": (
        "#d { display: flex } #x { width: 720px; flex: none } #c { width: 720px; flex: none; margin-left: -720px;"
        " background: #fff; position: relative }",
        "<div id=d>" + _TEXT + "<div id=c>&nbsp;</div></div>",
    ),
    "behind grid area": (
        "#d { display: grid } #d>* { grid-area: 1/1 } #c { background: #fff; z-index: 1 }",
        "<div id=d>" + _TEXT + "<div id=c></div></div>",
    ),
    "tiny by em chain": ("#d { font-size: .2em } #x { font-size: .2em }", _BOX),
    "white on nearly white bg": ("#x { color: #fff; background: #f7f7f7 }", _TEXT),
    "same dark": ("#x { color: #111; background: #000 }", _TEXT),
    "same red": ("#x { color: #c00; background: #c00 }", _TEXT),
    "backdrop root invert": ("#x { color: #000; background: #fff; filter: brightness(0) }", _TEXT),
    "scroll 1px": ("#x { height: 1px; overflow: auto }", _TEXT),
    "word break 0 width": ("#x { width: 0; word-break: break-all; overflow: hidden; height: 0 }", _TEXT),
    "print media link": (
        "@media not screen { #x { display: block }  } @media screen { #x { display: none }  }",
        _TEXT,
    ),
    "aspect ratio": ("#x { aspect-ratio: 1/0; height: 0; overflow: hidden }", _TEXT),
    "contain strict": ("#x { contain: strict }", _TEXT),
    "offscreen canvas rtl": (
        "#x { direction: rtl; text-indent: -9999px; overflow: hidden; white-space: nowrap }",
        _TEXT,
    ),
    "margin top collapse": ("#d { overflow: hidden; height: 20px } #x { margin-top: -60px }", _BOX),
    "rotated out": (
        "#d { overflow: hidden; height: 40px } #x { transform: rotate(90deg); transform-origin: 0 0 }",
        _BOX,
    ),
}  # fmt: skip

SHOWN: Final = {
    "before a box of several lines": (
        "#d { width: 400px } b { background: #222; color: #fff }",
        "<p id=d>{text} <b>The clock of the mill stopped long ago, it shows noon, and the wheel still turns.</b></p>",
    ),
    "between boxes of several lines": (
        "#d { width: 420px } b { background: #fff }",
        "<p id=d><b>The clock of the mill stopped long ago, it shows noon, and the wheel still</b> <i>{text}</i> "
        "<b>turns when the water of the river is high, as it is in the spring of every year.</b></p>",
    ),
    "drop cap": ("#x::first-letter { float: left; font-size: 90px; line-height: 1 }", _TEXT),
    "drop cap of several lines": ("#x { width: 200px } #x::first-letter { float: left; font: 80px/1 serif }", _TEXT),
    "high first letter": ("#x::first-letter { font-size: 120px }", _TEXT),
    "white on dark ::before": (
        "#d { position: relative; z-index: 0; color: #fff } #d::before { content: ''; position: absolute; inset: "
        "0; background: #123; z-index: -1 }",
        _BOX,
    ),
    "white on dark ::before above static": (
        "#d { position: relative; color: #fff } #d::before { content: ''; position: absolute; inset: 0; "
        "background: #123 } #x { position: relative }",
        _BOX,
    ),
    "white on dark ::after skewed": (
        "#d { position: relative; z-index: 0; color: #fff } #d::after { content: ''; position: absolute; inset: "
        "-10px; background: #123; z-index: -1; transform: skewY(1deg) }",
        _BOX,
    ),
    "white on inset shadow": ("#x { box-shadow: inset 0 0 0 200px #123; color: #fff }", _TEXT),
    "white on border image": (
        "#x { border: 20px solid transparent; border-image: linear-gradient(#123,#123) 1 fill; color: #fff }",
        _TEXT,
    ),
    "white on wide shadow of sibling": (
        "#c { width: 1px; height: 1px; box-shadow: 0 0 0 900px #123; position: relative; z-index: -1 } article { "
        "position: relative; z-index: 0; overflow: hidden; color: #fff }",
        "<div id=c></div>" + _TEXT,
    ),
    "white on first-line": ("#x::first-line { background: #123; color: #fff }", _TEXT),
    "mask fade": ("#x { mask-image: linear-gradient(90deg,#000 60%,transparent) }", _TEXT),
    "mask solid": ("#x { mask-image: linear-gradient(#000,#000) }", _TEXT),
    "mask svg white": (
        "#x { mask: url(#m) }",
        "<svg width=0 height=0><mask id=m><rect width=9999 height=9999 fill=white /></mask></svg>" + _TEXT,
    ),
    "svg filter shadow": (
        "#x { filter: url(#f) }",
        "<svg width=0 height=0><filter id=f><feDropShadow dx=1 dy=1 stdDeviation=1 /></filter></svg>" + _TEXT,
    ),
    "svg filter missing": ("#x { filter: url(#nosuch) }", _TEXT),
    "clip-path url all": (
        "#x { clip-path: url(#cp) }",
        "<svg width=0 height=0><clipPath id=cp><rect width=9999 height=9999 /></clipPath></svg>" + _TEXT,
    ),
    "clip-path rect all": ("#x { clip-path: rect(0 auto auto 0) }", _TEXT),
    "clip-path xywh all": ("#x { clip-path: xywh(0 0 100% 100%) }", _TEXT),
    "clip-path arc all": ("#x { clip-path: path('M0 0 A900 900 0 0 1 1800 900 L 0 900 Z') }", _TEXT),
    "backdrop slight": (
        "#c { position: absolute; width: 720px; height: 70px; margin-top: -75px; backdrop-filter: brightness(.9) "
        "}",
        _TEXT + "<div id=c></div>",
    ),
    "outline text": ("#x { -webkit-text-stroke: 1px #000; color: #fff }", _TEXT),
    "thin stroke in page color": ("#x { -webkit-text-stroke: .4px #fff; color: #000 }", _TEXT),
    "line through shown": ("#x { text-decoration: line-through }", _TEXT),
    "thick underline": ("#x { text-decoration: underline 6px #fff }", _TEXT),
    "decorated by ::before": (
        "#d { position: relative } #d::before { content: ''; position: absolute; left: 0; top: 0; width: 6px; "
        "height: 100%; background: #c00 }",
        _BOX,
    ),
    "gradient veil ::after": (
        "#d { position: relative } #d::after { content: ''; position: absolute; inset: 0; background: "
        "linear-gradient(transparent,rgba(255,255,255,.3)) }",
        _BOX,
    ),
    "translucent ::after": (
        "#d { position: relative } #d::after { content: ''; position: absolute; inset: 0; background: "
        "rgba(0,0,0,.2) }",
        _BOX,
    ),
    "hover ::after scaleX(0)": (
        "#d { position: relative } #d::after { content: ''; position: absolute; inset: 0; background: #fff; "
        "transform: scaleX(0) }",
        _BOX,
    ),
    "hover ::after opacity 0": (
        "#d { position: relative } #d::after { content: ''; position: absolute; inset: 0; background: #fff; "
        "opacity: 0 }",
        _BOX,
    ),
    "hover ::after display none": (
        "#d { position: relative } #d::after { content: ''; position: absolute; inset: 0; background: #fff; "
        "display: none }",
        _BOX,
    ),
    "::after below by z-index": (
        "#d { position: relative; z-index: 1 } #d::after { content: ''; position: absolute; inset: 0; background:"
        " #eee; z-index: -1 }",
        _BOX,
    ),
    "animation delayed short": (
        "@keyframes a { from { opacity: 0 } to { opacity: 1 }  } #x { animation: a 1s 2s both }",
        _TEXT,
    ),
    "ticker that begins beside its window": (
        "@keyframes a { to { transform: translateX(-3000px) } } #d { overflow: hidden; width: 300px } "
        "#x { white-space: nowrap; margin-left: 400px; animation: a 9s linear infinite }",
        _BOX,
    ),
    "card far to the right in a scroller": (
        "#d { overflow-x: auto; white-space: nowrap } i { display: inline-block; width: 4000px } "
        "#x { display: inline-block }",
        "<div id=d><i></i>" + _TEXT + "</div>",
    ),
    "animation endless pulse": (
        "@keyframes a { from { opacity: .4 } to { opacity: 1 }  } #x { animation: a 1s infinite alternate }",
        _TEXT,
    ),
    "animation endless from nothing": (
        "@keyframes a { from { opacity: 0 } to { opacity: .9 } } #x { opacity: 0; animation: a 1s infinite alternate }",
        _TEXT,
    ),
    "animation out of the viewport": (
        "@keyframes a { to { opacity: 0 } } #x { animation: a linear both; animation-timeline: view(); "
        "animation-range: exit 0% exit 100% } .b { height: 2000px }",
        "<div class=b></div>" + _TEXT + "<div class=b></div>",
    ),
    "animation through the viewport": (
        "@keyframes a { 0%, 100% { opacity: 0 } 40%, 60% { opacity: 1 } } #x { animation: a linear both; "
        "animation-timeline: view() } .b { height: 2000px }",
        "<div class=b></div>" + _TEXT + "<div class=b></div>",
    ),
    "rotated with its front": ("#x { rotate: 3deg; backface-visibility: hidden }", _TEXT),
    "half covered": (
        "#d { position: relative; width: 300px } "
        ".a { position: absolute; background: #fff; top: 0; bottom: 0; width: 60% }",
        "<div id=d>" + _TEXT + "<div class=a></div></div>",
    ),
    "faded for readers without scripts": (
        "", "<noscript><style>* { opacity: .4 } #x { display: none }</style></noscript>" + _TEXT,
    ),
    "closed shadow root": ("", "<div><template shadowrootmode=closed><p>{text}</p></template></div>"),
    "open shadow root": ("", "<div><template shadowrootmode=open><p>{text}</p></template></div>"),
    "shadow slot closed": (
        "",
        "<div><template shadowrootmode=closed><section><slot></slot></section></template><p>{text}</p></div>",
    ),
    "text-security none": ("#x { -webkit-text-security: none }", _TEXT),
    "on a progress bar": (
        "#d { position: relative } progress { position: absolute; inset: 0; width: 100%; height: 100% } #x { "
        "position: relative }",
        "<div id=d><progress value=.5></progress>" + _TEXT + "</div>",
    ),
    "in a button": ("", "<button id=x>{text}</button>"),
    "font-size-adjust": ("#x { font-size-adjust: .5 }", _TEXT),
    "perspective slight": ("#d { perspective: 800px } #x { transform: rotateY(20deg) }", _BOX),
    "color-scheme dark": (":root { color-scheme: dark }", _TEXT),
    "color-scheme dark long": (":root { color-scheme: dark }", _TALL + _TEXT),
    "body before fixed": (
        "body { color: #fff } body::before { content: ''; position: fixed; inset: 0; background: #111; z-index: "
        "-1 }",
        _TEXT,
    ),
    "body before fixed, far down": (
        "body { color: #fff } body::before { content: ''; position: fixed; inset: 0; background: #111; z-index: "
        "-1 }",
        _TALL + _TEXT,
    ),
    "fixed background element, far down": (
        "body { color: #fff } #c { position: fixed; inset: 0; background: #111; z-index: -1 }",
        "<div id=c></div>" + _TALL + _TEXT,
    ),
    "fixed background element no z, far down": (
        "article { position: relative; color: #fff } #c { position: fixed; inset: 0; background: #111; z-index: "
        "-1 }",
        "<div id=c></div>" + _TALL + _TEXT,
    ),
    "html before absolute": (
        "html { position: relative } body { color: #fff } html::before { content: ''; position: absolute; inset: "
        "0; background: #111; z-index: -1 }",
        _TALL + _TEXT,
    ),
    "html bg": ("html { background: #111 } body { color: #fff }", _TEXT),
    "next block with bg": ("#n { margin-top: -60px; background: #fff; height: 60px }", _TEXT + "<div id=n></div>"),
    "inverted page": ("html { filter: invert(1); background: #fff }", _TEXT),
    "inverted dark": ("#d { filter: invert(1); background: #fff; color: #000 }", _BOX),
    "scroll box below": (
        "#d { height: 40px; overflow: auto }",
        "<div id=d><div style='height:90px'></div><p>{text}</p></div>",
    ),
    "aria-hidden": ("", "<p aria-hidden=true>{text}</p>"),
    "inert": ("", "<p inert>{text}</p>"),
    "9px": ("#x { font-size: 9px }", _TEXT),
    "text on svg data bg": ("#x{background:url(\"" + DARK + "\");color:#fff}", _TEXT),
    "white on dark table": ("table { background: #123; color: #fff }", "<table><tr><td>{text}</table>"),
    "white on dark flex gap": ("#d { display: flex; background: #123; color: #fff; padding: 9px }", _BOX),
    "white on linear gradient with alpha": (
        "#d { background: linear-gradient(rgba(0,0,0,.8),rgba(0,0,0,.8)); color: #fff }",
        _BOX,
    ),
    "white on box of ancestor's before": (
        "#d { position: relative; isolation: isolate; color: #fff; padding: 9px } #d::before { content: ''; "
        "position: absolute; inset: 0; background: #123; z-index: -1; border-radius: 20px }",
        _BOX,
    ),
    "white on ::before pill": (
        "#x { position: relative; z-index: 0; display: inline-block; color: #fff; padding: 9px 40px } #x::before "
        "{ content: ''; position: absolute; inset: 0; background: #123; z-index: -1; border-radius: 99px }",
        _TEXT,
    ),
    "white on ::before skew no z": (
        "#x { position: relative; color: #fff } #x span { position: relative } #x::before { content: ''; "
        "position: absolute; inset: 0; background: #123; transform: skewX(-5deg) }",
        "<p id=x><span>{text}</span></p>",
    ),
    "white on border box": (
        "#x { border-top: 60px solid #123; color: #fff; height: 0; line-height: 60px; margin: 0 } #x span { "
        "position: relative; top: -60px }",
        "<p id=x><span>{text}</span></p>",
    ),
    "white on outlined sibling": (
        "#c { outline: 900px solid #123; width: 1px; height: 1px; position: absolute; z-index: -1 } article { "
        "position: relative; z-index: 0; color: #fff }",
        "<div id=c></div>" + _TEXT,
    ),
    "white on button": ("button { background: #123; color: #fff }", "<button>{text}</button>"),
    "link block cover ::after clear": (
        "#d { position: relative } a::after { content: ''; position: absolute; inset: 0 }",
        "<div id=d><p>{text}</p><a href=/x>more</a></div>",
    ),
    "figure caption over": (
        "#d { position: relative; background: #123; height: 90px } #x { position: absolute; bottom: 0; color: "
        "#fff; background: rgba(0,0,0,.5) }",
        _BOX,
    ),
    "sticky heading": ("#x { position: sticky; top: 0; background: #fff }", _TEXT),
    "container scroll snap": ("#d { scroll-snap-type: y mandatory; overflow: auto; height: 50px }", _BOX),
    "first-letter": ("#x::first-letter { color: #fff; background: #000; font-size: 3em }", _TEXT),
    "translate back": ("#x { position: relative; left: -9999px; transform: translateX(9999px) }", _TEXT),
    "margin and padding": ("#x { margin-left: -9999px; padding-left: 9999px }", _TEXT),
    "clip auto": ("#x { position: absolute; clip: auto; position: static }", _TEXT),
    "mask radial": ("#x { mask-image: radial-gradient(#000 90%,transparent) }", _TEXT),
    "animated in": (
        "@keyframes in { from { opacity: 0; transform: translateY(20px) }  } #x { animation: in 1s both }",
        _TEXT,
    ),
}  # fmt: skip
