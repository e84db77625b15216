"""Proves the rig: both modes come up, do their work, and leave nothing behind.

Run with `python3 -m unittest -v test_rig` in this folder, or `make test-cluster`.
"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from rig import Cluster, RigError
from rig.blog import STORES, Blog
from rig.load import play
from rig.paths import CLUSTER_DIR
from rig.state import find


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


class Web:
    """A Deployment that nobody runs, in a namespace of its own."""

    def __init__(self, cluster: Cluster):
        space = cluster.space("web")
        self.kubectl = lambda *words: cluster.kubectl(f"--namespace={space}", *words)
        self.kubectl("create", "namespace", space)
        self.kubectl("create", "deployment", "web", "--image=none", "--replicas=1")

    def replicas(self) -> int:
        return int(self.kubectl("get", "deployment", "web", "--output=jsonpath={.spec.replicas}"))

    def pods(self) -> int:
        return len(self.kubectl("get", "pods", "--selector=app=web", "--output=name").split())


class OwnPrograms(unittest.TestCase):
    def test_the_load_and_the_origin_do_what_their_tests_say(self):
        for program in ("load", "origin"):
            with self.subTest(program):
                environment = os.environ | {"GOWORK": "off", "CGO_ENABLED": "0"}
                argv, where = ["go", "test", "./..."], CLUSTER_DIR / "binaries" / program
                done = subprocess.run(argv, cwd=where, env=environment, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class FastMode(unittest.TestCase):
    def test_a_scale_patch_becomes_pods_without_a_node(self):
        with Cluster(mode="fast") as cluster:
            say(f"cluster {cluster.name} is up")
            web = Web(cluster)
            patch = json.dumps({"spec": {"replicas": 3}})
            where = ("deployment", "web", "--subresource=scale", "--type=merge")
            web.kubectl("patch", *where, f"--patch={patch}")
            self.assertEqual(web.replicas(), 3)
            cluster.wait_for("three pods", lambda: web.pods() == 3)
            with self.assertRaisesRegex(RigError, "not found"):
                web.kubectl("get", "deployment", "nobody")

    @unittest.skipIf(Cluster().is_external, "there is one cluster, the user's")
    def test_two_clusters_do_not_see_each_other(self):
        with Cluster(mode="fast") as one, Cluster(mode="fast") as other:
            say(f"clusters {one.name} and {other.name} are up")
            self.assertEqual(Web(one).replicas(), 1)
            with self.assertRaisesRegex(RigError, "not found"):
                other.kubectl("get", "namespace", "web")


@unittest.skipIf(Cluster().is_external, "nothing is started on this machine")
class NothingIsLeft(unittest.TestCase):
    def assert_gone(self, name: str, folder: Path) -> None:
        self.assertIsNone(find(name))
        self.assertFalse(folder.exists(), folder)
        self.assertFalse(Path("/run/netns", f"sc-{name}").exists())

    def test_after_the_block(self):
        with Cluster(mode="fast") as cluster:
            child = cluster.popen(["sleep", "1000"])
        self.assert_gone(cluster.name, cluster.folder)
        self.assertEqual(child.wait(), -signal.SIGTERM)

    def test_after_an_error_in_the_block(self):
        with self.assertRaisesRegex(ValueError, "of the test"):
            with Cluster(mode="fast") as cluster:
                raise ValueError("of the test")
        self.assert_gone(cluster.name, cluster.folder)

    def test_after_the_owner_was_killed(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number.name):
                owner, name, folder = self.start_owner()
                self.assertTrue(folder.exists())
                owner.send_signal(number)
                owner.wait()
                # The owner cannot clean up any more; a process that watches it does.
                waiter = Cluster(mode="fast")
                waiter.wait_for("the end of the cluster", lambda: not folder.exists())
                self.assert_gone(name, folder)

    def start_owner(self) -> tuple[subprocess.Popen, str, Path]:
        """Starts a process that owns a cluster; returns it with the cluster's name and folder."""
        program = (
            "from rig import Cluster\n"
            "with Cluster(mode='fast') as cluster:\n"
            "    print(cluster.name, cluster.folder, flush=True)\n"
            "    cluster.run(['sleep', '1000'])\n"
        )
        argv = [sys.executable, "-c", program]
        owner = subprocess.Popen(argv, cwd=CLUSTER_DIR, stdout=subprocess.PIPE, text=True)
        self.addCleanup(owner.stdout.close)
        name, folder = owner.stdout.readline().split()
        return owner, name, Path(folder)


class FullMode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        began = time.monotonic()
        cls.cluster = cls.enterClassContext(Cluster(mode="full"))
        say(f"full cluster up after {time.monotonic() - began:.1f} s")
        cls.blog = Blog(cls.cluster)
        cls.blog.deploy()
        say(f"blog deployed after {time.monotonic() - began:.1f} s")

    def wait_for_fleet(self, size: int) -> None:
        self.blog.scale(size)
        self.cluster.wait_for(f"{size} pods", lambda: len(self.blog.ready_pods()) == size)

    def test_samples_of_every_pod_reach_both_stores(self):
        self.wait_for_fleet(4)
        say("4 Varnish pods are ready")
        names = self.blog.ready_pods()
        for store in STORES:
            with self.subTest(store):
                self.cluster.wait_for(
                    f"samples of all pods in {store}", lambda: self.sampled(store, names)
                )
                say(f"{store} has samples of all pods")

    def sampled(self, store: str, names: list[str]) -> bool:
        selector = f'varnish_main_client_req{{namespace="{self.blog.namespace}"}}[30s]'
        return {series["metric"]["pod"] for series in self.blog.query(selector, store)} >= set(names)

    @unittest.skipIf(Cluster().is_external, "a load needs the network of the cluster")
    def test_an_open_loop_load_reaches_every_pod(self):
        self.wait_for_fleet(3)
        names = set(self.blog.ready_pods())
        before = self.requests(names)
        result = play(self.cluster, self.blog.url, [(100, 3), (300, 3)])
        say(f"{result.requests} requests, {result.failed_requests} failed")
        # A busy machine changes the rate a little late; the generator's own tests are exact.
        self.assertAlmostEqual(result.requests, 1200, delta=300)
        self.assertEqual(result.requests, sum(second.sent for second in result.seconds))
        self.assertEqual(result.failed, {})
        self.cluster.wait_for(
            "every pod's share in the samples",
            lambda: all(count - before[pod] > 100 for pod, count in self.requests(names).items()),
        )

    def requests(self, names: set[str]) -> dict[str, int]:
        """How many requests each of the pods has answered, by its newest sample."""
        found = self.blog.query("varnish_main_client_req[30s]")
        counts = {each["metric"]["pod"]: int(each["values"][-1][1]) for each in found}
        return {name: counts.get(name, 0) for name in names}


if __name__ == "__main__":
    os.chdir(CLUSTER_DIR)
    unittest.main(verbosity=2)
