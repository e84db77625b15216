"""The private network namespace of a cluster: a bridge with the node's address, no route out."""

import subprocess
from pathlib import Path

from .errors import RigError
from .processes import Process, identify

NODE_ADDRESS = "10.244.0.1"
POD_RANGE = "10.244.0.0/24"
SERVICE_RANGE = "10.96.0.0/16"
API_SERVICE_ADDRESS = "10.96.0.1"


def create(namespace: str) -> None:
    """Makes the namespace, ready for a node: bridge, addresses, routes, kernel settings."""
    _ip("netns", "add", namespace)
    inside = ("-n", namespace)
    _ip(*inside, "link", "set", "lo", "up")
    _ip(*inside, "link", "add", "cni0", "type", "bridge")
    _ip(*inside, "addr", "add", f"{NODE_ADDRESS}/24", "dev", "cni0")
    _ip(*inside, "link", "set", "cni0", "up")
    # Without a default route the kernel refuses a Service address before kube-proxy's rules see it.
    _ip(*inside, "route", "add", SERVICE_RANGE, "dev", "cni0")
    settings = [
        "net.ipv4.ip_forward=1",
        # Ports that servers of the cluster listen on must not be taken by a load's connections.
        "net.ipv4.ip_local_port_range=10000 60999",
        "net.ipv4.tcp_tw_reuse=1",
    ]
    if bridge_is_filtered():
        settings.append("net.bridge.bridge-nf-call-iptables=1")
    _check(enter(namespace, ["sysctl", "-q", "-w", *settings]))


def destroy(namespace: str) -> None:
    """Removes the namespace; one that is not there is no error."""
    if _path(namespace).exists():
        _ip("netns", "delete", namespace)


def enter(namespace: str, argv: list[str]) -> list[str]:
    """The command line that runs `argv` inside; `ip netns exec` would remount /sys, this does not."""
    return ["nsenter", f"--net={_path(namespace)}", "--", *argv]


def members(namespace: str) -> list[Process]:
    """The processes that are in the namespace now."""
    if not _path(namespace).exists():
        return []
    found = _ip("netns", "pids", namespace).split()
    processes = (identify("member", int(pid)) for pid in found)
    return [process for process in processes if process]


def bridge_is_filtered() -> bool:
    """Whether packets between two pods pass iptables, which Service addresses then rely on."""
    switch = Path("/proc/sys/net/bridge/bridge-nf-call-iptables")
    if not switch.exists():
        subprocess.run(["modprobe", "br_netfilter"], capture_output=True, check=False)
    return switch.exists()


def _path(namespace: str) -> Path:
    return Path("/run/netns") / namespace


def _ip(*arguments: str) -> str:
    return _check(["ip", *arguments])


def _check(argv: list[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RigError(f"{' '.join(argv)}: {done.stderr.strip()}")
    return done.stdout
