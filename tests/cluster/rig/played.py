"""Pods that nobody runs, played on a fast cluster: a process of ours answers at each pod's address."""

import json
import subprocess
import time

from . import caches
from .blog import GATE, GATED_LABEL
from .cluster import Cluster
from .errors import RigError

# Containers cost time: what is to be seen is the cache, and it is the same as a process.
PORT = 8080


class PlayedFleet:
    """A Deployment with the gate in its template, in a namespace of its own."""

    def __init__(self, cluster: Cluster, name: str):
        self.cluster = cluster
        self.name = name
        self.namespace = cluster.space(name)
        cluster.kubectl("create", "namespace", self.namespace)
        self._apply(_deployment(name, self.namespace))

    def kubectl(self, *arguments: str) -> str:
        return self.cluster.kubectl(f"--namespace={self.namespace}", *arguments)

    def scaled_cache(self, warmup: dict) -> None:
        spec = {
            "scaleTargetRef": {"name": self.name},
            "minReplicas": 1,
            "maxReplicas": 2,
            "signals": [{"counter": {"metric": "requests_total"}, "requestsPerReplica": 100}],
            "warmup": {"mode": "Gate", "port": PORT, **warmup},
        }
        metadata = {"name": self.name, "namespace": self.namespace}
        self._apply({"apiVersion": "scaledcache.io/v1alpha1", "kind": "ScaledCache", "metadata": metadata, "spec": spec})

    def start_pod(self, address: str) -> str:
        """Gives the one pod that has no address yet this one, and says that its containers are ready."""
        name = self.cluster.wait_for("a pod without an address", self._without_address)
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        ready = {"type": "ContainersReady", "status": "True", "lastTransitionTime": now}
        container = {
            "name": "cache",
            "ready": True,
            "started": True,
            "restartCount": 0,
            "image": "cache",
            "imageID": "",
            "containerID": f"containerd://{name}",
            "state": {"running": {"startedAt": now}},
        }
        status = {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}], "conditions": [ready]}
        patch = json.dumps({"status": status | {"containerStatuses": [container]}})
        self.kubectl("patch", "pod", name, "--subresource=status", f"--patch={patch}")
        return name

    def gate(self, pod: str) -> tuple[str, str, str]:
        """Status, reason and message of the pod's gate."""
        parts = "|".join(
            f"{{.status.conditions[?(@.type=='{GATE}')].{field}}}" for field in ("status", "reason", "message")
        )
        status, reason, message = self.kubectl("get", "pod", pod, f"--output=jsonpath={parts}").split("|", 2)
        return status, reason, message

    def _without_address(self) -> str:
        pods = json.loads(self.kubectl("get", "pods", "--output=json"))["items"]
        return next((pod["metadata"]["name"] for pod in pods if "podIP" not in pod["status"]), "")

    def _apply(self, manifest: dict) -> None:
        self.cluster.kubectl("apply", "-f", "-", input=json.dumps(manifest))


def add_address(cluster: Cluster, address: str) -> None:
    """Lets processes in the cluster's network listen on the address, as if it were a pod's."""
    cluster.run(["ip", "address", "add", f"{address}/24", "dev", "cni0"])


def start_cache(cluster: Cluster, name: str, address: str, origin: str) -> subprocess.Popen:
    """Starts the cache that rig/caches.py calls so at the address; returns once it answers."""
    place = caches.Place(cluster.folder / f"cache-{name}", address, PORT, origin)
    start = caches.command(name, place)
    with open(place.folder / "output", "w", encoding="utf-8") as output:
        process = cluster.popen(start.argv, env=start.environment, stdout=output, stderr=output)
    argv = ["curl", "--silent", "--fail", "--max-time", "2", "--noproxy", "*", f"http://{address}:{PORT}/healthz"]
    try:
        cluster.wait_for(f"an answer of {name}", lambda: cluster.run(argv).returncode == 0, timeout_s=30)
    except RigError as error:
        raise RigError(f"{error}\n{(place.folder / 'output').read_text('utf-8')}") from None
    return process


def _deployment(name: str, namespace: str) -> dict:
    labels = {"app": name}
    container = {"name": "cache", "image": "cache", "ports": [{"name": "http", "containerPort": PORT}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels | {GATED_LABEL: "true"}},
                "spec": {"readinessGates": [{"conditionType": GATE}], "containers": [container]},
            },
        },
    }
