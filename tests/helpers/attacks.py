"""Build pages that try to reach a listener, each by one attack; the listener records what reaches it."""

import contextlib
import re
import socket
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote


def _in_frame(kind: str, text: str) -> str:
    return f"<iframe src='data:{kind},{quote(text, safe='{}')}'></iframe>"


def _script(code: str) -> str:
    return f"<script>(async () => {{{{ {code} }}}})().catch(() => 0)</script>"


_STYLES = {
    "style import": "@import url('{to}');",
    "style font": "@font-face {{ font-family: x; src: url('{to}') }} p {{ font-family: x }}",
    "style background": "html {{ background: url('{to}') }}",
    "style content": "p::before {{ content: url('{to}') }}",
    "style list": "p {{ display: list-item; list-style: url('{to}') }}",
    "style cursor": "p {{ cursor: url('{to}'), auto }}",
    "style mask": "p {{ mask: url('{to}') }}",
    "style border": "p {{ border: 9px solid; border-image: url('{to}') 9 }}",
    "style shape": "p {{ float: left; shape-outside: url('{to}') }}",
    "style filter": "p {{ filter: url('{to}#a') }}",
    "style image-set": "p {{ background: image-set('{to}' 1x) }}",
}

_LINKS = (
    "stylesheet", "alternate stylesheet", "preload", "modulepreload", "prefetch", "prerender", "preconnect",
    "dns-prefetch", "manifest", "icon", "apple-touch-icon", "next", "import", "compression-dictionary",
)  # fmt: skip

_ELEMENTS = {
    "img": "<img src='{to}'>",
    "srcset": "<img srcset='{to} 1x'>",
    "picture": "<picture><source srcset='{to}'><img></picture>",
    "lazy img": "<img loading=lazy src='{to}'>",
    "base": "<base href='{to}/'><img src=a>",
    "body": "<body background='{to}'>",
    "table": "<table background='{to}'><tr><td>cell",
    "input": "<input type=image src='{to}'>",
    "iframe": "<iframe src='{to}'></iframe>",
    "frame": "<iframe srcdoc=\"<frameset><frame src='{to}'></frameset>\"></iframe>",
    "srcdoc": "<iframe srcdoc=\"<img src='{to}'>\"></iframe>",
    "data frame": _in_frame("text/html", "<img src='{to}'>"),
    "javascript frame": "<iframe src=\"javascript:'<img src={to}>'\"></iframe>",
    "embed": "<embed src='{to}'>",
    "object": "<object data='{to}'></object>",
    "applet": "<applet code=a archive='{to}'></applet>",
    "video": "<video src='{to}' preload=auto></video>",
    "poster": "<video poster='{to}'></video>",
    "audio": "<audio src='{to}' preload=auto></audio>",
    "source": "<video preload=auto><source src='{to}'></video>",
    "track": "<video><track default kind=subtitles src='{to}'></video>",
    "svg image": "<svg><image href='{to}'/></svg>",
    "svg use": "<svg><use href='{to}#a'/></svg>",
    "svg feImage": "<svg><filter id=f><feImage href='{to}'/></filter><rect width=9 height=9 filter='url(#f)'/></svg>",
    "svg script": "<svg><script href='{to}'></script></svg>",
    "svg in img": "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{to}'/></svg>\">",
    "mathml": "<math href='{to}'><mi>x</mi></math>",
    "refresh": "<meta http-equiv=refresh content='0;url={to}'>",
    "report": "<meta http-equiv=content-security-policy content=\"img-src 'none'; report-uri {to}\"><img src=x>",
    "link header": "<meta http-equiv=link content='<{to}>; rel=stylesheet'>",
    "appcache": "<html manifest='{to}'>",
    "xslt": _in_frame("application/xml", "<?xml-stylesheet type='text/xsl' href='{to}'?><a/>"),
    "xml style": _in_frame("application/xml", "<?xml-stylesheet type='text/css' href='{to}'?><a/>"),
    "xml entity": _in_frame("application/xml", "<!DOCTYPE a [<!ENTITY e SYSTEM '{to}'>]><a>&e;</a>"),
    "xml dtd": _in_frame("application/xml", "<!DOCTYPE a SYSTEM '{to}'><a/>"),
    "script": "<script src='{to}'></script>",
    "module": "<script type=module src='{to}'></script>",
    "speculation prefetch": "<script type=speculationrules>"
    '{{"prefetch":[{{"source":"list","urls":["{to}"]}}]}}</script>',
    "speculation prerender": "<script type=speculationrules>"
    '{{"prerender":[{{"source":"list","urls":["{to}"]}}]}}</script>',
    "attribution": "<img attributionsrc='{to}'>",
    "template": "<div><template shadowrootmode=open><img src='{to}'></template></div>",
    "noscript": "<noscript><img src='{to}'></noscript>",
    "mail": "<iframe src='mailto:a@{host}'></iframe><iframe src='tel:1'></iframe>",
    "ftp": "<iframe src='ftp://{host}/'></iframe><img src='ftp://{host}/'>",
    "view-source": "<iframe src='view-source:{to}'></iframe>",
    "filesystem": "<iframe src='filesystem:{to}'></iframe>",
}

