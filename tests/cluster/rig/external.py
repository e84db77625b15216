"""A cluster of the user's own in place of the rig's.

`SCALEDCACHE_TEST_KUBECONFIG` names its kubeconfig, or `KUBECONFIG` with
`SCALEDCACHE_TEST_CONTEXT`, which names the context and shows that the cluster is really meant.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .binaries import binary
from .errors import RigError


class External:
    """The user's cluster; what a test makes there lies in namespaces that `clean_up` deletes."""

    def __init__(self, kubeconfig: Path, context: str | None):
        self.kubeconfig = kubeconfig
        self.context = context
        self._spaces: set[str] = set()
        self._forwards: dict[tuple[str, str, int], tuple[str, subprocess.Popen]] = {}

    def kubectl(self, *arguments: str) -> list[str]:
        """The command line of kubectl for this cluster."""
        program = shutil.which("kubectl") or str(binary("kubectl"))
        context = [f"--context={self.context}"] if self.context else []
        return [program, f"--kubeconfig={self.kubeconfig}", *context, *arguments]

    def check(self) -> None:
        """Raises RigError unless the cluster answers."""
        argv = self.kubectl("get", "--raw=/readyz")
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RigError(f"the cluster of {self.kubeconfig} does not answer: {done.stderr.strip()}")


    def space(self, name: str) -> str:
        """The namespace for what a test calls `name`."""
        own = f"scaledcache-test-{os.getpid()}-{name}"
        self._spaces.add(own)
        return own

    def forward(self, namespace: str, service: str, port: int) -> str:
        """A local address that leads to one pod of the Service until `clean_up`."""
        key = (namespace, service, port)
        if key not in self._forwards:
            where = (f"--namespace={namespace}", f"service/{service}", f":{port}")
            argv = self.kubectl("port-forward", "--address=127.0.0.1", *where)
            process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
            first = process.stdout.readline()
            local = re.search(r"127\.0\.0\.1:\d+", first)
            if not local:
                process.kill()
                raise RigError(f"{' '.join(argv)} said {first!r}")
            self._forwards[key] = (f"http://{local[0]}", process)
        return self._forwards[key][0]

    def clean_up(self) -> None:
        """Ends the forwards and deletes the namespaces."""
        for _, process in self._forwards.values():
            process.terminate()
            process.wait()
        self._forwards.clear()
        if self._spaces:
            argv = self.kubectl("delete", "namespace", "--ignore-not-found", *sorted(self._spaces))
            subprocess.run(argv, capture_output=True, check=False)


def from_environment() -> External | None:
    """The user's cluster, or None if the environment names none."""
    context = os.environ.get("SCALEDCACHE_TEST_CONTEXT")
    kubeconfig = os.environ.get("SCALEDCACHE_TEST_KUBECONFIG")
    if not kubeconfig and context:
        kubeconfig = os.environ.get("KUBECONFIG", str(Path.home() / ".kube" / "config"))
    if not kubeconfig:
        return None
    path = Path(kubeconfig)
    if not path.is_file():
        raise RigError(f"kubeconfig {kubeconfig}: there is no such file")
    return External(path.resolve(), context)
