from __future__ import annotations

import http.client
import json
import re
import socket
from pathlib import Path

import pytest
from helpers.labelled import desk, page
from lxml import html

from vclean.errors import OutputError, UsageError
from vclean.labelling.preparation import frame_digest, list_document, page_document
from vclean.labelling.server import MAX_BODY, Guard, LabelServer, RefusedError
from vclean.labelling.session import Desk

TOKEN = "t" * 43
JSON = {"Content-Type": "application/json"}


class TestGuard:
    GUARD = Guard(8000, TOKEN)
    OWN = {"Host": "127.0.0.1:8000"}  # noqa: RUF012

    def test_the_address(self) -> None:
        assert self.GUARD.url == f"http://127.0.0.1:8000/{TOKEN}/"

    def test_every_run_has_a_token_of_its_own(self) -> None:
        assert Guard(8000).token != Guard(8000).token
        assert len(Guard(8000).token) == 43

    @pytest.mark.parametrize(("path", "rest"), [(f"/{TOKEN}/", ""), (f"/{TOKEN}/page/1", "page/1")])
    def test_inside(self, path: str, rest: str) -> None:
        assert self.GUARD.inside(path) == rest

    @pytest.mark.parametrize(
        "path", ["/", "", f"/{TOKEN}", f"/{TOKEN}x/", f"/{TOKEN[1:]}/", "//", f"//{TOKEN}/", "/ä/"]
    )
    def test_outside(self, path: str) -> None:
        with pytest.raises(RefusedError) as caught:
            self.GUARD.inside(path)
        assert caught.value.status == 404

    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Host": "localhost:8000"},
            {"Origin": "http://127.0.0.1:8000"},
            {"Sec-Fetch-Site": "same-origin"},
            {"Sec-Fetch-Site": "none"},
        ],
        ids=str,
    )
    def test_its_own_pages(self, headers: dict[str, str]) -> None:
        self.GUARD.check("GET", self.OWN | headers)

    @pytest.mark.parametrize(
        "headers",
        [
            {"Host": "evil.example:8000"},
            {"Host": "127.0.0.1:8001"},
            {"Host": "127.0.0.1"},
            {"Host": ""},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://localhost:8000"},
            {"Origin": "https://127.0.0.1:8000"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ],
        ids=str,
    )
    def test_others(self, headers: dict[str, str]) -> None:
        """A name of another site that leads to this machine (DNS rebinding), and forms and scripts of other sites."""
        with pytest.raises(RefusedError) as caught:
            self.GUARD.check("GET", self.OWN | headers)
        assert caught.value.status == 403

    VISIT = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}  # noqa: RUF012

    def test_a_link_elsewhere_may_be_followed(self) -> None:
        """The address itself is the secret; what follows a link shows it to nobody but the annotator."""
        self.GUARD.check("GET", self.OWN | self.VISIT)

    @pytest.mark.parametrize(
        ("method", "change"),
        [("POST", {}), ("GET", {"Sec-Fetch-Dest": "iframe"}), ("GET", {"Sec-Fetch-Mode": "no-cors"})],
    )
    def test_but_no_more(self, method: str, change: dict[str, str]) -> None:
        with pytest.raises(RefusedError):
            self.GUARD.check(method, self.OWN | JSON | {"Content-Length": "2"} | self.VISIT | change)

    def test_port_80_goes_without_saying(self) -> None:
        Guard(80, TOKEN).check("GET", {"Host": "127.0.0.1"})

    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ({"Content-Length": "2"}, 415),
            ({"Content-Type": "text/plain", "Content-Length": "2"}, 415),
            ({"Content-Type": "application/x-www-form-urlencoded", "Content-Length": "2"}, 415),
            (JSON, 411),
            (JSON | {"Content-Length": "-1"}, 411),
            (JSON | {"Content-Length": "²"}, 411),
            (JSON | {"Content-Length": str(MAX_BODY + 1)}, 413),
        ],
        ids=str,
    )
    def test_what_no_form_of_another_site_can_send(self, headers: dict[str, str], status: int) -> None:
        with pytest.raises(RefusedError) as caught:
            self.GUARD.check("POST", self.OWN | headers)
        assert caught.value.status == status

    def test_a_change(self) -> None:
        self.GUARD.check("POST", self.OWN | {"Content-Type": "application/json; charset=utf-8", "Content-Length": "2"})