_SPELLINGS = {
    "by name": "http://localhost:{port}/{name}",
    "by subdomain": "http://a.localhost:{port}/{name}",
    "by zero": "http://0.0.0.0:{port}/{name}",
    "by number": "http://2130706433:{port}/{name}",
    "by hexadecimal": "http://0x7f.1:{port}/{name}",
    "by octal": "http://0177.0.0.1:{port}/{name}",
    "by neighbour": "http://127.8.8.8:{port}/{name}",
    "by v6": "http://[::1]:{port6}/{name}",
    "by mapped v6": "http://[::ffff:127.0.0.1]:{port}/{name}",
    "by https": "https://127.0.0.1:{port}/{name}",
    "by user": "http://example.org@127.0.0.1:{port}/{name}",
    "by width": "http://①②⑦.0.0.1:{port}/{name}",
    "by backslash": "http:\\\\127.0.0.1:{port}\\{name}",
    "by scheme": "//127.0.0.1:{port}/{name}",
}

PASSIVE = (
    {name: f"<style>{style}</style><p>Text" for name, style in _STYLES.items()}
    | {f"link {rel}": f"<link rel='{rel}' as=image href='{{to}}'><p>Text" for rel in _LINKS}
    | {name: f"{element}<p>Text" for name, element in _ELEMENTS.items()}
    | {name: f"<img src='{url}'><iframe src='{url}'></iframe><p>Text" for name, url in _SPELLINGS.items()}
)
"""Templates of attacks without a script, by name; `to` is a URL, `host` an IP address with port."""

