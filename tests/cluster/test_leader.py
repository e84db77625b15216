"""Two replicas, and the leader killed (SIGKILL) under load, again and again: the other decides, and no
write is wrong. A fast cluster whose pods nobody runs; the replicas are processes with the chart's rights.

Each round the load of half of the fleets rises; as soon as the leader has scaled one of them it is
killed, and then the load of the others rises too. What each replica wrote while it held the lease, and
while it did not, is in the API server's audit log.
"""

import json
import os
import re
import subprocess
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path
from time import time

from rig import Cluster, audit, numbers
from rig.binaries import binary
from rig.network import NODE_ADDRESS
from rig.operator import NAMESPACE
from rig.paths import CLUSTER_DIR, TREE, program

ROUNDS = 10
FLEETS = [f"fleet-{number}" for number in range(8)]
START = 2
LOAD_OF_ONE = 100
STORE_PORT = 9090


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def account(name: str) -> str:
    return f"system:serviceaccount:{NAMESPACE}:{name}"


@dataclass
class Replica:
    """One of the two: an identity of its own, with a process that comes and goes."""

    name: str
    port: int
    kubeconfig: Path
    log: Path
    process: subprocess.Popen | None = None


def manifests(name: str) -> list[dict]:
    metadata = {"name": name, "namespace": "blog"}
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "cache", "image": "none"}]}}
    spec = {"replicas": START, "selector": {"matchLabels": labels}, "template": pod}
    cache = {
        "scaleTargetRef": {"name": name},
        "minReplicas": START,
        "maxReplicas": 50,
        "pollInterval": "1s",
        "shortWindow": "5s",
        "longWindow": "10m",
        "cooldown": "0s",
        "scaleUp": {"lookAheadPercent": 0, "headroom": "None"},
        "backend": {"address": f"http://{NODE_ADDRESS}:{STORE_PORT}"},
        "signals": [{"query": f'load{{fleet="{name}"}}', "requestsPerReplica": LOAD_OF_ONE}],
    }
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec},
        {"apiVersion": "scaledcache.io/v1alpha1", "kind": "ScaledCache", "metadata": metadata, "spec": cache},
    ]


