"""The program with the chart's own command line and rights, against a real API server.

Nothing runs pods here: the program is a process of the test, which has the token of the chart's
ServiceAccount. What a right is missing for shows as Forbidden.
"""

import json
import os
import signal
import sys
import unittest
from pathlib import Path

import yaml

from chart import CHART, NAMESPACE, RELEASE, ROOT, hooks, the

sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from rig import Cluster, RigError, audit  # noqa: E402
from rig.binaries import binary  # noqa: E402
from rig.network import NODE_ADDRESS  # noqa: E402

BINARY = Path(os.environ.get("SCALEDCACHE_TEST_BINARY", ROOT / "build" / "dev" / "scaledcache"))
WEBHOOK = f"{RELEASE}-webhook"
CACHE = """
apiVersion: scaledcache.io/v1alpha1
kind: ScaledCache
metadata: {name: blog, namespace: blog}
spec:
  scaleTargetRef: {name: varnish-burst}
  minReplicas: 2
  maxReplicas: 10
  pollInterval: 1s
  backend: {address: "http://metrics.blog.svc:9090", timeout: 200ms}
  signals: [{preset: Varnish, requestsPerReplica: 200}]
  warmup: {mode: Gate, port: 8080, hostHeader: blog.example, paths: [/]}
"""
GATE = "scaledcache.io/cache-warm"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"generateName": "asked-", "namespace": "blog", "labels": {"app": "varnish-burst"}},
    "spec": {"containers": [{"name": "varnish", "image": "none"}]},
}
# What kube-proxy and a running pod would give the webhook's Service.
ENDPOINT = {
    "apiVersion": "discovery.k8s.io/v1",
    "kind": "EndpointSlice",
    "metadata": {"name": "by-hand", "namespace": NAMESPACE, "labels": {"kubernetes.io/service-name": WEBHOOK}},
    "addressType": "IPv4",
    "ports": [{"name": "webhook", "port": 9443, "protocol": "TCP"}],
    "endpoints": [{"addresses": [NODE_ADDRESS], "conditions": {"ready": True}}],
}


