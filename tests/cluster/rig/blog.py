"""The blog of the founding story on a full cluster: origin, Varnish fleet, metric stores."""

import json
import os
import re
import urllib.parse

from .cluster import Cluster
from .images import FLEET_IMAGE
from .paths import MANIFESTS_DIR

FLEET = "varnish-burst"
GATE = "scaledcache.io/cache-warm"
GATED_LABEL = "scaledcache.io/gated"
# What the stores' Services are called, and their ports.
STORES = {"victoria-metrics": 8428, "prometheus": 9090}


class Blog:
    """What manifests/blog.yaml and manifests/monitoring.yaml describe, on `cluster`.

    `origin` (host:port) takes the place of the manifest's origin behind the fleet.
    """

    def __init__(self, cluster: Cluster, origin: str | None = None):
        self.cluster = cluster
        self._origin = origin
        self.namespace = cluster.space("blog")
        self.monitoring = cluster.space("monitoring")

    def deploy(self) -> None:
        """Applies the manifests and returns once everything is rolled out and the site answers."""
        text = "\n---\n".join(
            (MANIFESTS_DIR / name).read_text(encoding="utf-8")
            for name in ("blog.yaml", "monitoring.yaml")
        )
        self.cluster.kubectl("apply", "-f", "-", input=self._for_this_cluster(text))
        for namespace in (self.namespace, self.monitoring):
            for deployment in self.kubectl("get", "deploy", "-o", "name", space=namespace).split():
                self.kubectl("rollout", "status", deployment, "--timeout=120s", space=namespace)
        # kube-proxy hears of the pods up to a second after the rollout's end.
        self.cluster.wait_for("an answer of the blog", lambda: self.get(f"{self.url}/") != "")

    @property
    def url(self) -> str:
        """Where the Varnish fleet's Service is reached."""
        return self.cluster.service_url(self.namespace, FLEET, 80)

    def kubectl(self, *arguments: str, space: str | None = None) -> str:
        return self.cluster.kubectl(f"--namespace={space or self.namespace}", *arguments)

    def scale(self, replicas: int) -> None:
        self.kubectl("scale", f"deployment/{FLEET}", f"--replicas={replicas}")

    def set_gate(self, gated: bool) -> None:
        """Puts the readiness gate into the fleet's template by hand, with its label, or takes it out."""
        template = {
            "metadata": {"labels": {GATED_LABEL: "true" if gated else None}},
            "spec": {"readinessGates": [{"conditionType": GATE}] if gated else None},
        }
        patch = json.dumps({"spec": {"template": template}})
        self.kubectl("patch", f"deployment/{FLEET}", "--type=merge", f"--patch={patch}")

    def ready_pods(self) -> list[str]:
        """The names of the fleet's pods that are Ready and not on their way out."""
        return sorted(pod["metadata"]["name"] for pod in self.pods() if _is_ready(pod))

    def pods(self) -> list[dict]:
        """The fleet's pods, whatever their state, as the API server has them."""
        return json.loads(self.kubectl("get", "pods", f"--selector=app={FLEET}", "--output=json"))["items"]

    def get(self, url: str) -> str:
        """The body of the page; RigError if it is not a 200 within 5 s."""
        argv = ["curl", "--globoff", "--silent", "--show-error", "--fail", "--max-time", "5", url]
        return self.cluster.run(argv).stdout

    def query(self, promql: str, store: str = "victoria-metrics") -> list[dict]:
        """The answer of a store to an instant query, as its list of series with `value`."""
        base = self.cluster.service_url(self.monitoring, store, STORES[store])
        quoted = urllib.parse.urlencode({"query": promql})
        return json.loads(self.get(f"{base}/api/v1/query?{quoted}"))["data"]["result"]

    def _for_this_cluster(self, manifests: str) -> str:
        """A cluster of the user's own has our namespaces under other names, and images elsewhere."""
        image = os.environ.get("SCALEDCACHE_TEST_FLEET_IMAGE", FLEET_IMAGE)
        renamed = re.sub(r"\bblog\b", self.namespace, manifests)
        renamed = re.sub(r"\bmonitoring\b", self.monitoring, renamed)
        if self._origin:
            host, port = self._origin.rsplit(":", 1)
            renamed = re.sub(r'\.host = "[^"]+"', f'.host = "{host}"', renamed)
            renamed = re.sub(r'\.port = "[^"]+"', f'.port = "{port}"', renamed)
        return renamed.replace(FLEET_IMAGE, image)


def _is_ready(pod: dict) -> bool:
    conditions = pod["status"].get("conditions", [])
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]