@unittest.skipIf(Cluster().is_external, "the audit log tells who wrote what")
@unittest.skipUnless(program().exists(), f"{program()} is not built")
class Leaders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="fast"))
        cls.counts = dict.fromkeys(FLEETS, START)
        cls.loads = cls.cluster.folder / "loads"
        cls.tell_loads()
        store = [sys.executable, CLUSTER_DIR / "rig" / "numbers.py", NODE_ADDRESS, str(STORE_PORT), cls.loads]
        cls.addClassCleanup(cls.end, cls.cluster.popen(store))
        chart = TREE / "charts" / "scaledcache"
        settings = ("--set=operator.replicaCount=2", "--set=webhooks.enabled=false")
        where = (f"--namespace={NAMESPACE}", "--create-namespace")
        cls.cluster.run([binary("helm"), "install", "scaledcache", chart, *where, *settings])
        cls.cluster.kubectl("wait", "--for=condition=Established", "crd/scaledcaches.scaledcache.io")
        cls.cluster.kubectl("create", "namespace", "blog")
        objects = [each for name in FLEETS for each in manifests(name)]
        cls.cluster.kubectl("apply", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        text = cls.cluster.kubectl("get", "deployment", "scaledcache", f"--namespace={NAMESPACE}", "--output=json")
        container = json.loads(text)["spec"]["template"]["spec"]["containers"][0]
        cls.arguments = [each for each in container["args"] if not each.startswith("--listen-address=")]
        cls.replicas = [cls.replica("replica-a", 8081), cls.replica("replica-b", 8082)]

    @staticmethod
    def end(process: subprocess.Popen) -> None:
        process.kill()
        process.wait()

    @classmethod
    def tell_loads(cls) -> None:
        numbers.write(cls.loads, {name: count * LOAD_OF_ONE - 10 for name, count in cls.counts.items()})

    @classmethod
    def raise_loads(cls, fleets: list[str]) -> None:
        """By what one more replica carries."""
        for name in fleets:
            cls.counts[name] += 1
        cls.tell_loads()

    @classmethod
    def replica(cls, name: str, port: int) -> Replica:
        """An account of its own with the chart's rights, so that the audit log tells the two apart."""
        subject = f"--serviceaccount={NAMESPACE}:{name}"
        cls.cluster.kubectl("create", "serviceaccount", name, f"--namespace={NAMESPACE}")
        cls.cluster.kubectl("create", "clusterrolebinding", name, "--clusterrole=scaledcache", subject)
        cls.cluster.kubectl("create", "rolebinding", name, "--role=scaledcache-own", subject, f"--namespace={NAMESPACE}")
        kubeconfig = cls.cluster.folder / f"{name}.kubeconfig"
        kubeconfig.write_bytes(Path(cls.cluster.kubeconfig).read_bytes())
        token = cls.cluster.kubectl("create", "token", name, f"--namespace={NAMESPACE}").strip()
        configure = [binary("kubectl"), "config", f"--kubeconfig={kubeconfig}"]
        cls.cluster.run([*configure, "set-credentials", "operator", f"--token={token}"])
        cls.cluster.run([*configure, "set-context", "--current", "--user=operator", f"--namespace={NAMESPACE}"])
        return Replica(name, port, kubeconfig, cls.cluster.folder / "logs" / f"{name}.log")

    def start(self, replica: Replica) -> None:
        flags = [f"--kubeconfig={replica.kubeconfig}", f"--listen-address={NODE_ADDRESS}:{replica.port}"]
        environment = os.environ | {"POD_NAME": replica.name, "POD_NAMESPACE": NAMESPACE}
        with open(replica.log, "w", encoding="utf-8") as log:
            replica.process = self.cluster.popen([program(), *self.arguments, *flags], env=environment, stdout=log, stderr=log)
        self.addCleanup(self.end, replica.process)

    def wait_for_line(self, replica: Replica, line: str) -> None:
        self.cluster.wait_for(f"{replica.name}: {line}", lambda: f'"{line}"' in replica.log.read_text("utf-8"))

    def scale_writes(self) -> list[audit.Entry]:
        return [each for each in audit.entries(self.cluster) if each.resource == "deployments/scale"]

    def first_write(self, replica: Replica, since: float) -> audit.Entry | None:
        """The first count that it changed after that moment."""
        mine = (each for each in self.scale_writes() if each.user == account(replica.name))
        return next((each for each in mine if each.time > since and each.code == 200), None)

    def specs(self) -> dict[str, int]:
        text = self.cluster.kubectl("get", "deployments", "--namespace=blog", "--output=json")
        return {each["metadata"]["name"]: each["spec"]["replicas"] for each in json.loads(text)["items"]}

    def play(self, leader: Replica, other: Replica) -> float:
        """One round; returns the seconds from the kill to the other's first decision."""
        began = time()
        self.raise_loads(FLEETS[::2])
        self.cluster.wait_for("a decision of the leader", lambda: self.first_write(leader, began))
        killed = time()
        self.end(leader.process)
        self.raise_loads(FLEETS[1::2])
        seen = self.cluster.wait_for("a decision of the other", lambda: self.first_write(other, killed))
        self.cluster.wait_for("every count", lambda: self.specs() == self.counts)
        return seen.time - killed

    def test_the_other_goes_on_and_no_write_is_wrong(self):
        leader, other = self.replicas
        self.start(leader)
        self.wait_for_line(leader, "this replica leads")
        figures = []
        for number in range(ROUNDS):
            self.start(other)
            self.wait_for_line(other, "standing by: another replica leads")
            figures.append(self.play(leader, other))
            say(f"round {number + 1}: {figures[-1]:.1f} s from the kill to the next decision")
            leader, other = other, leader
        say(f"slowest: {max(figures):.1f} s; a lease lasts 15 s")
        self.check_steps()
        self.check_leadership()
        audit.check_nothing_refused(self.cluster)

    def check_steps(self) -> None:
        """Each rise of the load was answered once, by one more.

        Of a leader that is killed while its write is under way the API server may note no answer: then
        the next write, which tests the old count, tells that it was obeyed.
        """
        for name in FLEETS:
            count = START
            unanswered: set[int] = set()
            for each in self.scale_writes():
                if each.name != name:
                    continue
                before = next(step["value"] for step in each.body if step["path"] == "/spec/replicas" and step["op"] == "test")
                after = next(step["value"] for step in each.body if step["op"] != "test")
                self.assertEqual(after, before + 1, f"{name}: {each}")
                if each.code == 200:
                    self.assertIn(before, {count} | unanswered, f"{name}: {each}")
                    count = after
                elif each.code not in (409, 422):
                    unanswered.add(after)
            self.assertEqual(count, self.counts[name], name)

    def check_leadership(self) -> None:
        """Who wrote a count held the lease when the write came."""
        holder = ""
        writers = set()
        events = sorted(audit.entries(self.cluster), key=lambda each: each.time)
        for each in events:
            if each.resource == "leases" and each.code in (200, 201) and each.verb in audit.WRITES:
                identity = (each.body or {}).get("spec", {}).get("holderIdentity", "")
                holder = each.user if identity else ""
            if each.resource == "deployments/scale":
                self.assertEqual(each.user, holder, f"{each.uri} at {each.time}")
                writers.add(re.sub(".*:", "", each.user))
        self.assertEqual(writers, {"replica-a", "replica-b"})


if __name__ == "__main__":
    os.chdir(CLUSTER_DIR)
    unittest.main(verbosity=2)
