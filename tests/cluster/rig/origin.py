"""The origin behind the caches: slow, with a capacity, and with a count of what was asked of it.

It runs as a process in the cluster's network (tests/cluster/binaries/origin), not as a pod, so that
its seconds are on the same clock as the load's.
"""

import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass, field

from .binaries import binary
from .errors import RigError


@dataclass(frozen=True)
class Site:
    """What the origin serves: `capacity` answers per second at most, each after `delay_ms`."""

    pages: int = 200
    delay_ms: int = 50
    capacity: int = 200
    ttl_s: int = 3600


@dataclass(frozen=True)
class OriginSecond:
    """`at` is when the second was over, on the clock of time.monotonic()."""

    at: float
    requests: int
    refused: int
    waiting: int


@dataclass
class Origin:
    """A running origin; `seconds` grows while it runs."""

    address: str
    process: subprocess.Popen
    seconds: list[OriginSecond] = field(default_factory=list)

    def __post_init__(self):
        self._reader = threading.Thread(target=self._read, name="origin", daemon=True)
        self._reader.start()

    @classmethod
    def on_this_machine(cls, site: Site = Site()) -> "Origin":
        """One on a free port of loopback."""
        return cls._started(subprocess.Popen(_argv("127.0.0.1:0", site), stdout=subprocess.PIPE, text=True))

    @classmethod
    def in_cluster(cls, cluster, address: str, site: Site = Site()) -> "Origin":
        """One at `address` (host:port) in the cluster's network; it ends with the cluster at the latest."""
        if cluster.is_external:
            raise RigError("the origin needs the network of the rig's own cluster")
        argv = _argv(address, site)
        return cls._started(cluster.popen(argv, first=True, stdout=subprocess.PIPE, text=True))

    @classmethod
    def _started(cls, process: subprocess.Popen) -> "Origin":
        line = process.stdout.readline()
        if not line:
            raise RigError(f"the origin ended with {process.wait()}; its message says why")
        return cls(json.loads(line)["listening"], process)

    def __enter__(self) -> "Origin":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()

    def peak(self, begin: float, end: float) -> int:
        """The most requests of one second between two moments of time.monotonic()."""
        return max((each.requests for each in self.seconds if begin <= each.at <= end + 1), default=0)

    def total(self, begin: float, end: float) -> int:
        return sum(each.requests for each in self.seconds if begin <= each.at <= end + 1)

    def refused(self, begin: float, end: float) -> int:
        return sum(each.refused for each in self.seconds if begin <= each.at <= end + 1)

    def _read(self) -> None:
        for line in self.process.stdout:
            raw = json.loads(line)
            raw.pop("second")
            self.seconds.append(OriginSecond(at=time.monotonic(), **raw))


def _argv(address: str, site: Site) -> list[str]:
    return [
        os.fspath(binary("origin")),
        f"-listen={address}",
        f"-pages={site.pages}",
        f"-delay={site.delay_ms}ms",
        f"-capacity={site.capacity}",
        f"-ttl={site.ttl_s}s",
    ]
