from __future__ import annotations

import socket
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from vclean.errors import BrowserMissingError, ExtraMissingError, UsageError, VcleanError
from vclean.farm import ray as module
from vclean.farm.ray import RayWorker, connect_to_cluster, count_workers
from vclean.farm.rows import RunSettings, Task
from vclean.page import Page
from vclean.settings import CleanerSettings

GIB = 2**30
RENDERED, UNRENDERED = CleanerSettings(render=True), CleanerSettings(render=False)


def node(cpus: float, memory: float = 256 * GIB, *, alive: bool = True) -> dict[str, Any]:
    return {"Alive": alive, "Resources": {"CPU": cpus, "memory": memory}}


def cluster(*nodes: dict[str, Any]) -> Any:
    return SimpleNamespace(nodes=lambda: nodes)


class TestCountWorkers:
    @pytest.mark.parametrize(("cpus", "workers"), [(1, 1), (2, 2), (3, 3), (4, 4), (8, 9), (64, 80)])
    def test_processors_of_one_node(self, cpus: int, workers: int) -> None:
        assert count_workers(cluster(node(cpus)), RENDERED) == workers

    def test_adds_up_running_nodes_with_processors(self) -> None:
        nodes = node(2), node(4), node(8, alive=False), {"Alive": True, "Resources": {"memory": 64.0 * GIB}}
        assert count_workers(cluster(*nodes), RENDERED) == 2 + 4

    @pytest.mark.parametrize(("cleaning", "workers"), [(RENDERED, 3), (UNRENDERED, 7)])
    def test_memory_limits_workers(self, cleaning: CleanerSettings, workers: int) -> None:
        assert count_workers(cluster(node(8, 3.5 * GIB)), cleaning) == workers

    def test_request_lowers_number_but_does_not_raise_it(self) -> None:
        assert count_workers(cluster(node(8)), RENDERED, 3) == 3
        assert count_workers(cluster(node(8)), RENDERED, 99) == 9

    @pytest.mark.parametrize("nodes", [[], [node(0)], [node(4, GIB / 2)]])
    def test_rejects_cluster_without_room(self, nodes: list[dict[str, Any]]) -> None:
        with pytest.raises(UsageError, match="add a node"):
            count_workers(cluster(*nodes), RENDERED)


class TestConnectToCluster:
    def test_missing_ray(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ray", None)
        with pytest.raises(ExtraMissingError, match=r"this needs Ray .*: pip install .*\[ray\]'"):
            connect_to_cluster(None).__enter__()

    def test_rejects_client_address(self, ray: SimpleNamespace) -> None:
        with pytest.raises(UsageError, match="run vclean on a node"):
            connect_to_cluster("ray://head:10001").__enter__()
        assert ray.calls == []

    def test_unreachable_address(self, ray: SimpleNamespace) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        with pytest.raises(UsageError, match=f"no Ray cluster at 127.0.0.1:{port} .*refused"):
            connect_to_cluster(f"127.0.0.1:{port}").__enter__()
        assert ray.calls == []

    @pytest.mark.parametrize("address", [None, "auto"])
    def test_disconnects_after_block(self, address: str | None, ray: SimpleNamespace) -> None:
        with connect_to_cluster(address) as connected:
            assert connected is ray
        assert ray.calls == [address, "shutdown"]

    def test_does_not_close_existing_connection(self, ray: SimpleNamespace) -> None:
        ray.is_initialized = lambda: True
        with connect_to_cluster(None):
            pass
        assert ray.calls == []

    def test_reports_message_of_ray(self, ray: SimpleNamespace) -> None:
        def init(*_: object, **__: object) -> None:
            raise ConnectionError("Could not find any running Ray instance.\nAnd so on.")

        ray.init = init
        with pytest.raises(UsageError, match=r"no Ray cluster at auto \(Could not find any running Ray instance.\)"):
            connect_to_cluster("auto").__enter__()

    @pytest.fixture
    def ray(self, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
        """Return a fake module that records its calls."""
        calls: list[object] = []
        fake = SimpleNamespace(
            calls=calls,
            is_initialized=lambda: False,
            init=lambda address, **_: calls.append(address),
            shutdown=lambda: calls.append("shutdown"),
        )
        monkeypatch.setattr(module, "import_optional", lambda *_: fake)
        return fake


class TestRayWorker:
    @pytest.mark.parametrize(
        ("cause", "kind", "message"),
        [
            (BrowserMissingError("no browser"), BrowserMissingError, "no browser"),
            (RuntimeError("a bug"), VcleanError, r"Ray failed \(The node died\.\): continue with --resume"),
        ],
    )
    def test_raises_error_of_the_worker_else_last_line_of_ray(
        self, cause: Exception, kind: type[VcleanError], message: str
    ) -> None:
        class RayError(Exception):
            pass

        def fail(_: object) -> None:
            error = RayError("a trace\n\n  The node died.\n")
            error.cause = cause  # type: ignore[attr-defined]  # as RayTaskError has it
            raise error

        actor = SimpleNamespace(run=SimpleNamespace(remote=lambda task: task))
        remote = SimpleNamespace(options=lambda **_: SimpleNamespace(remote=lambda *_: actor))
        ray: Any = SimpleNamespace(remote=lambda _: remote, get=fail, exceptions=SimpleNamespace(RayError=RayError))
        worker = RayWorker(ray, RENDERED, RunSettings())
        with pytest.raises(VcleanError, match=message) as caught:
            worker.run(Task(Page(id="a"), "source", bytes(16)))
        assert type(caught.value) is kind
