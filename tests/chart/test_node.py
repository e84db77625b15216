"""The chart on a cluster with a node: it gates a fleet, and goes without a trace, in any order, with the
operator alive or dead: no pod is left waiting behind a gate, whoever put the gate there.
"""

import json
import sys
import unittest
from dataclasses import dataclass
from time import time

import yaml

from chart import ROOT

sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from rig import Cluster, audit  # noqa: E402
from rig.binaries import binary  # noqa: E402
from rig.node import PAUSE_IMAGE  # noqa: E402
from rig.operator import NAMESPACE, Operator  # noqa: E402

CRD = "scaledcaches.scaledcache.io"
GATE = "scaledcache.io/cache-warm"
GATED = "scaledcache.io/gated"
FLEETS = ("injected", "by-hand")  # who puts the gate on its pods
HELD = "held"  # a fleet without gates whose ScaledCache has a finalizer
OPERATORS = "app.kubernetes.io/name=scaledcache"


@dataclass(frozen=True)
class Removal:
    name: str
    alive: bool
    kind_first: bool


REMOVALS = (
    Removal("release, then kind, operator alive", True, False),
    Removal("kind, then release, operator alive", True, True),
    Removal("release, then kind, operator dead", False, False),
    Removal("kind, then release, operator dead", False, True),
)


def deployment(name: str, replicas: int) -> dict:
    labels = {"app": name}
    container = {"name": "cache", "image": PAUSE_IMAGE, "ports": [{"containerPort": 8080}]}
    pod = {"metadata": {"labels": dict(labels)}, "spec": {"containers": [container]}}
    if name == "by-hand":
        pod["metadata"]["labels"][GATED] = "true"
        pod["spec"]["readinessGates"] = [{"conditionType": GATE}]
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "blog"}, "spec": spec}


def scaled_cache(name: str, **more) -> dict:
    signals = [{"preset": "Varnish", "requestsPerReplica": 200}]
    spec = {"scaleTargetRef": {"name": name}, "minReplicas": 1, "maxReplicas": 4, "signals": signals} | more
    metadata = {"name": name, "namespace": "blog"}
    return {"apiVersion": "scaledcache.io/v1alpha1", "kind": "ScaledCache", "metadata": metadata, "spec": spec}


def manifests() -> list[dict]:
    # Nobody listens there: the first pod serves, because somebody has to, and no other is ever warm.
    warmup = {"mode": "Gate", "port": 8080, "hostHeader": "blog.example", "paths": ["/"], "timeout": "1h"}
    gated = [each for name in FLEETS for each in (deployment(name, 0), scaled_cache(name, warmup=warmup))]
    return [*gated, deployment(HELD, 2), scaled_cache(HELD, restoreReplicasOnDelete=True)]


