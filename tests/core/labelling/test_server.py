from __future__ import annotations

import http.client
import json
import re
import socket

import pytest
from helpers.labelled import page, session
from lxml import html

from vclean.errors import UsageError
from vclean.labelling.preparation import frame_digest, list_document
from vclean.labelling.server import MAX_BODY, LabelServer, RefusedError, check_request, strip_token
from vclean.labelling.session import AnnotationSession

TOKEN = "t" * 43
JSON = {"Content-Type": "application/json"}


class TestRequests:
    OWN = {"Host": "127.0.0.1:8000"}  # noqa: RUF012

    @pytest.mark.parametrize(
        "path", ["/", "", f"/{TOKEN}", f"/{TOKEN}x/", f"/{TOKEN[1:]}/", "//", f"//{TOKEN}/", "/ä/"]
    )
    def test_rejects_missing_token(self, path: str) -> None:
        with pytest.raises(RefusedError) as caught:
            strip_token(path, TOKEN)
        assert caught.value.status == 404

    VISIT = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}  # noqa: RUF012

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Host": "localhost:8000"},
            {"Origin": "http://127.0.0.1:8000"},
            {"Sec-Fetch-Site": "same-origin"},
            {"Sec-Fetch-Site": "none"},
            VISIT,  # the address is itself the secret, and only the annotator sees the page
        ],
        ids=str,
    )
    def test_accepts_pages_of_this_server_and_links(self, headers: dict[str, str]) -> None:
        check_request("GET", self.OWN | headers, 8000)
        check_request("GET", {"Host": "127.0.0.1"}, 80)

    @pytest.mark.parametrize(
        ("method", "headers", "status"),
        [
            ("GET", {"Host": "evil.example:8000"}, 403),
            ("GET", {"Host": "127.0.0.1:8001"}, 403),
            ("GET", {"Host": "127.0.0.1"}, 403),
            ("GET", {"Host": ""}, 403),
            ("GET", {"Origin": "http://evil.example"}, 403),
            ("GET", {"Origin": "null"}, 403),
            ("GET", {"Origin": "http://localhost:8000"}, 403),
            ("GET", {"Origin": "https://127.0.0.1:8000"}, 403),
            ("GET", {"Sec-Fetch-Site": "cross-site"}, 403),
            ("GET", {"Sec-Fetch-Site": "same-site"}, 403),
            ("GET", VISIT | {"Sec-Fetch-Dest": "iframe"}, 403),
            ("GET", VISIT | {"Sec-Fetch-Mode": "no-cors"}, 403),
            ("POST", VISIT | JSON | {"Content-Length": "2"}, 403),
            ("POST", {"Content-Length": "2"}, 415),
            ("POST", {"Content-Type": "text/plain", "Content-Length": "2"}, 415),
            ("POST", {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": "2"}, 415),
            ("POST", JSON, 411),
            ("POST", JSON | {"Content-Length": "-1"}, 411),
            ("POST", JSON | {"Content-Length": "²"}, 411),
            ("POST", JSON | {"Content-Length": str(MAX_BODY + 1)}, 413),
        ],
        ids=str,
    )
    def test_rejects_other_sites_and_forms(self, method: str, headers: dict[str, str], status: int) -> None:
        """Reject host names of other sites that resolve to this machine (DNS rebinding), and pages of other sites."""
        with pytest.raises(RefusedError) as caught:
            check_request(method, self.OWN | headers, 8000)
        assert caught.value.status == status


class Client:
    """HTTP client that sends what a browser would."""

    def __init__(self, server: LabelServer) -> None:
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)

    def get(self, path: str, **headers: str) -> tuple[int, object]:
        return self.request_page("GET", path, None, headers)

    def post(self, path: str, body: object, **headers: str) -> tuple[int, object]:
        return self.request_page("POST", path, json.dumps(body), JSON | headers)

    def request_page(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[int, object]:
        where = path if path.startswith("/") else f"/{self.server.token}/{path}"
        self.connection.request(method, where, body, headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        return response.status, json.loads(text) if "json" in response.headers["Content-Type"] else text


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory):
    """Share one session and server between all tests, each of which uses a different page."""
    pages = [page(f"{number}.html") for number in range(12)]
    made = session(tmp_path_factory.mktemp("project"), *pages)
    with (
        LabelServer(made, lambda number: f"<h1>{made.page(number).id}</h1>") as server,
    ):
        yield made, server


@pytest.fixture
def client(served):
    made = Client(served[1])
    yield made
    made.connection.close()


class TestServer:
    def test_serves_list_and_pages_on_loopback_only(self, client: Client) -> None:
        status, text = client.get("")
        assert (status, "0 of 12 done" in text) == (200, True)
        assert client.get("page/3") == (200, "<h1>3.html</h1>")
        assert client.server.server_address[0] == "127.0.0.1"
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", client.server.url)

    def test_undo_redo_and_status(self, client: Client) -> None:
        client.post("change/1", {"since": 0, "blocks": [{"block": 0, "label": "p", "role": None}]})
        undone = client.post("undo/1", {"since": 1})[1]
        assert undone["blocks"] == [[0, "o", "navigation", None, False, 2]]
        assert (undone["undo"], undone["redo"]) == (False, True)
        assert client.post("redo/1", {"since": 2})[1]["blocks"] == [[0, "p", None, None, True, 3]]
        status, state = client.post("mark/1", {"since": 3, "status": "skipped"})
        assert (status, state["status"], state["progress"]["skipped"]) == (200, "skipped", 1)

    @pytest.mark.parametrize(
        "path", ["hat", "page/99", "page/x", "state/0", "state/0/-1", "page/%C2%B2", "../list", "page/1/2"]
    )
    def test_unknown_address(self, client: Client, path: str) -> None:
        status, answer = client.get(path)
        assert status == 404
        assert set(answer) == {"error"}

    @pytest.mark.parametrize(
        ("path", "body", "status"),
        [
            ("change/2", {"blocks": [{"block": 99, "label": "p"}]}, 400),
            ("change/2", {"blocks": 1}, 400),
            ("change/2", {}, 400),
            ("change/2", [], 400),
            ("mark/2", {"status": "half"}, 400),
            ("hat/2", {}, 404),
            ("undo/99", {}, 404),
        ],
    )
    def test_invalid_change(self, client: Client, path: str, body: object, status: int) -> None:
        assert client.post(path, body)[0] == status
        assert client.get("state/2/0")[1]["revision"] == 0

    @pytest.mark.parametrize("body", ["{", "", "\ud83d".encode("utf-16", "surrogatepass").decode("latin-1")])
    def test_invalid_json(self, client: Client, body: str) -> None:
        assert client.request_page("POST", "change/2", body, JSON)[0] == 400

    def test_closes_connection_after_refused_change(self, client: Client) -> None:
        """Close the connection: the unread body would be parsed as the next request."""
        assert client.post("change/2", {"blocks": []}, Origin="http://evil.example")[0] == 403
        assert client.get("")[0] == 200

    @pytest.mark.parametrize("path", ["/", "/page/1", "/wrong/", f"/{TOKEN}/"])
    def test_missing_token(self, client: Client, path: str) -> None:
        assert client.get(path)[0] == 404
        assert client.post(path, {})[0] == 404

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD"])
    def test_rejects_other_methods(self, client: Client, method: str) -> None:
        client.connection.request(method, f"/{client.server.token}/list")
        assert client.connection.getresponse().status == 501

    def test_reports_bug_in_one_line(
        self, client: Client, served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(served[0], "listing", lambda: 1 / 0)
        status, answer = client.get("")
        assert status == 500
        assert "ZeroDivisionError" in answer["error"]
        assert client.get("page/0")[0] == 200
        assert capfd.readouterr().err == ""

    def test_disconnected_browser(self, client: Client, capfd: pytest.CaptureFixture[str]) -> None:
        for piece in (b"", b"GET /", b"\x16\x03\x01\x02\x00", b"POST /x/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"):
            with socket.create_connection(("127.0.0.1", client.server.server_port)) as line:
                line.sendall(piece)
        assert client.get("")[0] == 200
        assert capfd.readouterr().err == ""


def test_rejects_taken_port(served: tuple[AnnotationSession, LabelServer]) -> None:
    with pytest.raises(UsageError, match=r"cannot serve on port .*: choose another --port"):
        LabelServer(served[0], str, served[1].server_port)


class TestDocuments:
    def test_requests_only_this_server(self) -> None:
        """Find script and style in the document, allowed by their hashes, and no other URL."""
        document = list_document({"pages": [], "failed": [], "ready": True, "total": 0, "done": 0, "skipped": 0})
        policy = html.fromstring(document).find(".//meta[@http-equiv]").get("content")
        assert "default-src 'none'" in policy
        assert "connect-src 'self'" in policy
        assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", document)

    def test_frame_digest_depends_on_scripts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = frame_digest()
        monkeypatch.setattr("vclean.labelling.preparation.asset", lambda package, name: name)
        frame_digest.cache_clear()
        assert frame_digest() != before
        frame_digest.cache_clear()
