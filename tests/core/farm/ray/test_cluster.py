from __future__ import annotations

import socket
import sys
from types import SimpleNamespace

import pytest

from vclean.errors import BrowserMissingError, ExtraMissingError, UsageError, VcleanError
from vclean.farm.ray import engine
from vclean.farm.ray.engine import TASK_CPUS, WORKER_CPUS, PoolSizes, alive_nodes, connect_to_cluster, to_vclean_error

GIB = 2**30


def node(cpus: float, memory: float = 256 * GIB) -> dict[str, float]:
    return {"CPU": cpus, "memory": memory}


class TestPoolSizes:
    @pytest.mark.parametrize(("cpus", "workers"), [(1, 1), (2, 2), (3, 3), (4, 4), (8, 9), (64, 80)])
    def test_one_node(self, cpus: int, workers: int) -> None:
        assert PoolSizes.for_nodes([node(cpus)]).workers == workers

    @pytest.mark.parametrize("nodes", [(1,), (1, 2, 2), (3, 3, 3), (4,) * 10, (16, 16), (96,), (64,) * 50, (1,) * 7])
    def test_readers_and_writers_always_have_room(self, nodes: tuple[int, ...]) -> None:
        """Leave room even if each reader occupies its processor and waits for a writer."""
        sizes = PoolSizes.for_nodes(map(node, nodes))
        assert sizes.readers >= 1 <= sizes.writers
        assert sizes.workers * WORKER_CPUS + (sizes.readers + sizes.writers) * TASK_CPUS <= sum(nodes)

    def test_ignores_nodes_without_processors(self) -> None:
        assert PoolSizes.for_nodes([{"memory": 64.0 * GIB}, node(2)]) == PoolSizes.for_nodes([node(2)])

    def test_memory_limits_workers(self) -> None:
        assert PoolSizes.for_nodes([node(8, 3.5 * GIB)]).workers == 3
        assert PoolSizes.for_nodes([node(8, 3.5 * GIB)], memory=GIB // 2).workers == 7

    def test_request_lowers_number_but_does_not_raise_it(self) -> None:
        assert PoolSizes.for_nodes([node(8)], requested=3).workers == 3
        assert PoolSizes.for_nodes([node(8)], requested=99).workers == 9

    @pytest.mark.parametrize("nodes", [[], [node(0)], [node(4, GIB / 2)]])
    def test_rejects_cluster_without_room(self, nodes: list[dict[str, float]]) -> None:
        with pytest.raises(UsageError, match="add a node"):
            PoolSizes.for_nodes(nodes)


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
        with connect_to_cluster(address) as module:
            assert module is ray
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
        module = SimpleNamespace(
            calls=calls,
            is_initialized=lambda: False,
            init=lambda address, **_: calls.append(address),
            shutdown=lambda: calls.append("shutdown"),
        )
        monkeypatch.setattr(engine, "import_optional", lambda *_: module)
        return module


class TestAliveNodes:
    def test_omits_dead_nodes(self) -> None:
        nodes = [{"Alive": True, "Resources": {"CPU": 2.0}}, {"Alive": False, "Resources": {"CPU": 9.0}}]
        assert alive_nodes(SimpleNamespace(nodes=lambda: nodes)) == [{"CPU": 2.0}]


class TestToVcleanError:
    def test_unwraps_vclean_error(self) -> None:
        mine = BrowserMissingError("no browser")
        task = RuntimeError("task failed")
        task.cause = mine  # as RayTaskError has it
        outer = ValueError("dataset failed")
        outer.__cause__ = task
        assert to_vclean_error(outer) is mine

    @pytest.mark.parametrize(
        ("error", "reason"),
        [(RuntimeError("a trace\n\n  The node died.\n"), "The node died."), (TimeoutError(), "TimeoutError")],
    )
    def test_reports_last_line_of_ray(self, error: Exception, reason: str) -> None:
        found = to_vclean_error(error)
        assert (type(found), str(found)) == (VcleanError, f"Ray failed ({reason}): continue with --resume")