@unittest.skipIf(Cluster().is_external, "it installs cluster-wide objects, and takes them away")
class OnANode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="full"))
        cls.cluster.kubectl("create", "namespace", "blog")
        cls.cluster.kubectl("label", "namespace", "blog", "scaledcache.io/inject=enabled")

    def pods(self, namespace: str, selector: str) -> list[dict]:
        text = self.cluster.kubectl("get", "pods", f"--namespace={namespace}", f"--selector={selector}", "--output=json")
        return [each for each in json.loads(text)["items"] if "deletionTimestamp" not in each["metadata"]]

    def is_ready(self, pod: dict) -> bool:
        conditions = {each["type"]: each["status"] for each in pod["status"].get("conditions", [])}
        return conditions.get("Ready") == "True"

    def ready(self, fleet: str) -> list[bool]:
        return sorted(map(self.is_ready, self.pods("blog", f"app={fleet}")))

    def blog(self, *words: str) -> str:
        return self.cluster.kubectl("--namespace=blog", *words)

    def install(self) -> None:
        """Two replicas that know both fleets, with one pod that serves and two that wait, each."""
        Operator(self.cluster).install_chart("http://metrics.blog.svc:9090", "operator.replicaCount=2")
        self.assertEqual([self.is_ready(pod) for pod in self.pods(NAMESPACE, OPERATORS)], [True, True])
        bundle = "--output=jsonpath={.webhooks[0].clientConfig.caBundle}"
        self.cluster.wait_for("a caBundle", lambda: self.cluster.kubectl("get", "mutatingwebhookconfiguration", "scaledcache-webhook", bundle))
        self.cluster.kubectl("apply", "-f", "-", input=yaml.safe_dump_all(manifests()))
        for name in FLEETS:
            # Before the operator knows the ScaledCache its pods get no gate.
            decided = ("get", "scaledcache", name, "--output=jsonpath={.status.reason}")
            self.cluster.wait_for(f"a decision on {name}", lambda words=decided: self.blog(*words))
        held = ("get", "scaledcache", HELD, "--output=jsonpath={.metadata.finalizers}")
        self.cluster.wait_for("a finalizer", lambda: self.blog(*held))
        for count, ready in ((1, [True]), (3, [False, False, True])):
            for name in FLEETS:
                self.blog("scale", "deployment", name, f"--replicas={count}")
            for name in FLEETS:
                self.cluster.wait_for(f"{count} pods of {name}, {ready}", lambda name=name, ready=ready: self.ready(name) == ready, timeout_s=120)
                for pod in self.pods("blog", f"app={name}"):
                    self.assertEqual(pod["spec"]["readinessGates"], [{"conditionType": GATE}])
                    self.assertEqual(pod["metadata"]["labels"][GATED], "true")

    def kill_operator(self) -> None:
        self.cluster.kubectl("scale", "deployment", "scaledcache", f"--namespace={NAMESPACE}", "--replicas=0")
        self.cluster.kubectl("delete", "pods", f"--namespace={NAMESPACE}", f"--selector={OPERATORS}", "--force", "--grace-period=0")
        self.cluster.wait_for("no operator", lambda: not self.pods(NAMESPACE, OPERATORS))

    def uninstall(self) -> None:
        self.cluster.run([binary("helm"), "uninstall", "scaledcache", f"--namespace={NAMESPACE}"])

    def delete_kind(self, *flags: str) -> None:
        self.cluster.kubectl("delete", "crd", CRD, *flags)

    def remove(self, removal: Removal) -> None:
        if not removal.alive:
            self.kill_operator()
        if not removal.kind_first:
            self.uninstall()
            self.delete_kind("--timeout=60s")
        elif removal.alive:
            self.delete_kind("--timeout=60s")
            self.uninstall()
        else:
            # A finalizer holds it until the release goes.
            self.delete_kind("--wait=false")
            self.uninstall()

    def check_nothing_is_left(self) -> None:
        self.cluster.wait_for("no kind", lambda: not self.cluster.kubectl("get", "crd", CRD, "--ignore-not-found"))
        self.cluster.wait_for("no operator", lambda: not self.pods(NAMESPACE, OPERATORS))
        for name in (*FLEETS, HELD):
            self.cluster.wait_for(f"ready pods of {name}", lambda name=name: (found := self.ready(name)) and all(found))
        kinds = "clusterrole,clusterrolebinding,mutatingwebhookconfiguration,role,rolebinding,secret,service,lease,serviceaccount,job"
        left = self.cluster.kubectl("get", kinds, f"--namespace={NAMESPACE}", "--output=name").split()
        self.assertEqual([each for each in left if "scaledcache" in each], [])

    def test_it_goes_in_any_order_and_leaves_no_pod_waiting(self):
        for removal in REMOVALS:
            with self.subTest(removal.name):
                began = time()
                self.install()
                audit.check_nothing_refused(self.cluster, began)
                self.remove(removal)
                self.check_nothing_is_left()
                self.blog("delete", "deployments", *FLEETS, HELD)
                self.cluster.wait_for("no pods", lambda: not self.blog("get", "pods", "--output=name"))


if __name__ == "__main__":
    unittest.main()
