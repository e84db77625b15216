"""The chart on a cluster with a node: two replicas, the webhook, and what is left after them."""

import json
import sys
import unittest

import yaml

from chart import ROOT

sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from rig import Cluster  # noqa: E402
from rig.binaries import binary  # noqa: E402
from rig.node import PAUSE_IMAGE  # noqa: E402
from rig.operator import NAMESPACE, Operator  # noqa: E402

GATE = "scaledcache.io/cache-warm"
FLEET = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "fleet", "namespace": "blog"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "fleet"}},
        "template": {
            "metadata": {"labels": {"app": "fleet"}},
            "spec": {"containers": [{"name": "cache", "image": PAUSE_IMAGE, "ports": [{"containerPort": 8080}]}]},
        },
    },
}
CACHE = {
    "apiVersion": "scaledcache.io/v1alpha1",
    "kind": "ScaledCache",
    "metadata": {"name": "fleet", "namespace": "blog"},
    "spec": {
        "scaleTargetRef": {"name": "fleet"},
        "minReplicas": 2,
        "maxReplicas": 4,
        "signals": [{"preset": "Varnish", "requestsPerReplica": 200}],
        # Nobody listens there: what is seen is that a pod gets the gate, and joins in the end.
        "warmup": {"mode": "Gate", "port": 8080, "hostHeader": "blog.example", "paths": ["/"], "timeout": "10s"},
    },
}


@unittest.skipIf(Cluster().is_external, "it installs cluster-wide objects, and takes them away")
class OnANode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="full"))
        Operator(cls.cluster).install_chart("http://metrics.blog.svc:9090", "operator.replicaCount=2")
        cls.cluster.kubectl("create", "namespace", "blog")
        cls.cluster.kubectl("label", "namespace", "blog", "scaledcache.io/inject=enabled")
        cls.cluster.kubectl("apply", "-f", "-", input=yaml.safe_dump_all([FLEET, CACHE]))

    def pods(self, namespace: str, selector: str) -> list[dict]:
        text = self.cluster.kubectl("get", "pods", f"--namespace={namespace}", f"--selector={selector}", "--output=json")
        return json.loads(text)["items"]

    def is_ready(self, pod: dict) -> bool:
        conditions = {each["type"]: each["status"] for each in pod["status"].get("conditions", [])}
        return conditions.get("Ready") == "True"

    def test_two_replicas_gate_a_fleet_and_go_without_a_trace(self):
        operators = self.pods(NAMESPACE, "app.kubernetes.io/name=scaledcache")
        self.assertEqual([self.is_ready(pod) for pod in operators], [True, True])
        bundle = "--output=jsonpath={.webhooks[0].clientConfig.caBundle}"
        self.cluster.wait_for("a caBundle", lambda: self.cluster.kubectl("get", "mutatingwebhookconfiguration", "scaledcache-webhook", bundle))
        # Before the operator knows the ScaledCache its pods get no gate.
        status = ("get", "scaledcache", "fleet", "--namespace=blog", "--output=jsonpath={.status.reason}")
        self.cluster.wait_for("a decision", lambda: self.cluster.kubectl(*status))

        self.cluster.kubectl("scale", "deployment", "fleet", "--namespace=blog", "--replicas=2")
        self.cluster.wait_for("two pods", lambda: len(self.pods("blog", "app=fleet")) == 2)
        for pod in self.pods("blog", "app=fleet"):
            self.assertEqual(pod["spec"]["readinessGates"], [{"conditionType": GATE}])
            self.assertEqual(pod["metadata"]["labels"]["scaledcache.io/gated"], "true")
        self.cluster.wait_for("ready pods", lambda: all(map(self.is_ready, self.pods("blog", "app=fleet"))))

        self.cluster.run([binary("helm"), "uninstall", "scaledcache", f"--namespace={NAMESPACE}"])
        self.cluster.kubectl("delete", "crd", "scaledcaches.scaledcache.io", "--timeout=60s")
        self.cluster.wait_for("no operator", lambda: not self.pods(NAMESPACE, "app.kubernetes.io/name=scaledcache"))
        self.assertEqual([self.is_ready(pod) for pod in self.pods("blog", "app=fleet")], [True, True])
        kinds = "clusterrole,clusterrolebinding,mutatingwebhookconfiguration,role,rolebinding,secret,service,lease,serviceaccount"
        left = self.cluster.kubectl("get", kinds, f"--namespace={NAMESPACE}", "--output=name").split()
        self.assertEqual([each for each in left if "scaledcache" in each], [])


if __name__ == "__main__":
    unittest.main()
