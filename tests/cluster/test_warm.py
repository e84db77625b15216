"""Warm-up and draining on a real cluster: real Varnish pods, a slow origin, the operator as a pod.

Asserts on states and on what clients saw, not on times: those are `make bench-warm`.
"""

import json
import os
import time
import unittest

from bench.stage import CACHE, HOST, Stage, say, warmup
from rig import Cluster
from rig.blog import FLEET, GATE, GATED_LABEL
from rig.load import Clients
from rig.origin import Site
from rig.paths import CLUSTER_DIR
from rig.webhook import Webhook

SITE = Site(pages=50, capacity=400)
SITEMAP = {"warmup": warmup(sitemap="/sitemap.xml")}


@unittest.skipIf(Cluster().is_external, "the slow origin is a process in the network of the rig")
class WarmUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="full"))
        cls.stage = Stage(cls.cluster)
        cls.stage.deploy()
        cls.blog = cls.stage.blog

    def setUp(self):
        self.origin = self.stage.serve(SITE)

    def gates(self) -> dict[str, tuple[str, str]]:
        """Status and reason of each pod's gate."""
        found = {}
        for pod in self.blog.pods():
            conditions = {each["type"]: each for each in pod["status"].get("conditions", [])}
            gate = conditions.get(GATE, {})
            found[pod["metadata"]["name"]] = (gate.get("status", ""), gate.get("reason", ""))
        return found

    def waiting(self) -> list[str]:
        """The pods that only their gate keeps from being Ready."""
        with self.stage.watch_pods() as pods:
            self.cluster.wait_for("the pods", pods.now)
            time.sleep(1)
            found = pods.now().values()
        return [state.name for state in found if state.containers_ready == "True" and state.gate != "True"]

    def await_gates(self, wanted: tuple[str, str], count: int) -> None:
        self.cluster.wait_for(
            f"{count} gates {wanted}", lambda: list(self.gates().values()) == [wanted] * count, timeout_s=90
        )

    def test_a_pod_that_joins_has_every_page_already(self):
        self.stage.begin(True, SITEMAP, SITE.pages)
        self.await_gates(("True", "CacheWarm"), 2)
        clients = Clients(SITE.pages, zipf=0, host=HOST)
        with self.stage.load(100, clients) as load:
            time.sleep(5)
            joined = time.monotonic()
            self.stage.release()
            self.stage.change({"minReplicas": 4})
            self.await_gates(("True", "CacheWarm"), 4)
            self.cluster.wait_for("four ready pods", lambda: len(self.blog.ready_pods()) == 4)
            time.sleep(10)
            result = load.stop()
        self.assertEqual(result.failed, {})
        self.assertEqual(result.worst_hit_percent(joined, time.monotonic(), least=1), 100)
        self.assertGreaterEqual(self.origin.total(joined, time.monotonic()), 2 * SITE.pages)

    def test_a_fleet_that_shrinks_fails_no_request(self):
        self.stage.begin(True, SITEMAP | {"minReplicas": 4, "drain": {"period": "10s"}}, SITE.pages)
        self.await_gates(("True", "CacheWarm"), 4)
        clients = Clients(SITE.pages, zipf=0, one_shot=0.2, host=HOST)
        with self.stage.watch_pods() as pods, self.stage.load(100, clients) as load:
            time.sleep(5)
            self.stage.change({"minReplicas": 2})
            self.cluster.wait_for("two pods", lambda: len(pods.now()) == 2, timeout_s=120)
            time.sleep(3)
            result = load.stop()
        gone = [state.name for state in pods.states if state.gone]
        drained = [name for name in gone if pods.first(name, lambda state: state.reason == "Draining")]
        self.assertEqual(len(gone), 2)
        self.assertEqual(sorted(drained), sorted(gone))
        self.assertEqual(result.failed, {})

    def test_deleting_the_scaledcache_opens_every_gate(self):
        self.stage.begin(True, SITEMAP, SITE.pages)
        self.await_gates(("True", "CacheWarm"), 2)
        self.origin.process.kill()
        self.stage.release()
        self.stage.change({"minReplicas": 3, "warmup": {"onTimeout": "Hold"}})
        # Its gate is shut, or not yet written, which Kubernetes takes for shut.
        self.cluster.wait_for("a pod that waits for its cache", lambda: len(self.waiting()) == 1)
        self.blog.kubectl("delete", CACHE, "blog", "--wait=true", "--timeout=20s")
        self.cluster.wait_for(
            "gates that are all open", lambda: [status for status, _ in self.gates().values()] == ["True"] * 3
        )
        say(f"gates: {self.gates()}")
        self.assertIn(("True", "NotManaged"), self.gates().values())

    def test_the_webhook_puts_the_gate_on_new_pods(self):
        webhook = Webhook(self.blog, self.stage.operator)
        webhook.switch_on()
        self.stage.begin(False, SITEMAP, SITE.pages)
        webhook.await_gate()
        self.blog.kubectl("rollout", "restart", f"deployment/{FLEET}")
        self.blog.kubectl("rollout", "status", f"deployment/{FLEET}", "--timeout=120s")
        self.cluster.wait_for("two pods", lambda: len(self.blog.pods()) == 2)
        self.await_gates(("True", "CacheWarm"), 2)
        for pod in self.blog.pods():
            self.assertEqual(pod["metadata"]["labels"][GATED_LABEL], "true")
        template = json.loads(self.blog.kubectl("get", "deployment", FLEET, "--output=json"))["spec"]["template"]
        self.assertNotIn("readinessGates", template["spec"])


if __name__ == "__main__":
    os.chdir(CLUSTER_DIR)
    unittest.main(verbosity=2)
