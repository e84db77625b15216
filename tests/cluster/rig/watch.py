"""What happened in the cluster and when: objects followed by `kubectl get --watch`."""

import subprocess
import threading
import time
from collections import Counter
from dataclasses import dataclass

from .blog import FLEET, GATE, Blog


class Watch:
    """Follows one object by `kubectl get --watch`; keeps its lines with the times they came.

    The object has the name, or, with an empty name, is the only one that the selector finds.
    """

    def __init__(self, blog: Blog, kind: str, name: str, jsonpath: str, selector: str = ""):
        self.changes: list[tuple[float, list[str]]] = []
        which = name or f"--selector={selector}"
        argv = blog.cluster.kubectl_argv(
            f"--namespace={blog.namespace}", "get", kind, which, "--watch", f"--output=jsonpath={jsonpath}{{'\\n'}}"
        )
        self._process = blog.cluster.popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self._thread = threading.Thread(target=self._read, name=f"watch {kind}", daemon=True)
        self._thread.start()

    @property
    def fields(self) -> list[str]:
        return self.changes[-1][1] if self.changes else []

    def first_after(self, moment: float, holds) -> float | None:
        """Seconds from `moment` to the first change at or after it for which `holds(fields)`."""
        for at, fields in self.changes:
            if at >= moment and holds(fields):
                return round(at - moment, 2)
        return None

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._thread.join()
        self._process.stdout.close()

    def _read(self) -> None:
        for line in self._process.stdout:
            self.changes.append((time.monotonic(), line.rstrip("\n").split("|")))


@dataclass(frozen=True)
class PodState:
    """A pod as it was from the moment `at` on. Conditions are "True", "False" or ""."""

    at: float
    name: str
    containers_ready: str
    gate: str
    reason: str  # of the gate
    ready: str
    gate_type: str  # of the pod's first readiness gate, "" for none
    gone: bool

    @property
    def phase(self) -> str:
        """starting, ungated, cold, warming, warm, open (without a proof of warmth) or draining."""
        if self.containers_ready != "True":
            return "starting"
        if self.gate_type != GATE:
            return "ungated"
        if self.gate == "True":
            return "warm" if self.reason == "CacheWarm" else "open"
        return {"Warming": "warming", "Draining": "draining"}.get(self.reason, "cold")


class PodWatch:
    """Follows the fleet's pods; `states` grows, in order, while it runs."""

    _PATH = "|".join(
        (
            "{.type}",
            "{.object.metadata.name}",
            "{.object.status.conditions[?(@.type=='ContainersReady')].status}",
            f"{{.object.status.conditions[?(@.type=='{GATE}')].status}}",
            f"{{.object.status.conditions[?(@.type=='{GATE}')].reason}}",
            "{.object.status.conditions[?(@.type=='Ready')].status}",
            "{.object.spec.readinessGates[0].conditionType}",
        )
    )

    def __init__(self, blog: Blog, label: str = f"app={FLEET}"):
        self.states: list[PodState] = []
        argv = blog.cluster.kubectl_argv(
            f"--namespace={blog.namespace}",
            "get",
            "pods",
            f"--selector={label}",
            "--watch",
            "--output-watch-events",
            f"--output=jsonpath={self._PATH}{{'\\n'}}",
        )
        self._process = blog.cluster.popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self._thread = threading.Thread(target=self._read, name="watch pods", daemon=True)
        self._thread.start()

    def __enter__(self) -> "PodWatch":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._thread.join()
        self._process.stdout.close()

    def now(self) -> dict[str, PodState]:
        """The pods that are there, each in its newest state."""
        newest = {state.name: state for state in list(self.states)}
        return {name: state for name, state in newest.items() if not state.gone}

    def ready(self) -> list[str]:
        return [name for name, state in self.now().items() if state.ready == "True"]

    def phases(self) -> dict[str, int]:
        """How many pods are in each phase."""
        return dict(Counter(state.phase for state in self.now().values()))

    def first(self, name: str, holds, after: float = 0) -> float | None:
        """When the pod first was in a state for which `holds(state)`, not before `after`."""
        return next(
            (state.at for state in list(self.states) if state.name == name and state.at >= after and holds(state)), None
        )

    def _read(self) -> None:
        for line in self._process.stdout:
            kind, *fields = line.rstrip("\n").split("|")
            if len(fields) == 6:
                self.states.append(PodState(time.monotonic(), *fields, gone=kind == "DELETED"))
