"""Undoes what a cluster made on this machine, from its record alone, however far it had come."""

import shutil
from pathlib import Path

from . import cgroups, network, node, sysctl
from .paths import REGISTRY
from .processes import stop
from .state import State, known


def tear_down(state: State) -> None:
    """Ends the cluster's processes and removes its cgroups, namespaces and folder.

    The node's mounts are in a namespace of their own, which goes with its last process.
    """
    kubelet = [process for process in state.processes if process.name == "kubelet"]
    # First, or it would start again what ends below.
    stop(kubelet, grace_s=3)
    stop(cgroups.members(state.cgroup), grace_s=0)
    stop(list(reversed(state.processes)), grace_s=0.5)
    stop(network.members(state.namespace), grace_s=1)
    cgroups.remove(state.cgroup)
    network.destroy(state.namespace)
    node.forget_folders()
    sysctl.restore(state.sysctls)
    state.forget()
    shutil.rmtree(state.folder, ignore_errors=True)


def keep_logs(state: State) -> Path:
    """Copies the servers' logs to where they outlive the cluster; returns the folder."""
    kept = Path("/var/tmp/sc-rig-logs") / state.name
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(state.folder / "logs", kept)
    return kept


def tear_down_stale() -> list[str]:
    """Tears down what killed rigs left on this machine; returns the names."""
    stale = [state for state in known() if state.is_stale()]
    for state in stale:
        tear_down(state)
    # A link whose folder somebody deleted leads nowhere.
    for link in REGISTRY.iterdir() if REGISTRY.is_dir() else ():
        if not link.exists():
            link.unlink(missing_ok=True)
    return [state.name for state in stale]