class Client:
    """Talks to a server as a browser would, headers aside."""

    def __init__(self, server: LabelServer) -> None:
        self.server = server
        self.connection = http.client.HTTPConnection("127.0.0.1", server.guard.port, timeout=10)

    def get(self, path: str, **headers: str) -> tuple[int, object]:
        return self.ask("GET", path, None, headers)

    def post(self, path: str, body: object, **headers: str) -> tuple[int, object]:
        return self.ask("POST", path, json.dumps(body), JSON | headers)

    def ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[int, object]:
        where = path if path.startswith("/") else f"/{self.server.guard.token}/{path}"
        self.connection.request(method, where, body, headers)
        self.response = self.connection.getresponse()
        text = self.response.read().decode()
        return self.response.status, json.loads(text) if "json" in self.response.headers["Content-Type"] else text


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory):
    """One desk and one server for all tests, each of which has a page of its own."""
    pages = [page(f"{number}.html") for number in range(12)]
    made, journal = desk(tmp_path_factory.mktemp("project"), *pages)
    with LabelServer(made, lambda number: f"<h1>{made.page(number).id}</h1>", "<h1>all</h1>") as server:
        yield made, server
    journal.__exit__()


@pytest.fixture
def client(table):
    made = Client(table[1])
    yield made
    made.connection.close()


