"""The founding story: a quiet blog, a spike of 11.5 times what one pod should carry, quiet again.

Plays it against a deployed fleet and operator, watches what happens, and measures.
"""

import json
import time
from dataclasses import asdict, dataclass

from .blog import FLEET, Blog
from .errors import RigError
from .load import Clients, Load, Result, Second
from .origin import Origin
from .watch import PodWatch, Watch

SPIKE = 11.5


@dataclass(frozen=True)
class Plan:
    """Requests per second and seconds. `per_replica` is what the ScaledCache says."""

    per_replica: float = 100
    min_replicas: int = 2
    max_replicas: int = 10
    quiet_s: float = 30
    spike_s: float = 60
    patience_s: float = 420  # for the way back to the minimum
    clients: Clients = Clients()

    @property
    def quiet_rate(self) -> float:
        return self.per_replica

    @property
    def spike_rate(self) -> float:
        return SPIKE * self.per_replica


@dataclass
class Report:
    """What build/demo/report.json holds. Seconds count from the step up, or from the step down."""

    first_patch_s: float | None = None
    spec_full_s: float | None = None
    ready_full_s: float | None = None
    back_to_min_s: float | None = None
    max_replicas: int = 0
    end_replicas: int = 0
    hit_percent_before: float | None = None  # of the last ten quiet seconds
    hit_percent_worst_growing: float | None = None  # of one second, from the step to ten seconds after full
    hit_percent_worst_shrinking: float | None = None
    origin_peak: int | None = None  # requests of its busiest second while growing
    requests: int = 0
    failed_requests: int = 0
    failed_while_shrinking: int = 0  # from the step down on
    latency_p50_ms: float = 0
    latency_p99_ms: float = 0

    def as_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"


def _count(text: str) -> int:
    return int(text or 0)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


class Story:
    """One playing of `plan`. `on_second(story, second)` is called once a second while it plays.

    `origin` is the one behind the blog, where it is the rig's own.
    """

    def __init__(self, blog: Blog, plan: Plan, on_second=None, origin: Origin | None = None):
        self.plan = plan
        self._origin = origin
        self.report = Report()
        self._blog = blog
        self._on_second = on_second
        self.pods = PodWatch(blog)
        self._fleet = Watch(blog, "deployment", FLEET, "{.spec.replicas}|{.status.readyReplicas}")
        self._cache = Watch(
            blog,
            "scaledcaches.scaledcache.io",
            "blog",
            "{.status.signals[0].short}|{.status.desiredReplicas}|{.status.lastDecision.reason}",
        )

    @property
    def replicas(self) -> int:
        return _count(self._fleet.fields[0]) if self._fleet.fields else 0

    @property
    def ready(self) -> int:
        return _count(self._fleet.fields[1]) if self._fleet.fields else 0

    @property
    def seen_rate(self) -> str:
        return self._cache.fields[0] if self._cache.fields else ""

    @property
    def desired(self) -> str:
        return self._cache.fields[1] if self._cache.fields else ""

    @property
    def reason(self) -> str:
        return self._cache.fields[2] if self._cache.fields else ""

    def play(self) -> Report:
        """Quiet, spike, quiet until the fleet is back at its minimum or patience ends."""
        plan, report = self.plan, self.report
        try:
            with Load(self._blog.cluster, self._blog.url, plan.quiet_rate, plan.clients, self._tell) as load:
                self._pause(plan.quiet_s)
                up = load.set_rate(plan.spike_rate)
                self._pause(plan.spike_s)
                down = load.set_rate(plan.quiet_rate)
                self._await_minimum(down)
                result = load.stop()
            self._measure(up, down)
            self._measure_hits(result, up, down)
        finally:
            self.pods.stop()
            self._fleet.stop()
            self._cache.stop()
        report.requests, report.failed_requests = result.requests, result.failed_requests
        report.latency_p50_ms, report.latency_p99_ms = round(result.p50_ms, 2), round(result.p99_ms, 2)
        return report

    def _measure(self, up: float, down: float) -> None:
        plan, report, fleet = self.plan, self.report, self._fleet
        before = next((_count(f[0]) for at, f in reversed(fleet.changes) if at < up), plan.min_replicas)
        report.first_patch_s = fleet.first_after(up, lambda f: _count(f[0]) > before)
        report.spec_full_s = fleet.first_after(up, lambda f: _count(f[0]) >= plan.max_replicas)
        report.ready_full_s = fleet.first_after(up, lambda f: _count(f[1]) >= plan.max_replicas)
        report.back_to_min_s = fleet.first_after(down, lambda f: _count(f[0]) <= plan.min_replicas)
        report.max_replicas = max(_count(f[0]) for _, f in fleet.changes)
        report.end_replicas = self.replicas

    def _measure_hits(self, result: Result, up: float, down: float) -> None:
        report = self.report
        grown = min(down, up + (report.ready_full_s or self.plan.spike_s) + 10)
        report.hit_percent_before = _rounded(result.hit_percent(up - 10, up))
        report.hit_percent_worst_growing = _rounded(result.worst_hit_percent(up, grown))
        report.hit_percent_worst_shrinking = _rounded(result.worst_hit_percent(down + 1, time.monotonic()))
        report.failed_while_shrinking = sum(sum(s.failed.values()) for s in result.seconds if s.at > down)
        if self._origin:
            report.origin_peak = self._origin.peak(up, grown)

    def _await_minimum(self, down: float) -> None:
        while self.replicas > self.plan.min_replicas or len(self.pods.now()) > self.plan.min_replicas:
            if time.monotonic() - down > self.plan.patience_s:
                return
            time.sleep(0.5)

    @staticmethod
    def _pause(seconds: float) -> None:
        time.sleep(seconds)

    def _tell(self, second: Second) -> None:
        if self._on_second:
            self._on_second(self, second)


def require_operator(blog: Blog) -> None:
    """RigError unless the ScaledCache `blog` has decided something."""
    blog.cluster.wait_for(
        "a first decision",
        lambda: blog.kubectl("get", "scaledcaches.scaledcache.io", "blog", "--output=jsonpath={.status.lastDecision.reason}"),
        timeout_s=60,
    )
    if not blog.ready_pods():
        raise RigError("the fleet has no ready pod")
