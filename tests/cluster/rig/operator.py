"""The operator on a full cluster: built from the Dockerfile, installed with examples/install."""

import json
import os
import re
import signal
from pathlib import Path

from . import audit, images
from .binaries import binary
from .cluster import Cluster
from .paths import TREE

NAMESPACE = "scaledcache-system"
_SHIPPED_IMAGE = "scaledcache:dev"


def apply_crd(cluster: Cluster) -> None:
    """Applies the CRD and returns once objects of it can be made."""
    cluster.kubectl("apply", "--server-side", "-f", str(TREE / "crds"))
    argv = ("wait", "--for=condition=Established", "crd/scaledcaches.scaledcache.io")
    # It is an error to wait for a condition before the object has a status.
    cluster.wait_for("the CRD", lambda: cluster.kubectl(*argv))


class Operator:
    """The deployment `scaledcache`, with the rights and limits that its manifest gives it."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster

    def install(self, backend_url: str, *arguments: str) -> None:
        """Builds and loads the image, applies CRD and manifest, and returns once it is ready.

        `arguments` are added to those of the controller in the manifest.
        """
        self.cluster.load_image(images.image_archive())
        apply_crd(self.cluster)
        manifest = (TREE / "examples" / "install" / "operator.yaml").read_text(encoding="utf-8")
        manifest = manifest.replace(f"image: {_SHIPPED_IMAGE}", f"image: {images.CONTROLLER_IMAGE}")
        more = "".join(f"\n            - {argument}" for argument in (f"--backend-url={backend_url}", *arguments))
        manifest = re.sub(r"\n            - --backend-url=\S+", more, manifest)
        self.cluster.kubectl("apply", "-f", "-", input=manifest)
        self.kubectl("rollout", "status", "deployment/scaledcache", "--timeout=120s")

    def install_chart(self, backend_url: str, *settings: str) -> None:
        """Builds and loads the image, installs the chart as a user does, and returns once it is ready.

        `settings` are further values, as in operator.replicaCount=2.
        """
        self.cluster.load_image(images.image_archive())
        repository, _, tag = images.CONTROLLER_IMAGE.rpartition(":")
        values = (f"image.repository={repository}", f"image.tag={tag}", f"backend.url={backend_url}", *settings)
        where = (f"--namespace={NAMESPACE}", "--create-namespace")
        flags = [f"--set={value}" for value in values]
        self.cluster.run([binary("helm"), "install", "scaledcache", TREE / "charts" / "scaledcache", *where, *flags])
        self.kubectl("rollout", "status", "deployment/scaledcache", "--timeout=120s")

    def use_backend(self, backend_url: str) -> None:
        """Points the operator at another store; a rolling restart, as for a user."""
        path = "/spec/template/spec/containers/0/args"
        args = ["controller", f"--backend-url={backend_url}"]
        patch = json.dumps([{"op": "replace", "path": path, "value": args}])
        self.kubectl("patch", "deployment", "scaledcache", "--type=json", f"--patch={patch}")
        self.kubectl("rollout", "status", "deployment/scaledcache", "--timeout=120s")

    def restart(self) -> None:
        """Deletes the pod and returns once its successor is ready."""
        self.kubectl("delete", "pod", "--selector=app.kubernetes.io/name=scaledcache", "--wait=true")
        self.kubectl("rollout", "status", "deployment/scaledcache", "--timeout=120s")

    def kubectl(self, *arguments: str) -> str:
        return self.cluster.kubectl(f"--namespace={NAMESPACE}", *arguments)

    def log(self) -> list[dict]:
        """The lines of the running container, decoded."""
        text = self.kubectl("logs", "deployment/scaledcache")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def explain_log(self) -> str:
        """What the operator's own binary says about the decisions in its log."""
        argv = ("exec", "-i", "deployment/scaledcache", "--", "/usr/local/bin/scaledcache", "explain", "--log", "-")
        return self.cluster.kubectl(
            f"--namespace={NAMESPACE}", *argv, input=self.kubectl("logs", "deployment/scaledcache"), check=False
        )

    def restarts(self) -> int:
        """How often the kubelet had to start the container again."""
        path = "--output=jsonpath={.items[*].status.containerStatuses[*].restartCount}"
        return sum(map(int, self.kubectl("get", "pods", path).split()))

    def metrics(self) -> dict[str, float]:
        """A scrape of /metrics: series, as written, to value."""
        ip = self.kubectl("get", "pods", "--output=jsonpath={.items[0].status.podIP}")
        argv = ["curl", "--silent", "--show-error", "--fail", "--max-time", "5", f"http://{ip}:8080/metrics"]
        lines = self.cluster.run(argv).stdout.splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[:1] != "#")}

    def writes(self, since: float = 0) -> list[str]:
        """What it wrote to the API server since that moment (seconds since 1970), as "verb URI"."""
        entries = audit.entries(self.cluster)
        return [f"{each.verb} {each.uri}" for each in entries if each.time >= since and each.verb in audit.WRITES]

    def memory(self) -> dict[str, int]:
        """Resident memory of the process in bytes, as the kernel counts it: all, and anonymous."""
        status = Path(f"/proc/{self.pid()}/status").read_text(encoding="utf-8")
        fields = dict(re.findall(r"^(Rss\w+|VmRSS):\s+(\d+) kB", status, re.MULTILINE))
        return {"resident": int(fields["VmRSS"]) * 1024, "anonymous": int(fields["RssAnon"]) * 1024}

    def started(self) -> float:
        """When the process started, in seconds since 1970."""
        stat = Path(f"/proc/{self.pid()}/stat").read_text(encoding="utf-8")
        ticks = int(stat.rpartition(")")[2].split()[19])
        boot = re.search(r"^btime (\d+)", Path("/proc/stat").read_text(encoding="utf-8"), re.MULTILINE)
        return int(boot[1]) + ticks / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Ends the process with SIGKILL; the kubelet starts the container again."""
        os.kill(self.pid(), signal.SIGKILL)

    def pid(self) -> int:
        """The process that runs the controller, as this machine numbers it."""
        for stat in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = stat.read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == b"/usr/local/bin/scaledcache" and words[1:2] == [b"controller"]:
                return int(stat.parent.name)
        raise LookupError("no process runs `scaledcache controller`")