class TestServer:
    def test_the_list_and_the_pages(self, client: Client) -> None:
        assert client.get("") == (200, "<h1>all</h1>")
        assert client.get("page/3") == (200, "<h1>3.html</h1>")
        status, listing = client.get("list")
        assert (status, listing["total"]) == (200, 12)

    def test_it_listens_on_the_loopback_interface_alone(self, client: Client) -> None:
        assert client.server._server.server_address[0] == "127.0.0.1"

    def test_nothing_is_kept_framed_or_sniffed(self, client: Client) -> None:
        client.get("")
        headers = client.response.headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers
        assert "Python" not in headers["Server"]

    def test_a_change_is_answered_with_what_it_changed(self, client: Client, table) -> None:
        blocks = [{"block": 0, "label": "p"}, {"block": 1, "role": "ad"}]
        status, state = client.post("change/0", {"since": 0, "blocks": blocks})
        assert status == 200
        assert state["blocks"] == [[0, "p", "navigation", True, 1], [1, "h", "ad", True, 1]]
        assert client.get("state/0/0")[1] == state
        assert client.get("state/0/1")[1]["blocks"] == []

    def test_undo_redo_and_status(self, client: Client) -> None:
        client.post("change/1", {"since": 0, "blocks": [{"block": 0, "label": "p"}]})
        assert client.post("undo/1", {"since": 1})[1]["blocks"] == [[0, "o", "navigation", False, 2]]
        assert client.post("redo/1", {"since": 2})[1]["blocks"] == [[0, "p", "navigation", True, 3]]
        status, state = client.post("mark/1", {"since": 3, "status": "skipped"})
        assert (status, state["status"], state["progress"]["skipped"]) == (200, "skipped", 1)

    @pytest.mark.parametrize(
        "path", ["hat", "page/99", "page/x", "state/0", "state/0/-1", "page/%C2%B2", "../list", "page/1/2"]
    )
    def test_what_is_not_there(self, client: Client, path: str) -> None:
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
    def test_what_is_no_change(self, client: Client, path: str, body: object, status: int) -> None:
        assert client.post(path, body)[0] == status
        assert client.get("state/2/0")[1]["revision"] == 0

    @pytest.mark.parametrize("body", ["{", "", "\ud83d".encode("utf-16", "surrogatepass").decode("latin-1")])
    def test_what_is_no_json(self, client: Client, body: str) -> None:
        assert client.ask("POST", "change/2", body, JSON)[0] == 400

    def test_the_connection_of_a_refused_change_ends(self, client: Client) -> None:
        """Its body was not read: what follows would be taken for a request."""
        assert client.post("change/2", {"blocks": []}, Origin="http://evil.example")[0] == 403
        assert client.get("list")[0] == 200

    @pytest.mark.parametrize("path", ["/", "/list", "/wrong/list", f"/{TOKEN}/list"])
    def test_without_the_token(self, client: Client, path: str) -> None:
        assert client.get(path)[0] == 404
        assert client.post(path, {})[0] == 404

    def test_other_methods_are_not_known(self, client: Client) -> None:
        for method in ("PUT", "DELETE", "OPTIONS", "HEAD"):
            client.connection.request(method, f"/{client.server.guard.token}/list")
            response = client.connection.getresponse()
            response.read()
            assert response.status == 501
            client.connection.close()

    def test_a_full_disk_is_told(self, client: Client, table, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise OutputError("cannot write me.jsonl: the disk is full")

        monkeypatch.setattr(table[0], "change", full)
        status, answer = client.post("change/3", {"since": 0, "blocks": []})
        assert (status, answer) == (507, {"error": "cannot write me.jsonl: the disk is full"})

    def test_a_bug_is_one_line_and_no_traceback(
        self, client: Client, table, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(table[0], "listing", lambda: 1 / 0)
        status, answer = client.get("list")
        assert status == 500
        assert "ZeroDivisionError" in answer["error"]
        assert client.get("page/0")[0] == 200
        assert capfd.readouterr().err == ""

    def test_a_browser_that_hangs_up(self, client: Client, capfd: pytest.CaptureFixture[str]) -> None:
        for piece in (b"", b"GET /", b"\x16\x03\x01\x02\x00", b"POST /x/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"):
            with socket.create_connection(("127.0.0.1", client.server.guard.port)) as line:
                line.sendall(piece)
        assert client.get("list")[0] == 200
        assert capfd.readouterr().err == ""


class TestPort:
    def test_one_that_is_taken(self, table: tuple[Desk, LabelServer]) -> None:
        with pytest.raises(UsageError, match=r"cannot serve on port .*: choose another --port"):
            LabelServer(table[0], str, "", table[1].guard.port)

    def test_the_end_does_not_wait_for_idle_browsers(self, tmp_path: Path) -> None:
        made, journal = desk(tmp_path, page())
        with LabelServer(made, str, "") as server:
            client = Client(server)
            client.get("list")
        with pytest.raises(OSError, match=r"refused"):
            socket.create_connection(("127.0.0.1", server.guard.port)).close()
        client.connection.close()
        journal.__exit__()


class TestDocuments:
    def test_nothing_is_fetched_but_from_the_server_itself(self) -> None:
        """Script and style are in the document and allowed by their hashes; nothing in it names another place."""
        document = list_document()
        policy = html.fromstring(document).find(".//meta[@http-equiv]").get("content")
        assert "default-src 'none'" in policy
        assert "connect-src 'self'" in policy
        assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", document)

    def test_the_page_has_the_controls_of_labelling(self) -> None:
        from helpers.pages import laid_out, result

        document = page_document(result(laid_out("<p>One</p><p></script><b>Two"), "pp", id="a"))
        assert "change/${NUMBER}" in document
        assert "</script><b>" not in document

    def test_the_frame_s_digest_is_that_of_its_scripts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        before = frame_digest()
        monkeypatch.setattr("vclean.labelling.preparation.asset", lambda package, name: name)
        frame_digest.cache_clear()
        assert frame_digest() != before
        frame_digest.cache_clear()
