"""The operator's webhook on a full cluster: switched on, asked, hung up, its certificate rotated."""

import json
import os
import signal
import time
from contextlib import contextmanager

from .blog import FLEET, GATE, Blog
from .operator import Operator
from .paths import TREE

_SECRET = "scaledcache-webhook"
_ROTATE = "scaledcache.io/rotate"
_CONFIGURATION = "mutatingwebhookconfiguration/scaledcache-webhook"


class Webhook:
    """What examples/install/webhook.yaml installs, for the blog's namespace."""

    def __init__(self, blog: Blog, operator: Operator):
        self._blog = blog
        self._operator = operator

    def switch_on(self) -> None:
        """As examples/install/webhook.yaml says; returns once the API server is told whom to trust."""
        self._blog.cluster.kubectl("apply", "-f", str(TREE / "examples" / "install" / "webhook.yaml"))
        self._operator.kubectl("set", "env", "deployment/scaledcache", "SCALEDCACHE_WEBHOOK_ADDRESS=0.0.0.0:9443")
        self._operator.kubectl("rollout", "status", "deployment/scaledcache", "--timeout=120s")
        self._blog.cluster.kubectl("label", "namespace", self._blog.namespace, "scaledcache.io/inject=enabled", "--overwrite")
        bundle = "--output=jsonpath={.webhooks[0].clientConfig.caBundle}"
        self._blog.cluster.wait_for(
            "a caBundle", lambda: self._blog.cluster.kubectl("get", _CONFIGURATION, bundle), timeout_s=60
        )

    def admit(self) -> tuple[bool, float]:
        """Lets the API server admit a pod of the fleet and forget it: whether it got the gate, seconds."""
        began = time.monotonic()
        container = {"name": "varnish", "image": "none"}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"generateName": "asked-", "namespace": self._blog.namespace, "labels": {"app": FLEET}},
            "spec": {"containers": [container]},
        }
        path = "--output=jsonpath={.spec.readinessGates[*].conditionType}"
        argv = ("create", "--dry-run=server", "-f", "-", path)
        answer = self._blog.cluster.kubectl(*argv, input=json.dumps(pod))
        return GATE in answer.split(), time.monotonic() - began

    def await_gate(self) -> None:
        """Returns once pods of the fleet get the gate."""
        self._blog.cluster.wait_for("a gate on a new pod", lambda: self.admit()[0], timeout_s=60)

    def rotate(self, what: str, timeout_s: float = 180) -> None:
        """Has the certificate ("leaf") or its authority ("ca") made anew; returns once that is done."""
        self._operator.kubectl("annotate", "secret", _SECRET, f"{_ROTATE}={what}", "--overwrite")
        escaped = _ROTATE.replace(".", "\\.")
        path = f"--output=jsonpath={{.metadata.annotations.{escaped}}}"
        self._blog.cluster.wait_for(
            f"a new {what}", lambda: self._operator.kubectl("get", "secret", _SECRET, path) == "", timeout_s
        )

    @contextmanager
    def hanging(self):
        """While it lasts, the operator accepts connections and does nothing with them."""
        pid = self._operator.pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    @contextmanager
    def away(self):
        """While it lasts, no operator runs."""
        self._operator.kubectl("scale", "deployment/scaledcache", "--replicas=0")
        pods = ("get", "pods", "--selector=app.kubernetes.io/name=scaledcache", "--output=name")
        self._blog.cluster.wait_for("the operator's end", lambda: not self._operator.kubectl(*pods))
        try:
            yield
        finally:
            self._operator.kubectl("scale", "deployment/scaledcache", "--replicas=1")
            self._operator.kubectl("rollout", "status", "deployment/scaledcache", "--timeout=120s")
