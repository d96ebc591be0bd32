"""The numbers of a run for Prometheus, over HTTP on this machine."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from vclean.errors import UsageError
from vclean.imports import of_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client.core import Metric

    from vclean.farm.stats import Stats

with of_extra("farm", "prometheus-client"):
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.registry import Collector

_ADDRESS: Final = "127.0.0.1"


class FarmCollector(Collector):
    """Reads the counts whenever somebody asks for them."""

    def __init__(self, stats: Stats) -> None:
        self._stats = stats

    def collect(self) -> Iterable[Metric]:
        """The metrics that docs/reference/farm.md lists."""
        stats = self._stats
        yield _gauge("vclean_pages_working", "Pages in work.", stats.working)
        if stats.queued is not None:
            yield _gauge("vclean_pages_queued", "Pages of the input that are left to do.", stats.queued)
        yield _counter("vclean_pages_done", "Pages cleaned.", stats.ok)
        yield _counter("vclean_pages_skipped", "Pages that an earlier run had done.", stats.skipped)
        yield _counters("vclean_pages_failed", "Pages that failed, by error.", "error", stats.failed)
        yield _counter("vclean_retries", "Attempts after the first.", stats.retried)
        yield _counters("vclean_worker_restarts", "Workers replaced, by reason.", "reason", stats.restarts)
        yield _counters("vclean_stage_seconds", "Wall clock by stage, over all pages.", "stage", stats.seconds)
        yield _gauge("vclean_run_seconds", "Seconds since the run began.", stats.elapsed)


@contextmanager
def served(stats: Stats, port: int | None) -> Iterator[None]:
    """Serve the metrics at http://127.0.0.1:port/metrics inside the block; with None, do nothing.

    Raises:
        UsageError: the port is taken.
    """
    if port is None:
        yield
        return
    registry = CollectorRegistry()
    registry.register(FarmCollector(stats))
    try:
        server, thread = start_http_server(port, addr=_ADDRESS, registry=registry)
    except OSError as error:
        raise UsageError(
            f"port {port} cannot serve metrics ({error.strerror}): choose another --metrics-port"
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def _counters(name: str, text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for key, value in sorted(values.items()):
        family.add_metric([key], value)
    return family