@unittest.skipIf(Cluster().is_external, "it installs cluster-wide objects, and takes them away")
@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class TheProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="fast"))
        cls.cluster.kubectl("create", "namespace", "blog")
        cls.cluster.kubectl("--namespace=blog", "create", "deployment", "varnish-burst", "--image=none")

    def setUp(self):
        self.cluster.kubectl("--namespace=blog", "scale", "deployment", "varnish-burst", "--replicas=1")

    def install(self, *settings: str) -> None:
        where = (f"--namespace={NAMESPACE}", "--create-namespace")
        flags = [f"--set={each}" for each in settings]
        self.cluster.run([binary("helm"), "install", RELEASE, CHART, *where, *flags])
        self.addCleanup(self.cluster.run, [binary("helm"), "uninstall", RELEASE, "--no-hooks", *where[:1]])
        self.cluster.kubectl("wait", "--for=condition=Established", "crd/scaledcaches.scaledcache.io")

    def kubeconfig(self, account: str = RELEASE) -> Path:
        """One with nothing but the token of this ServiceAccount, by default the chart's."""
        path = self.cluster.folder / "operator.kubeconfig"
        path.write_bytes(Path(self.cluster.kubeconfig).read_bytes())
        token = self.cluster.kubectl("create", "token", account, f"--namespace={NAMESPACE}").strip()
        configure = ("config", f"--kubeconfig={path}")
        self.cluster.run([binary("kubectl"), *configure, "set-credentials", "operator", f"--token={token}"])
        # In a pod the ServiceAccount's folder says which namespace is the operator's own.
        context = ("set-context", "--current", "--user=operator", f"--namespace={NAMESPACE}")
        self.cluster.run([binary("kubectl"), *configure, *context])
        return path

    def start(self) -> None:
        """Starts the program as the Deployment's container would be."""
        text = self.cluster.kubectl("get", "deployment", RELEASE, f"--namespace={NAMESPACE}", "--output=json")
        arguments = json.loads(text)["spec"]["template"]["spec"]["containers"][0]["args"]
        environment = os.environ | {"POD_NAME": "operator-1", "POD_NAMESPACE": NAMESPACE}
        self.log = self.cluster.folder / "operator.log"
        with open(self.log, "w", encoding="utf-8") as log:
            argv = [BINARY, *arguments, f"--kubeconfig={self.kubeconfig()}"]
            process = self.cluster.popen(argv, env=environment, stdout=log, stderr=log)
        self.addCleanup(self.stop, process)

    def stop(self, process) -> None:
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 0, self.log.read_text("utf-8")[-2000:])

    def apply_cache(self) -> None:
        self.cluster.kubectl("apply", "-f", "-", input=CACHE)
        self.addCleanup(self.cluster.kubectl, "--namespace=blog", "delete", "scaledcache", "blog")

    def ask(self, path: str) -> str:
        argv = ["curl", "--silent", "--fail", "--max-time", "5", "--noproxy", "*", f"http://127.0.0.1:8080{path}"]
        return self.cluster.run(argv).stdout

    def await_(self, what: str, condition) -> None:
        try:
            self.cluster.wait_for(what, condition, timeout_s=30)
        except RigError as error:
            self.fail(f"{error}\n{self.log.read_text('utf-8')[-4000:]}")

    def get(self, kind: str, name: str, path: str, namespace: str = NAMESPACE) -> str:
        where = (f"--namespace={namespace}", f"--output=jsonpath={path}")
        return self.cluster.kubectl("get", kind, *([name] if name else []), *where)

    def test_it_does_all_its_work_with_the_charts_rights(self):
        self.install("operator.replicaCount=2")
        self.start()
        self.await_("readiness", lambda: self.ask("/readyz"))
        self.await_("the lease", lambda: self.get("lease", RELEASE, "{.spec.holderIdentity}"))
        self.await_("a certificate", lambda: self.get("secret", WEBHOOK, "{.data.tls\\.crt}"))
        bundle = "{.webhooks[0].clientConfig.caBundle}"
        self.await_("a caBundle", lambda: self.get("mutatingwebhookconfiguration", WEBHOOK, bundle))

        self.apply_cache()
        self.await_("the minimum", lambda: self.get("deployment", "varnish-burst", "{.spec.replicas}", "blog") == "2")
        self.await_("a status", lambda: self.get("scaledcache", "blog", "{.status.lastDecision.reason}", "blog"))
        self.await_("an event", lambda: "ScaledUp" in self.get("events", "", "{.items[*].reason}", "blog"))
        metrics = self.ask("/metrics")
        self.assertIn('scaledcache_errors_total{code="Forbidden"} 0\n', metrics)
        self.assertIn("scaledcache_leader 1\n", metrics)
        audit.check_nothing_refused(self.cluster)
        self.assertNotIn("orbidden", self.log.read_text("utf-8"))

    def gates_of_a_new_pod(self) -> list[str]:
        path = "--output=jsonpath={.spec.readinessGates[*].conditionType}"
        return self.cluster.kubectl("create", "--dry-run=server", "-f", "-", path, input=json.dumps(POD)).split()

    def test_the_api_server_asks_its_webhook_about_pods_of_labelled_namespaces(self):
        self.install()
        self.start()
        self.apply_cache()
        self.await_("a status", lambda: self.get("scaledcache", "blog", "{.status.lastDecision.reason}", "blog"))
        self.cluster.kubectl("apply", "-f", "-", input=json.dumps(ENDPOINT))
        self.addCleanup(self.cluster.kubectl, "delete", "endpointslice", "by-hand", f"--namespace={NAMESPACE}")
        self.assertEqual(self.gates_of_a_new_pod(), [])
        self.cluster.kubectl("label", "namespace", "blog", "scaledcache.io/inject=enabled")
        self.addCleanup(self.cluster.kubectl, "label", "namespace", "blog", "scaledcache.io/inject-")
        self.await_("a gate", lambda: self.gates_of_a_new_pod() == [GATE])
        self.assertIn('scaledcache_webhook_reviews_total{outcome="Injected"}', self.ask("/metrics"))

    def test_rights_in_one_namespace_are_enough_for_it(self):
        self.install("watchNamespace=blog", "webhooks.enabled=false")
        self.start()
        self.await_("readiness", lambda: self.ask("/readyz"))
        self.apply_cache()
        self.await_("a status", lambda: self.get("scaledcache", "blog", "{.status.lastDecision.reason}", "blog"))
        self.assertIn('scaledcache_errors_total{code="Forbidden"} 0\n', self.ask("/metrics"))
        self.assertNotIn("orbidden", self.log.read_text("utf-8"))
        audit.check_nothing_refused(self.cluster)

    def test_what_runs_after_an_uninstall_lets_go_of_pods_and_resources(self):
        self.cluster.kubectl("apply", "--server-side", "-f", str(ROOT / "crds"))
        self.addCleanup(self.cluster.kubectl, "delete", "namespace", "left", "--wait=false")
        left = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "left"}}
        system = left | {"metadata": {"name": NAMESPACE}}
        gated = POD["spec"] | {"readinessGates": [{"conditionType": GATE}]}
        pod = POD | {"metadata": {"name": "gated", "namespace": "left"}, "spec": gated}
        cache = yaml.safe_load(CACHE)
        cache["metadata"] = {"name": "left", "namespace": "left", "finalizers": ["scaledcache.io/restore-replicas"]}
        rights = [each for each in hooks() if each["kind"] != "Job"]
        objects = {"apiVersion": "v1", "kind": "List", "items": [left, system, pod, cache, *rights]}
        self.cluster.wait_for("the kind", lambda: self.cluster.kubectl("apply", "-f", "-", input=json.dumps(objects)))
        self.addCleanup(self.cluster.kubectl, "delete", "-f", "-", input=json.dumps(objects | {"items": rights}))
        self.cluster.kubectl("delete", "scaledcache", "left", "--namespace=left", "--wait=false")

        account = the(hooks(), "ServiceAccount")["metadata"]["name"]
        words = the(hooks(), "Job")["spec"]["template"]["spec"]["containers"][0]["args"]
        done = self.cluster.run([BINARY, *words, f"--kubeconfig={self.kubeconfig(account)}"])
        self.assertIn("1 gates opened, 1 finalizers removed", done.stdout)
        gate = f"{{.status.conditions[?(@.type=='{GATE}')].status}}"
        self.assertEqual(self.get("pod", "gated", gate, "left"), "True")
        self.cluster.wait_for("no resource", lambda: not self.get("scaledcache", "", "{.items[*].metadata.name}", "left"))


if __name__ == "__main__":
    unittest.main()
