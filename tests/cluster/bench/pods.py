"""Single pods: a cache process that is killed under a ready pod, and a new pod with a short list."""

import os
import signal
import time
from pathlib import Path

from rig.errors import RigError
from rig.load import Clients
from rig.origin import Site
from rig.watch import Watch

from .figures import Figures, Kind
from .stage import HOST, Stage, say, wait_until, warmup

KILLED = "d. child killed"
FRESH = "e. new pod"

_SITE = Site(pages=60, capacity=400)
_SIZE = {"minReplicas": 3, "maxReplicas": 3}
_PATIENCE_S = 90

_OUT = {True: Kind("kill to out of the Service", "s", "≤ 8"), False: Kind("kill to out of the Service", "s", "≤ 15")}
_BACK = Kind("kill to warm and back", "s")
_GATE = Kind("ContainersReady to gate True, 60 URLs", "s", "≤ 3")


def kill_children(stage: Stage, variants: list[bool], figures: Figures, runs: int) -> None:
    """The child of varnishd killed in one pod of three after the other; a variant probes or does not."""
    stage.serve(_SITE)
    for probe in variants:
        # Slowly, for a cache that is full again within a second is out too shortly for the kubelet to tell.
        stage.begin(True, _spec(probe=probe, maxOriginRequestsPerSecond=15), _SITE.pages)
        with stage.load(30, Clients(_SITE.pages, zipf=0, host=HOST)):
            time.sleep(15)  # three scrapes: without probes only the metrics tell
            for run in range(runs):
                _kill_child(stage, probe, figures, run)


def _kill_child(stage: Stage, probe: bool, figures: Figures, run: int) -> None:
    variant = "probing" if probe else "not probing"
    pods = {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in stage.blog.pods()}
    name, uid = sorted(pods.items())[run % len(pods)]
    # Two lists, for kubectl prints a `range` once and then ends.
    path = "{.endpoints[*].targetRef.name}|{.endpoints[*].conditions.ready}"
    slices = Watch(stage.blog, "endpointslices", "", path, selector="kubernetes.io/service-name=varnish-burst")
    try:
        wait_until(lambda: slices.fields, 10)
        time.sleep(1.3 * run)  # a phase of its own against probes and scrapes
        os.kill(_cache_process(uid), signal.SIGKILL)
        killed = time.monotonic()
        out = _await(slices, killed, name, "false")
        back = None if out is None else _await(slices, killed + out, name, "true")
    finally:
        slices.stop()
    figures.add(KILLED, variant, _OUT[probe], out)
    figures.add(KILLED, variant, _BACK, None if back is None else round(out + back, 2))
    say(f"{KILLED} run {run + 1} {variant}: out after {out} s, back {back} s later")
    time.sleep(5)


def _await(slices: Watch, since: float, name: str, ready: str) -> float | None:
    """Seconds from `since` until the pod's endpoint was so; None if that did not come."""

    def holds(fields: list[str]) -> bool:
        return (name, ready) in zip(fields[0].split(), fields[1].split())

    wait_until(lambda: slices.first_after(since, holds), _PATIENCE_S)
    return slices.first_after(since, holds)


def start_pods(stage: Stage, figures: Figures, runs: int) -> None:
    """A pod deleted, and its successor watched from ContainersReady to the gate's opening."""
    stage.serve(_SITE)
    stage.begin(True, _spec(), _SITE.pages)
    time.sleep(5)
    for run in range(runs):
        with stage.watch_pods() as pods:
            wait_until(lambda: len(pods.ready()) == 3, 30)
            old = set(pods.now())
            stage.blog.kubectl("delete", "pod", sorted(old)[0], "--wait=false")
            wait_until(lambda: set(pods.now()) - old, 30)
            wait_until(lambda: set(pods.ready()) - old, _PATIENCE_S)
            new = next(iter(set(pods.now()) - old), "")
            containers = pods.first(new, lambda state: state.containers_ready == "True")
            opened = pods.first(new, lambda state: state.gate == "True")
            reason = pods.now()[new].reason if new else ""
        seconds = round(opened - containers, 2) if opened and containers else None
        figures.add(FRESH, "gated", _GATE, seconds)
        say(f"{FRESH} run {run + 1}: {seconds} s, {reason}")
        time.sleep(3)


def _spec(**settings) -> dict:
    paths = [f"/o/{number}" for number in range(_SITE.pages)]
    return _SIZE | {"warmup": warmup(paths=paths, **settings)}


def _cache_process(pod_uid: str) -> int:
    """The process id of varnishd's child in the pod: the one that has the cache."""
    for comm in Path("/proc").glob("[0-9]*/comm"):
        try:
            if comm.read_text().strip() == "cache-main" and pod_uid in (comm.parent / "cgroup").read_text():
                return int(comm.parent.name)
        except OSError:
            continue  # ended meanwhile
    raise RigError(f"no cache process in pod {pod_uid}")
