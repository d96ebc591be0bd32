"""Page saved as MHTML, for tests."""

from __future__ import annotations

SAVED = b"""\
From: <Saved by Blink>
Snapshot-Content-Location: https://example.org/news/page.html
Subject: A page
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----frontier"

------frontier
Content-Type: text/html; charset=utf-8
Content-ID: <frame-1@mhtml.blink>
Content-Transfer-Encoding: quoted-printable
Content-Location: https://example.org/news/page.html

<link rel=3D"stylesheet" href=3D"cid:css-1@mhtml.blink"><p>=C5=BElu=C5=A5<img src=3D"i.png">
------frontier
Content-Type: text/css; charset=utf-8
Content-Transfer-Encoding: quoted-printable
Content-Location: cid:css-1@mhtml.blink

p { background: url("cid:picture@x") }
------frontier
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-Location: i.png

iVBORw0KGgo=
------frontier
Content-Type: image/gif
Content-Transfer-Encoding: base64
Content-ID: <picture@x>

R0lGODlh
------frontier--
"""

SAVED_FROM_FILE = b"""\
From: <Saved by Blink>
Snapshot-Content-Location: file:///C:/docs/page.html
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----frontier"

------frontier
Content-Type: text/html; charset=utf-8
Content-Location: file:///C:/docs/page.html

<link rel="stylesheet" href="file:///C:/docs/page_files/a&amp;b.css"><link rel="stylesheet" href="page_files/c.css">
<link rel="stylesheet" href="../d.css"><link rel="stylesheet" href="file:///C:/docs/missing.css">
<p class="a">Hidden by an absolute link.<p class="c">Hidden by a relative link.<p class="d">Hidden from above.
<p>The ferry runs again.
------frontier
Content-Type: text/css
Content-Location: file:///C:/docs/page_files/a&b.css

.a { display: none }
------frontier
Content-Type: text/css
Content-Location: file:///C:/docs/page_files/c.css

.c { display: none }
------frontier
Content-Type: text/css
Content-Location: file:///C:/d.css

.d { display: none }
------frontier--
"""
