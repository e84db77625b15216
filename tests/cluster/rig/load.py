"""Open-loop load on an address of the cluster, at an exact rate that can change while it runs."""

import json
import subprocess
import threading
import time
from dataclasses import dataclass, field

from .binaries import binary
from .cluster import Cluster
from .errors import RigError


@dataclass(frozen=True)
class Second:
    """One second of load. Latencies, in milliseconds, count from when a request was due.

    `at` is when the second was over, on the clock of time.monotonic(). `failed` is by kind:
    refused, reset, closed, timeout, status NNN, overload (not sent, for thousands in flight), other.
    Of the `judged` answers, `hits` came from a cache's store. `resent` requests lost a kept connection
    and were sent again, as any HTTP client does; they have not failed.
    """

    number: int
    at: float
    rate: float
    sent: int
    ended: int
    failed: dict[str, int]
    judged: int
    hits: int
    resent: int
    p50_ms: float
    p99_ms: float
    max_ms: float

    @property
    def hit_percent(self) -> float | None:
        return 100 * self.hits / self.judged if self.judged else None


@dataclass
class Result:
    """A whole load: totals, and its seconds one by one."""

    requests: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    resent: int = 0
    p50_ms: float = 0
    p99_ms: float = 0
    max_ms: float = 0
    seconds: list[Second] = field(default_factory=list)

    @property
    def failed_requests(self) -> int:
        return sum(self.failed.values())

    def hit_percent(self, begin: float, end: float) -> float | None:
        """The hit ratio of the seconds that lie between two moments of time.monotonic()."""
        seconds = [each for each in self.seconds if begin < each.at - 1 and each.at <= end]
        judged = sum(each.judged for each in seconds)
        return 100 * sum(each.hits for each in seconds) / judged if judged else None

    def worst_hit_percent(self, begin: float, end: float, least: int = 50) -> float | None:
        """The lowest hit ratio of one second between the moments that has `least` answers or more."""
        ratios = [
            each.hit_percent for each in self.seconds if begin <= each.at <= end and each.judged >= least
        ]
        return min(ratios, default=None)


@dataclass(frozen=True)
class Clients:
    """Who requests: `pages` by a Zipf law of that exponent (0: all alike) from a fixed seed, a share
    `one_shot` of the requests over connections of their own, the others over connections that are
    closed after `reuse` requests on average (0: only when idle). `host` is the site they ask for, by
    default the address.
    """

    pages: int = 5000
    zipf: float = 1.05
    reuse: int = 10
    one_shot: float = 0
    in_flight: int = 4000
    host: str = ""

    def options(self) -> list[str]:
        named = {"objects": self.pages, "zipf": self.zipf, "reuse": self.reuse, "one-shot": self.one_shot}
        named |= {"in-flight": self.in_flight, "host": self.host}
        return [f"-{name}={value}" for name, value in named.items()]


class Load:
    """A load that runs from construction to `stop`.

    The generator is tests/cluster/binaries/load. `on_second` is called from a thread of the load's own.
    """

    def __init__(self, cluster: Cluster, url: str, rate: float, clients: Clients = Clients(), on_second=None):
        self.result = Result()
        self._on_second = on_second
        argv = [str(binary("load")), f"-url={url}", *clients.options()]
        self._process = cluster.popen(
            argv, first=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._reader = threading.Thread(target=self._read, name="load", daemon=True)
        self._reader.start()
        self.set_rate(rate)

    def __enter__(self) -> "Load":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def set_rate(self, requests_per_second: float) -> float:
        """Changes the rate at once; returns when, on the clock of time.monotonic()."""
        try:
            self._process.stdin.write(f"{requests_per_second}\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise RigError("the load has ended; its generator's messages say why") from None
        return time.monotonic()

    def stop(self) -> Result:
        """Sends nothing more, waits for what is in flight, returns all figures."""
        if not self._process.stdin.closed:
            self._process.stdin.close()
        self._process.wait()
        self._reader.join()
        self._process.stdout.close()
        return self.result

    def _read(self) -> None:
        for line in self._process.stdout:
            raw = json.loads(line)
            if "second" in raw:
                self._add(raw)
            else:
                self.result.requests = raw["ended"]
                self.result.failed = raw["failed"]
                self.result.resent = raw["resent"]
                self.result.p50_ms = raw["p50_ms"]
                self.result.p99_ms = raw["p99_ms"]
                self.result.max_ms = raw["max_ms"]

    def _add(self, raw: dict) -> None:
        number = raw.pop("second")
        second = Second(number=number, at=time.monotonic(), **raw)
        self.result.seconds.append(second)
        if self._on_second:
            self._on_second(second)


def play(cluster: Cluster, url: str, phases: list[tuple[float, float]], on_second=None) -> Result:
    """Plays phases of (requests per second, seconds), one after the other without a gap."""
    load = Load(cluster, url, phases[0][0], on_second=on_second)
    try:
        ends = time.monotonic()
        for number, (rate, seconds) in enumerate(phases):
            if number > 0:
                load.set_rate(rate)
            ends += seconds
            while (left := ends - time.monotonic()) > 0:
                time.sleep(left)
    finally:
        result = load.stop()
    return result
