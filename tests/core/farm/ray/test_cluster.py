from __future__ import annotations

import socket
import sys
from types import SimpleNamespace

import pytest

from vclean.errors import BrowserMissingError, ExtraMissingError, UsageError, VcleanError
from vclean.farm.ray import cluster
from vclean.farm.ray.cluster import TASK_CPUS, WORKER_CPUS, Crew, alive, connected, ours

GIB = 2**30


def node(cpus: float, memory: float = 256 * GIB) -> dict[str, float]:
    return {"CPU": cpus, "memory": memory}


class TestCrew:
    @pytest.mark.parametrize(("cpus", "workers"), [(1, 1), (2, 2), (3, 3), (4, 4), (8, 9), (64, 80)])
    def test_one_node(self, cpus: int, workers: int) -> None:
        assert Crew.of([node(cpus)]).workers == workers

    @pytest.mark.parametrize("nodes", [(1,), (1, 2, 2), (3, 3, 3), (4,) * 10, (16, 16), (96,), (64,) * 50, (1,) * 7])
    def test_readers_and_writers_always_find_a_place(self, nodes: tuple[int, ...]) -> None:
        """Even where each reader holds its processor and waits for a writer."""
        crew = Crew.of(map(node, nodes))
        assert crew.readers >= 1 <= crew.writers
        assert crew.workers * WORKER_CPUS + (crew.readers + crew.writers) * TASK_CPUS <= sum(nodes)

    def test_nodes_without_processors_count_for_nothing(self) -> None:
        assert Crew.of([{"memory": 64.0 * GIB}, node(2)]) == Crew.of([node(2)])

    def test_memory_bounds_the_workers(self) -> None:
        assert Crew.of([node(8, 3.5 * GIB)]).workers == 3
        assert Crew.of([node(8, 3.5 * GIB)], memory=GIB // 2).workers == 7

    def test_fewer_may_be_wanted_but_not_more(self) -> None:
        assert Crew.of([node(8)], wanted=3).workers == 3
        assert Crew.of([node(8)], wanted=99).workers == 9

    @pytest.mark.parametrize("nodes", [[], [node(0)], [node(4, GIB / 2)]])
    def test_no_room_at_all(self, nodes: list[dict[str, float]]) -> None:
        with pytest.raises(UsageError, match="add a node"):
            Crew.of(nodes)


class TestConnected:
    def test_without_ray(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ray", None)
        with pytest.raises(ExtraMissingError, match=r"this needs Ray .*: pip install 'vclean\[ray\]'"), connected(None):
            pass

    def test_the_address_of_a_client(self, ray: SimpleNamespace) -> None:
        with pytest.raises(UsageError, match="run vclean on a node"), connected("ray://head:10001"):
            pass
        assert ray.calls == []

    def test_nobody_at_the_address(self, ray: SimpleNamespace) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        with pytest.raises(UsageError, match=f"no Ray cluster at 127.0.0.1:{port} .*refused"):
            connected(f"127.0.0.1:{port}").__enter__()
        assert ray.calls == []

    @pytest.mark.parametrize("address", [None, "auto"])
    def test_the_connection_ends_with_the_block(self, address: str | None, ray: SimpleNamespace) -> None:
        with connected(address) as module:
            assert module is ray
        assert ray.calls == [address, "shutdown"]

    def test_a_connection_of_somebody_else_stays(self, ray: SimpleNamespace) -> None:
        ray.is_initialized = lambda: True
        with connected(None):
            pass
        assert ray.calls == []

    def test_what_ray_says_is_told(self, ray: SimpleNamespace) -> None:
        def init(*_: object, **__: object) -> None:
            raise ConnectionError("Could not find any running Ray instance.\nAnd so on.")

        ray.init = init
        with pytest.raises(UsageError, match=r"no Ray cluster at auto \(Could not find any running Ray instance.\)"):
            connected("auto").__enter__()

    @pytest.fixture
    def ray(self, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
        """What stands for the module, and has a list of its calls."""
        calls: list[object] = []
        module = SimpleNamespace(
            calls=calls,
            is_initialized=lambda: False,
            init=lambda address, **_: calls.append(address),
            shutdown=lambda: calls.append("shutdown"),
        )
        monkeypatch.setattr(cluster, "need", lambda *_: module)
        return module


class TestAlive:
    def test_the_dead_do_not_count(self) -> None:
        nodes = [{"Alive": True, "Resources": {"CPU": 2.0}}, {"Alive": False, "Resources": {"CPU": 9.0}}]
        assert alive(SimpleNamespace(nodes=lambda: nodes)) == [{"CPU": 2.0}]


class TestOurs:
    def test_ours_is_found_however_it_is_wrapped(self) -> None:
        mine = BrowserMissingError("no browser")
        task = RuntimeError("task failed")
        task.cause = mine  # as RayTaskError has it
        outer = ValueError("dataset failed")
        outer.__cause__ = task
        assert ours(outer) is mine

    def test_what_ray_says_otherwise(self) -> None:
        error = ours(RuntimeError("a trace\n\n  The node died.\n"))
        assert type(error) is VcleanError
        assert str(error) == "Ray gave up (The node died.): --resume goes on"

    def test_an_error_that_says_nothing(self) -> None:
        assert "TimeoutError" in str(ours(TimeoutError()))
