"""A test cluster from the first process to the last: `with Cluster(mode="full") as cluster: …`.

fast: etcd, API server and controller manager; pods exist but nobody runs them. Several at once.
full: a node as well, with containerd, kubelet, kube-proxy and DNS. One per machine.
A cluster of one's own takes their place when the environment names it: see external.py.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from . import binaries, certificates, cgroups, control_plane, external, images, network, node, sysctl
from .errors import RigError
from .paths import CLUSTER_DIR, check_name, state_dir
from .processes import identify
from .servers import AHEAD, Servers
from .state import State, find, known, registry_lock
from .teardown import keep_logs, tear_down, tear_down_stale

_SHORTEST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 0.5


class Cluster:
    """One cluster. As a context manager it is up inside the block and leaves nothing behind.

    `wait_s` is how long a full cluster waits for another one on this machine to go.
    All methods are for one thread, but `run` and `popen` may be called from any.
    """

    def __init__(
        self,
        mode: str = "fast",
        name: str | None = None,
        state: str | os.PathLike | None = None,
        wait_s: float = 900,
    ):
        if mode not in ("fast", "full"):
            raise RigError(f"mode {mode!r}: known are fast and full")
        name = check_name(name or f"{mode}-{os.getpid()}-{id(self) % 1000}")
        self._external = external.from_environment()
        self._state = State(name, mode, state_dir(name, state))
        self._wait_s = wait_s
        self._keeper: subprocess.Popen | None = None
        self._servers = Servers(self._state)

    @classmethod
    def attach(cls, name: str) -> "Cluster":
        """The running cluster `name`, brought up by somebody else."""
        found = find(name)
        if not found:
            names = ", ".join(state.name for state in known()) or "none"
            raise RigError(f"no cluster is called {name!r}; there are: {names}")
        cluster = cls(found.mode, name, found.folder)
        cluster._state = found
        cluster._servers = Servers(found)
        return cluster

    @property
    def name(self) -> str:
        return self._state.name

    @property
    def folder(self) -> Path:
        """The state folder: logs, keys, sockets. It goes with the cluster."""
        return self._state.folder

    @property
    def kubeconfig(self) -> Path:
        """An administrator's kubeconfig; its server is reachable by `run` and `popen` only."""
        return self._external.kubeconfig if self._external else self._state.admin_kubeconfig

    @property
    def is_external(self) -> bool:
        """Whether this is a cluster of the user's own."""
        return self._external is not None

    def __enter__(self) -> "Cluster":
        self.up(owned=True)
        return self

    def __exit__(self, *_) -> None:
        self.down()

    def up(self, owned: bool = False) -> None:
        """Brings the cluster up. If `owned`, it goes when this process ends, however it ends."""
        if self._external:
            self._external.check()
            return
        if os.geteuid() != 0:
            raise RigError("the test clusters need root, for namespaces, mounts and containers")
        binaries.build(self._state.mode)
        archives = images.node_images() if self._state.mode == "full" else []
        self._claim(owned)
        try:
            self._start(archives)
            if not owned:
                self._state.owner = None
                self._state.save()
        except BaseException:
            print(f"rig: logs kept in {keep_logs(self._state)}", file=sys.stderr)
            self.down()
            raise

    def down(self) -> None:
        """Ends the cluster and removes every trace of it; a second call does nothing."""
        if self._external:
            self._external.clean_up()
            return
        tear_down(self._state)
        self._servers.reap()
        if self._keeper:
            self._keeper.stdin.close()
            self._keeper.wait()
            self._keeper = None

    def run(self, argv: list[str], check: bool = True, **options) -> subprocess.CompletedProcess:
        """Runs a command where the cluster can be reached; `options` are those of subprocess.run.

        Output is captured as text. A failure raises RigError with the output, unless not `check`.
        """
        settings = {"capture_output": True, "text": True, "env": self._environment()} | options
        done = subprocess.run(self._inside(argv), check=False, **settings)
        if check and done.returncode != 0:
            output = f"{done.stdout or ''}{done.stderr or ''}".strip()
            raise RigError(f"{' '.join(map(str, argv))} ended with {done.returncode}: {output}")
        return done

    def popen(self, argv: list[str], first: bool = False, **options) -> subprocess.Popen:
        """Starts a command where the cluster can be reached. It ends with the cluster at the latest.

        `first` puts it ahead of other work on the machine. `pid` is the command's own; `options`
        are those of subprocess.Popen.
        """
        words = self._inside([*(AHEAD if first else ()), *argv])
        return subprocess.Popen(words, **({"env": self._environment()} | options))

    def kubectl(self, *arguments: str, check: bool = True, **options) -> str:
        """Runs kubectl as the administrator and returns what it printed."""
        return self.run(self.kubectl_argv(*arguments), check, **options).stdout

    def kubectl_argv(self, *arguments: str) -> list[str]:
        """The command line of kubectl as the administrator, to be given to `run` or `popen`."""
        if self._external:
            return self._external.kubectl(*arguments)
        return [str(binaries.binary("kubectl")), f"--kubeconfig={self.kubeconfig}", *arguments]

    def space(self, name: str) -> str:
        """The Kubernetes namespace that a test calls `name`; a user's cluster gets an own prefix."""
        return self._external.space(name) if self._external else name

    def service_url(self, namespace: str, service: str, port: int) -> str:
        """Where `run` and `popen` reach a Service, as http://host:port."""
        if self._external:
            return self._external.forward(namespace, service, port)
        where = (f"--namespace={namespace}", "--output=jsonpath={.spec.clusterIP}")
        return f"http://{self.kubectl('get', 'service', service, *where)}:{port}"

    def load_image(self, archive: Path) -> None:
        """Gives the node the images of a docker archive, as images.image_archive() makes them."""
        if self._external:
            raise RigError(f"{archive.name}: load it into your cluster yourself (kind load …)")
        images.load(node.socket(self.folder), archive)

    def wait_for(self, what: str, condition, timeout_s: float = 60):
        """Calls `condition` until it returns something true, and returns that.

        Raises RigError that says `what` did not come; an error of the condition counts as not yet.
        """
        began = time.monotonic()
        last = ""
        while True:
            try:
                if found := condition():
                    return found
            except RigError as error:
                last = f"; last: {error}"
            waited = time.monotonic() - began
            if waited > timeout_s:
                raise RigError(f"{what}: not within {timeout_s:.0f} s{last}")
            self._servers.check()
            # A look often is a run of kubectl, which takes a core for a tenth of a second.
            time.sleep(min(max(waited / 10, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S))

    def _environment(self) -> dict[str, str]:
        return os.environ | {"KUBECONFIG": str(self.kubeconfig)}

    def _inside(self, argv: list[str]) -> list[str]:
        words = [str(word) for word in argv]
        return words if self._external else network.enter(self._state.namespace, words)

    def _claim(self, owned: bool) -> None:
        """Takes the name, and for a full cluster the machine, once killed rigs are cleaned up."""
        self._state.owner = identify("owner", os.getpid())
        deadline = time.monotonic() + self._wait_s
        while True:
            with registry_lock():
                for name in tear_down_stale():
                    print(f"rig: removed what cluster {name} had left behind", file=sys.stderr)
                if find(self.name):
                    raise RigError(f"cluster {self.name} is up: `rig.py down --name {self.name}`")
                full = self._state.mode == "full"
                other = _other_full_cluster() if full else None
                if not other:
                    # A fast cluster has no kubelet to change them, and must not put back old ones.
                    self._state.sysctls = sysctl.read(node.SYSCTLS) if full else {}
                    self._state.save()
                    break
            if time.monotonic() > deadline:
                raise RigError(f"the full cluster {other} is up, and there can be one at a time")
            time.sleep(1)
        if owned:
            self._start_keeper()

    def _start(self, archives: list[Path]) -> None:
        (self.folder / "logs").mkdir()
        network.create(self._state.namespace)
        full = self._state.mode == "full"
        pki = self.folder / "pki"
        certificates.create(pki, full)
        self._servers.start("etcd", control_plane.etcd(self.folder))
        self._servers.start("kube-apiserver", control_plane.api_server(pki))
        if full:
            cgroups.create(self._state.cgroup)
            self._servers.start("mounts", node.mounts(self.folder))
            self.wait_for("the node's mounts", lambda: node.mounts_ready(self.folder))
            self._servers.start_on_node("containerd", node.containerd(self.folder))
            self.wait_for("containerd", lambda: node.socket(self.folder).exists())
            for archive in archives:
                self.load_image(archive)
        self.wait_for("the API server", lambda: self.kubectl("get", "--raw=/readyz"))
        managed = binaries.has_controller_manager(self._state.mode)
        if managed:
            self._servers.start("kube-controller-manager", control_plane.controller_manager(pki))
        if full:
            self._start_node(pki)
        if managed:
            account = ("get", "serviceaccount", "default", "--output=name")
            self.wait_for("the default ServiceAccount", lambda: self.kubectl(*account))

    def _start_node(self, pki: Path) -> None:
        self._servers.start("kube-scheduler", control_plane.scheduler(pki))
        kubelet = node.kubelet(self.folder, self._state.cgroup)
        self._servers.start_on_node("kubelet", kubelet)
        self._servers.start("kube-proxy", node.kube_proxy(self.folder))
        self._servers.start("coredns", node.coredns(self.folder))
        ready = "--output=jsonpath={.status.conditions[?(@.type=='Ready')].status}"
        self.wait_for(
            "a Ready node",
            lambda: self.kubectl("get", "node", certificates.NODE, ready) == "True",
        )

    def _start_keeper(self) -> None:
        """Starts the process that tears the cluster down when this one dies and cannot."""
        argv = [sys.executable, str(CLUSTER_DIR / "rig.py"), "keep", "--name", self.name]
        self._keeper = subprocess.Popen(argv, stdin=subprocess.PIPE, start_new_session=True)


def _other_full_cluster() -> str | None:
    return next((state.name for state in known() if state.mode == "full"), None)