_CODE = {
    "fetch": "await fetch('{to}')",
    "fetch no-cors": "await fetch('{to}', {{ mode: 'no-cors', method: 'POST', body: 'x' }})",
    "fetch keepalive": "await fetch('{to}', {{ keepalive: true, mode: 'no-cors' }})",
    "fetch later": "fetchLater('{to}', {{ activateAfter: 0 }})",
    "fetch local": "await fetch('{to}', {{ targetAddressSpace: 'loopback' }})",
    "xhr": "const x = new XMLHttpRequest(); x.open('GET', '{to}', false); x.send()",
    "beacon": "navigator.sendBeacon('{to}', 'x')",
    "websocket": "new WebSocket('ws://{host}/{name}')",
    "websocket stream": "await new WebSocketStream('ws://{host}/{name}').opened",
    "events": "new EventSource('{to}')",
    "webtransport": "await new WebTransport('https://127.0.0.1:{udp}/{name}').ready",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('{to}', {{ mode: 'no-cors' }})`])))",
    "worker import": "new Worker(URL.createObjectURL(new Blob([`importScripts('{to}')`])))",
    "shared worker": "new SharedWorker('data:text/javascript,' + encodeURIComponent(`fetch('{to}')`))",
    "service worker": "await navigator.serviceWorker.register('{to}')",
    "own service worker": "await navigator.serviceWorker.register('/sw.js')",
    "worklet": "await CSS.paintWorklet.addModule('{to}')",
    "audio worklet": "await new AudioContext().audioWorklet.addModule('{to}')",
    "dynamic import": "await import('{to}')",
    "image": "new Image().src = '{to}'",
    "audio element": "new Audio('{to}').load()",
    "font face": "await new FontFace('x', \"url('{to}')\").load()",
    "write": "document.write(\"<img src='{to}'>\")",
    "style sheet": "document.adoptedStyleSheets = [new CSSStyleSheet()];"
    "document.adoptedStyleSheets[0].insertRule(\"* {{ background: url('{to}') }}\")",
    "form": "const f = document.createElement('form'); f.action = '{to}'; document.body.append(f); f.submit()",
    "form post": "const f = document.createElement('form'); f.action = '{to}'; f.method = 'post';"
    "f.enctype = 'text/plain'; document.body.append(f); f.submit()",
    "form to a frame": "const f = document.createElement('form'), i = document.createElement('iframe'); i.name = 'i';"
    "f.action = '{to}'; f.target = 'i'; document.body.append(i, f); f.submit()",
    "popup": "open('{to}')",
    "popup without opener": "open('{to}', '_blank', 'noopener')",
    "link": "const a = document.createElement('a'); a.href = '{to}'; document.body.append(a); a.click()",
    "ping": "const a = document.createElement('a'); a.href = '#x'; a.ping = '{to}'; document.body.append(a); a.click()",
    "download": "const a = document.createElement('a'); a.href = '{to}'; a.download = 'x'; a.click()",
    "location": "location = '{to}'",
    "location replace": "location.replace('{to}')",
    "frame location": "const i = document.createElement('iframe'); document.body.append(i); i.contentWindow.location ="
    " '{to}'",
    "blob frame": "const i = document.createElement('iframe'); document.body.append(i);"
    "i.src = URL.createObjectURL(new Blob([`<img src='{to}'>`], {{ type: 'text/html' }}))",
    "blob page": "location = URL.createObjectURL(new Blob([`<img src='{to}'>`], {{ type: 'text/html' }}))",
    "opened document": "document.open(); document.write(`<img src='{to}'>`); document.close()",
    "view-source page": "location = 'view-source:{to}'",
    "chrome page": "location = 'chrome://net-export'; open('chrome://inspect'); open('devtools://devtools')",
    "file page": "location = 'file:///etc/passwd'",
    "late rules": "const s = document.createElement('script'); s.type = 'speculationrules';"
    "s.textContent = JSON.stringify({{ prefetch: [{{ urls: ['{to}'] }}] }}); document.head.append(s)",
    "webrtc stun": "const p = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:127.0.0.1:{udp}' }}] }});"
    "p.createDataChannel('x'); await p.setLocalDescription(await p.createOffer())",
    "webrtc turn": "const p = new RTCPeerConnection({{ iceServers: [{{ urls: ['turn:127.0.0.1:{udp}',"
    "'turn:{host}?transport=tcp'], username: 'u', credential: 'c' }}] }});"
    "p.createDataChannel('x'); await p.setLocalDescription(await p.createOffer())",
    "webrtc peer": "const p = new RTCPeerConnection(); p.createDataChannel('x');"
    "const o = await p.createOffer(); await p.setLocalDescription(o); const q = new RTCPeerConnection();"
    "await q.setRemoteDescription(o); const w = await q.createAnswer(); await q.setLocalDescription(w);"
    "await p.setRemoteDescription(w); await p.addIceCandidate({{ sdpMid: '0', candidate:"
    "'candidate:1 1 udp 2122260223 127.0.0.1 {udp} typ host' }})",
    "payment": "await new PaymentRequest([{{ supportedMethods: '{to}' }}], {{ total: {{ label: 'x',"
    "amount: {{ currency: 'EUR', value: '1' }} }} }}).show()",
    "identity": "await navigator.credentials.get({{ identity: {{ providers: [{{ configURL: '{to}', clientId: 'x' }}]"
    "}} }})",
    "xslt document": "const x = new XSLTProcessor(), d = (t) => new DOMParser().parseFromString(t, 'text/xml');"
    "x.importStylesheet(d(`<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
    "<xsl:template match='/'><xsl:copy-of select=\"document('{to}')\"/></xsl:template></xsl:stylesheet>`));"
    "x.transformToDocument(d('<a/>'))",
    "background fetch": "await (await navigator.serviceWorker.ready).backgroundFetch.fetch('x', '{to}')",
    "protocol": "location = 'web+x:{to}'",
}

