"""The stage of the parts: a full cluster with a slow origin, a Varnish fleet and the operator."""

import json
import sys
import time

from rig.blog import FLEET, STORES, Blog
from rig.cluster import Cluster
from rig.errors import RigError
from rig.load import Clients, Load
from rig.network import NODE_ADDRESS
from rig.operator import Operator
from rig.origin import Origin, Site
from rig.watch import PodWatch

CACHE = "scaledcaches.scaledcache.io"
HOST = "www.example.com"

_ORIGIN_PORT = 8090
# All warm-ups together: the default protects an origin that nobody has told us about.
_WARMUP_BUDGET = 1000

_SPEC = {
    "scaleTargetRef": {"name": FLEET},
    "minReplicas": 2,
    "maxReplicas": 10,
    "longWindow": "30s",
    "cooldown": "10s",
    "scaleDown": {"interval": "1s", "stepPercent": 50},
    "signals": [{"preset": "Varnish", "requestsPerReplica": 100}],
}


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


class Stage:
    """One cluster for all parts. `begin` gives each run a fleet of new pods and a ScaledCache."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        self.blog = Blog(cluster, origin=f"{NODE_ADDRESS}:{_ORIGIN_PORT}")
        self.operator = Operator(cluster)
        self._origin: Origin | None = None

    def deploy(self) -> None:
        self.serve(Site())
        self.blog.deploy()
        # The pods are to go as most do, without a pause before their end.
        patch = json.dumps([{"op": "remove", "path": "/spec/template/spec/containers/0/lifecycle"}])
        self.blog.kubectl("patch", f"deployment/{FLEET}", "--type=json", f"--patch={patch}")
        store = f"http://victoria-metrics.{self.blog.monitoring}:{STORES['victoria-metrics']}"
        self.operator.install(store, f"--warmup-requests-per-second={_WARMUP_BUDGET}")
        say("blog and operator are up")

    def serve(self, site: Site) -> Origin:
        """The origin with this site; the one before it ends."""
        if self._origin:
            self._origin.stop()
        self._origin = Origin.in_cluster(self.cluster, f"{NODE_ADDRESS}:{_ORIGIN_PORT}", site)
        return self._origin

    def begin(self, gated: bool, spec: dict, pages: int) -> None:
        """As many new pods as the spec's minimum, every page in their caches, under a ScaledCache.

        It may not grow before `release`, lest the requests that fill the caches count as demand.
        """
        self.end()
        self.blog.set_gate(gated)
        self.blog.scale(0)
        self.cluster.wait_for("the end of the old pods", lambda: not self.blog.pods())
        wanted = spec.get("minReplicas", _SPEC["minReplicas"])
        self.blog.scale(wanted)
        self._apply(spec)
        self.cluster.wait_for("a first decision", self._has_decided)
        self.cluster.wait_for(
            f"{wanted} ready pods", lambda: len(self.blog.ready_pods()) == wanted, timeout_s=180
        )
        self._fill(pages)

    def release(self) -> None:
        self.blog.kubectl("annotate", CACHE, "blog", "scaledcache.io/paused-scale-up-")

    def change(self, spec: dict) -> None:
        patch = json.dumps({"spec": spec})
        self.blog.kubectl("patch", CACHE, "blog", "--type=merge", f"--patch={patch}")

    def end(self) -> None:
        self.blog.kubectl("delete", CACHE, "blog", "--ignore-not-found", "--wait=true")

    def load(self, rate: float, clients: Clients) -> Load:
        return Load(self.cluster, self.blog.url, rate, clients)

    def watch_pods(self) -> PodWatch:
        return PodWatch(self.blog)

    def paths_from(self, paths: list[str]) -> dict:
        """A ConfigMap with the paths, a line each; returns the reference for the spec."""
        data = {"paths": "\n".join(paths) + "\n"}
        manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hot-list"}, "data": data}
        space = f"--namespace={self.blog.namespace}"
        self.cluster.kubectl(space, "apply", "-f", "-", input=json.dumps(manifest))
        return {"name": "hot-list", "key": "paths"}

    def _has_decided(self) -> bool:
        """Raises RigError with the operator's words while the spec is refused."""
        status = json.loads(self.blog.kubectl("get", CACHE, "blog", "--output=json")).get("status", {})
        for condition in status.get("conditions", []):
            if condition["reason"] == "InvalidSpec":
                raise RigError(condition["message"])
        return "lastDecision" in status

    def _apply(self, spec: dict) -> None:
        manifest = {
            "apiVersion": "scaledcache.io/v1alpha1",
            "kind": "ScaledCache",
            "metadata": {
                "name": "blog",
                "namespace": self.blog.namespace,
                "annotations": {"scaledcache.io/paused-scale-up": "true"},
            },
            "spec": _SPEC | spec,
        }
        self.cluster.kubectl("apply", "-f", "-", input=json.dumps(manifest))

    def _fill(self, pages: int) -> None:
        for pod in self.blog.pods():
            url = f"http://{pod['status']['podIP']}:8080/o/[0-{pages - 1}]"
            # Eight at a time: an origin that answers in 50 ms would else take minutes.
            argv = ["curl", "--silent", "--show-error", "--fail", "--parallel", "--parallel-max", "8"]
            self.cluster.run([*argv, "--header", f"Host: {HOST}", "--output", "/dev/null", url])


def wait_until(what, timeout_s: float, step_s: float = 0.2) -> bool:
    """Whether `what()` becomes true within the time; unlike Cluster.wait_for it is no error if not."""
    deadline = time.monotonic() + timeout_s
    while not what():
        if time.monotonic() > deadline:
            return False
        time.sleep(step_s)
    return True


def warmup(**settings) -> dict:
    """The `warmup` of a gated ScaledCache; without a keyword it is what a user would write."""
    return {"mode": "Gate", "port": 8080, "hostHeader": HOST, **settings}


__all__ = ["CACHE", "HOST", "RigError", "Stage", "say", "wait_until", "warmup"]
