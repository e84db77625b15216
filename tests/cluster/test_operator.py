"""The operator on a real cluster: built from the Dockerfile, run as a pod with its own rights, with a
real Varnish fleet, real stores and real load. Asserts on states, not on times: those are
`make bench-spike`.
"""

import json
import random
import sys
import time
import unittest

from rig import Cluster
from rig.blog import FLEET, STORES, Blog
from rig.load import Load
from rig.operator import Operator
from rig.paths import TREE
from rig.story import Plan, Story, require_operator

CACHE = "scaledcaches.scaledcache.io"
_QUICK = {"longWindow": "30s", "cooldown": "10s", "scaleDown": {"interval": "2s", "stepPercent": 50}}


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


class OperatorOnACluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(mode="full")
        cls.enterClassContext(cls.cluster)
        cls.blog = Blog(cls.cluster)
        cls.blog.deploy()
        say("the blog is up")
        cls.operator = Operator(cls.cluster)
        cls.operator.install(cls.store_url("victoria-metrics"))
        say("the operator is installed")

    @classmethod
    def store_url(cls, store: str) -> str:
        return f"http://{store}.{cls.blog.monitoring}:{STORES[store]}"

    def setUp(self):
        self.plan = Plan(quiet_s=20, spike_s=30, patience_s=240)
        self.cluster.kubectl("apply", "-f", str(TREE / "examples" / "demo.yaml"))
        self.blog.kubectl("patch", CACHE, "blog", "--type=merge", f"--patch={json.dumps({'spec': _QUICK})}")
        require_operator(self.blog)
        self.addCleanup(self.blog.kubectl, "delete", CACHE, "blog", "--wait=true")

    def status(self) -> dict:
        return json.loads(self.blog.kubectl("get", CACHE, "blog", "--output=json"))["status"]

    def condition(self, kind: str) -> dict:
        return next(each for each in self.status()["conditions"] if each["type"] == kind)

    def replicas(self) -> int:
        return int(self.blog.kubectl("get", "deployment", FLEET, "--output=jsonpath={.spec.replicas}"))

    def events(self) -> set[str]:
        path = "--output=jsonpath={.items[*].reason}"
        return set(self.blog.kubectl("get", "events.events.k8s.io", path).split())

    def assert_story(self):
        report = Story(self.blog, self.plan).play()
        say(str(report))
        self.assertEqual(report.max_replicas, self.plan.max_replicas)
        self.assertIsNotNone(report.ready_full_s)
        self.assertEqual(report.end_replicas, self.plan.min_replicas)

    def test_the_founding_story_with_victoria_metrics(self):
        self.assert_story()
        self.assertEqual(self.condition("Ready")["status"], "True")
        self.assertEqual(self.condition("MetricsReady")["reason"], "Fresh")
        self.assertLessEqual({"ScaledUp", "ScaledDown", "ScalingLimited"}, self.events())
        changes = [line for line in self.operator.log() if line["msg"] == "decision" and line["from"] != line["to"]]
        self.assertTrue(all({"reason", "sentence", "signals", "inputs"} <= line.keys() for line in changes), changes)
        self.assertIn(" 0 differently, 0 cannot be replayed", self.operator.explain_log())
        self.assertEqual(self.operator.restarts(), 0)

    def test_the_founding_story_with_prometheus(self):
        self.operator.use_backend(self.store_url("prometheus"))
        self.addCleanup(self.operator.use_backend, self.store_url("victoria-metrics"))
        require_operator(self.blog)
        self.assert_story()

    def test_a_steady_load_causes_no_write_and_a_change_still_does(self):
        steady = 1.5 * self.plan.per_replica
        with Load(self.cluster, self.blog.url, steady) as load:
            time.sleep(75)  # until what was before has left every window, and one heartbeat is far
            self._wander(load, steady, seconds=1)
            since = time.time()
            self._wander(load, steady, seconds=60)
            self.assertEqual(self.operator.writes(since), [])
            load.set_rate(6.5 * self.plan.per_replica)
            self.cluster.wait_for("growth after a quiet minute", lambda: self.replicas() >= 7, timeout_s=60)
        self.assertIn("patch", " ".join(self.operator.writes(since)))

    def _wander(self, load: Load, rate: float, seconds: int) -> None:
        """Load that moves by up to 5 % every second, from a fixed seed."""
        noise = random.Random(1)
        for _ in range(seconds):
            load.set_rate(rate * (1 + noise.uniform(-0.05, 0.05)))
            time.sleep(1)

    def test_a_store_that_goes_away_at_peak_changes_nothing(self):
        with Load(self.cluster, self.blog.url, 4.5 * self.plan.per_replica):
            self.cluster.wait_for("five replicas", lambda: self.replicas() == 5, timeout_s=90)
            self.blog.kubectl("scale", "deployment/victoria-metrics", "--replicas=0", space=self.blog.monitoring)
            self.addCleanup(self._bring_store_back)
            self.cluster.wait_for(
                "a condition that names the fault",
                lambda: self.condition("MetricsReady")["reason"] == "BackendUnreachable",
                timeout_s=120,
            )
            say(self.condition("MetricsReady")["message"])
            self.assertEqual(self.replicas(), 5)
            self._bring_store_back()
            self.cluster.wait_for(
                "fresh metrics again", lambda: self.condition("MetricsReady")["status"] == "True", timeout_s=120
            )
            self.assertEqual(self.replicas(), 5)
        self.assertLessEqual({"MetricsLost", "MetricsRecovered"}, self.events())

    def _bring_store_back(self) -> None:
        self.blog.kubectl("scale", "deployment/victoria-metrics", "--replicas=1", space=self.blog.monitoring)
        self.blog.kubectl("rollout", "status", "deployment/victoria-metrics", space=self.blog.monitoring)

    def test_a_restart_remembers_the_cooldown(self):
        self.blog.kubectl("patch", CACHE, "blog", "--type=merge", '--patch={"spec": {"cooldown": "10m"}}')
        with Load(self.cluster, self.blog.url, 3.5 * self.plan.per_replica):
            self.cluster.wait_for("four replicas", lambda: self.replicas() == 4, timeout_s=90)
        before = self.status()["lastScaleUpTime"]
        self.operator.restart()
        self.cluster.wait_for(
            "a decision of the new process",
            lambda: any(line["msg"] == "decision" for line in self.operator.log()),
        )
        time.sleep(45)  # longer than the long window: only the cooldown still holds
        self.assertEqual(self.replicas(), 4)
        self.assertEqual(self.status()["lastScaleUpTime"], before)
        self.assertEqual(self.status()["lastDecision"]["reason"], "CoolingDown")


if __name__ == "__main__":
    unittest.main()
