"""Serve the counts of a run to Prometheus, over HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from vclean.errors import UsageError
from vclean.imports import requires_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client.core import Metric

    from vclean.farm.stats import Stats

with requires_extra("farm", "prometheus-client"):
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.registry import Collector


class FarmCollector(Collector):
    """Collector of the metrics of a run; it reads the counts at each request."""

    def __init__(self, stats: Stats) -> None:
        self._stats = stats

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics that docs/reference/farm.md lists."""
        stats = self._stats
        yield GaugeMetricFamily("vclean_pages_working", "Pages in progress.", stats.working)
        if stats.queued is not None:
            text = "Pages that are neither done nor in progress."
            yield GaugeMetricFamily("vclean_pages_queued", text, stats.queued)
        yield CounterMetricFamily("vclean_pages_done", "Pages cleaned.", stats.ok)
        yield CounterMetricFamily("vclean_pages_skipped", "Pages that an earlier run has done.", stats.skipped)
        yield _counters("vclean_pages_failed", "Failed pages, by error class.", "error", stats.failed)
        yield CounterMetricFamily("vclean_no_pages", "Files that are no pages.", stats.no_pages)
        yield CounterMetricFamily("vclean_retries", "Attempts after the first.", stats.retried)
        yield _counters("vclean_worker_restarts", "Workers and browsers replaced, by reason.", "reason", stats.restarts)
        yield _counters("vclean_stage_seconds", "Wall clock by stage, summed over pages.", "stage", stats.seconds)
        yield GaugeMetricFamily("vclean_run_seconds", "Seconds since the run began.", stats.elapsed)


@contextmanager
def serve_metrics(stats: Stats, address: str | None) -> Iterator[None]:
    """Serve the metrics at http://ADDRESS:PORT/metrics inside the block; do nothing if `address` is None.

    Raises:
        UsageError: the port is taken, or this machine does not have the address.
    """
    if address is None:
        yield
        return
    registry = CollectorRegistry()
    registry.register(FarmCollector(stats))
    host, _, port = address.rpartition(":")
    try:
        server, thread = start_http_server(int(port), addr=host, registry=registry)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(
            f"cannot serve metrics on {address} ({reason}): choose another --metrics [HOST:]PORT"
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _counters(name: str, text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for key, value in sorted(values.items()):
        family.add_metric([key], value)
    return family