ACTIVE = {name: f"<p>Text{_script(code)}" for name, code in _CODE.items()}
"""Templates of attacks with a script, by name."""

_LEAVING = frozenset(
    ("form", "form post", "link", "download", "location", "location replace", "blob page", "opened document",
     "view-source page", "chrome page", "file page", "protocol")
)  # fmt: skip
"""Attacks that navigate away from the page; attacks after them on the same page have no time to run."""


def batches(names: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Split names into groups of `size`."""
    return [tuple(names[start : start + size]) for start in range(0, len(names), size)]


def page_groups(attacks: Iterable[str], size: int = 12, *, leaving: int = 1) -> list[tuple[str, ...]]:
    """Group attacks by page: `size` attacks on a page, or `leaving` of those that navigate away."""
    attacks = list(attacks)
    others = [attack for attack in attacks if attack not in _LEAVING]
    return batches(others, size) + batches([attack for attack in attacks if attack in _LEAVING], leaving)


def group_id(attacks: tuple[str, ...]) -> str:
    """Return a test id for the attacks of a page."""
    return attacks[0] if len(attacks) == 1 else f"{attacks[0]} to {attacks[-1]}"


@dataclass
class Listener:
    """Listener on the loopback interface: records TCP connections (IPv4, IPv6), their request lines, and UDP packets.

    Attributes:
        port, port6, udp: ports of TCP over IPv4, TCP over IPv6, and UDP.
        hits: records of what reached the listener.
    """

    port: int
    port6: int
    udp: int
    hits: list[str] = field(default_factory=list)

    def pages(self, attacks: Iterable[str], size: int = 12) -> Iterator[str]:
        """Return pages with all attacks, `size` on each page."""
        return map(self.attack, page_groups(attacks, size, leaving=size))

    def attack(self, attacks: Iterable[str]) -> str:
        """Return a page with the attacks of these names."""
        return "".join(self.page(attack, (PASSIVE | ACTIVE)[attack]) for attack in attacks)

    def page(self, name: str, template: str) -> str:
        """Return the HTML of an attack on this listener."""
        host = f"127.0.0.1:{self.port}"
        slug = re.sub(r"\W", "-", name)
        target = {"to": f"http://{host}/{slug}", "host": host, "name": slug}
        return template.format(**target, port=self.port, port6=self.port6, udp=self.udp)

    def reached_by(self, names: Iterable[str]) -> set[str]:
        """Return the attacks that reached the listener: the path of a request is the name of its attack."""
        paths = {match.group(1) for match in map(re.compile(r"[A-Z]+ /([\w-]+)").match, self.hits) if match}
        return {name for name in names if re.sub(r"\W", "-", name) in paths}


_ANSWER = b"HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


@contextlib.contextmanager
def listening() -> Iterator[Listener]:
    """Run a listener on free ports."""
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    sockets = [socket.create_server(("", 0)), _v6_server()]
    ports = [each.getsockname()[1] if each else 0 for each in (*sockets, udp)]
    listener = Listener(*ports)
    threads = [threading.Thread(target=_record_packets, args=(udp, listener))]
    threads += [threading.Thread(target=_record_connections, args=(each, listener)) for each in sockets if each]
    for thread in threads:
        thread.start()
    try:
        yield listener
    finally:
        udp.sendto(b"", udp.getsockname())
        for each in filter(None, sockets):
            each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in threads:
            thread.join()
        udp.close()


def _v6_server() -> socket.socket | None:
    try:
        return socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:  # the machine has no IPv6
        return None


def _record_packets(udp: socket.socket, listener: Listener) -> None:
    while packet := udp.recvfrom(2048)[0]:
        listener.hits.append(f"udp {len(packet)}")


def _record_connections(server: socket.socket, listener: Listener) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = server.accept()
            listener.hits.append("connection")
            with connection, contextlib.suppress(OSError):
                connection.settimeout(1)
                listener.hits.append(connection.recv(2048).partition(b"\r\n")[0][:80].decode("latin-1"))
                connection.sendall(_ANSWER)
