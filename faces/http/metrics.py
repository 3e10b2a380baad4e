"""Figures for Prometheus, from the database: they are the same from every server, and a restart loses none."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from echelon.service.standing import BOUNDS, Figures, Histogram, figures, standing

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

    from echelon.faces.http.desk import Desk

FRESH = 5.0
"""Seconds for which figures are not counted anew"""


def exposition(desk: Desk) -> tuple[bytes, str]:
    """The text for Prometheus, and its media type."""
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

    kept = desk.figures
    if kept is None or time.monotonic() - kept[0] > FRESH:
        kept = desk.figures = (time.monotonic(), figures(desk.service.store))
    registry = CollectorRegistry()
    registry.register(_Collector(desk, kept[1]))
    return generate_latest(registry), CONTENT_TYPE_LATEST


class _Collector:
    def __init__(self, desk: Desk, found: Figures) -> None:
        self._desk, self._found = desk, found

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        found, now = self._found, standing(self._desk.service.store)
        jobs = GaugeMetricFamily("echelon_jobs", "Jobs", labels=["type", "state"])
        for (kind, state), count in sorted(found.jobs.items()):
            jobs.add_metric([kind, state], count)
        yield jobs
        steps = CounterMetricFamily("echelon_steps", "Steps of all jobs", labels=["kind", "role"])
        for (kind, role), count in sorted(found.steps.items()):
            steps.add_metric([kind, role], count)
        yield steps
        for name, says, values in (
            ("echelon_tokens", "Tokens of prompts and answers", found.tokens),
            ("echelon_cost_dollars", "Cost of model calls in US dollars", found.cost),
        ):
            sums = CounterMetricFamily(name, says, labels=["role"])
            for role, value in sorted(values.items()):
                sums.add_metric([role], value)
            yield sums
        yield CounterMetricFamily("echelon_refusals", "Tool calls that were refused", found.refusals)
        yield CounterMetricFamily("echelon_escalations", "Failures handed up a tier", found.escalations)
        yield GaugeMetricFamily("echelon_workers", "Workers that live", len(now.workers))
        yield GaugeMetricFamily("echelon_streams", "Open streams of events", self._desk.streams.count)
        yield _histogram("echelon_step_seconds", "Time of a step", found.seconds, "kind")
        yield _histogram("echelon_queue_wait_seconds", "Time between a job and its first step", {"": found.waits})


def _histogram(name: str, says: str, values: dict[str, Histogram], label: str = "") -> Metric:
    from prometheus_client.metrics_core import HistogramMetricFamily

    family = HistogramMetricFamily(name, says, labels=[label] if label else [])
    for of, value in sorted(values.items()):
        buckets = [(str(bound), float(count)) for bound, count in zip(BOUNDS, value.counts, strict=True)]
        family.add_metric([of] if label else [], [*buckets, ("+Inf", float(value.total))], value.sum)
    return family
