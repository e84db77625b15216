"""Real caches, warmed and judged by the operator from the headers that they really send.

A fast cluster whose pods are played; behind each pod's address a real cache runs as a process.
Envoy, Traefik and Vinyl Cache are not packaged for Debian 12: tests/cache has what they send.
"""

import os
import subprocess
import sys
import unittest

from rig import Cluster, caches
from rig.network import NODE_ADDRESS
from rig.operator import apply_crd
from rig.origin import Origin, Site
from rig.paths import CLUSTER_DIR, program
from rig.played import PORT, PlayedFleet, add_address, start_cache

HOST = "www.example.com"
SITE = Site(pages=30, delay_ms=10, capacity=1000)


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


@unittest.skipIf(Cluster().is_external, "caches run as processes in the network of the rig")
@unittest.skipUnless(program().exists(), f"{program()} is not built")
class Caches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="fast"))
        apply_crd(cls.cluster)
        cls.origin = Origin.in_cluster(cls.cluster, f"{NODE_ADDRESS}:8090", SITE)
        cls.log = open(cls.cluster.folder / "logs" / "operator.log", "w", encoding="utf-8")
        cls.addClassCleanup(cls.log.close)
        argv = [program(), "controller", f"--kubeconfig={cls.cluster.kubeconfig}"]
        # There is no store: gates must not wait for metrics.
        argv += [f"--backend-url=http://{NODE_ADDRESS}:9", f"--listen-address={NODE_ADDRESS}:8085"]
        cls.operator = cls.cluster.popen(argv, stdout=cls.log, stderr=cls.log)
        cls.addClassCleanup(cls._stop, cls.operator)
        cls.next_address = 20

    @staticmethod
    def _stop(process: subprocess.Popen) -> None:
        process.terminate()
        process.wait()

    def own_address(self) -> str:
        type(self).next_address += 1
        address = f"10.244.0.{self.next_address}"
        add_address(self.cluster, address)
        return address

    def judged(self, name: str, address: str) -> tuple[str, str, str]:
        """What the gate of a pod at the address says once the operator has judged it."""
        fleet = PlayedFleet(self.cluster, name)
        self.addCleanup(fleet.kubectl, "delete", "scaledcache,deployment", name)
        fleet.scaled_cache({"hostHeader": HOST, "sitemap": "/sitemap.xml"})
        pod = fleet.start_pod(address)
        judged = ("CacheWarm", "BelowMinHitPercent", "FirstPods", "UncacheableList", "WarmupTimeout")
        self.cluster.wait_for("a verdict", lambda: fleet.gate(pod)[1] in judged, timeout_s=30)
        return fleet.gate(pod)

    def assert_warms(self, name: str) -> None:
        if not caches.program(name):
            self.skipTest(f"package {caches.PACKAGES[name]} is not installed")
        address = self.own_address()
        cache = start_cache(self.cluster, name, address, self.origin.address)
        self.addCleanup(self._stop, cache)
        status, reason, message = self.judged(name, address)
        say(f"{name}: {status}, {reason}: {message}")
        self.assertEqual((status, reason), ("True", "CacheWarm"), message)

    def test_varnish(self):
        self.assert_warms("varnish")

    def test_varnish_that_says_nothing_of_its_own(self):
        self.assert_warms("varnish-bare")

    def test_nginx(self):
        self.assert_warms("nginx")

    def test_squid(self):
        self.assert_warms("squid")

    def test_traffic_server(self):
        self.assert_warms("trafficserver")

    def test_haproxy(self):
        self.assert_warms("haproxy")

    def test_haproxy_with_nothing_but_age(self):
        self.assert_warms("haproxy-bare")

    def test_httpd(self):
        self.assert_warms("httpd")

    def test_a_server_without_a_cache_is_not_called_warm(self):
        address = self.own_address()
        site = Origin.in_cluster(self.cluster, f"{address}:{PORT}", SITE)
        self.addCleanup(site.stop)
        status, reason, message = self.judged("none", address)
        say(f"no cache: {status}, {reason}: {message}")
        self.assertNotEqual(reason, "CacheWarm")


if __name__ == "__main__":
    os.chdir(CLUSTER_DIR)
    unittest.main(verbosity=2)
