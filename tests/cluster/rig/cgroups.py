"""The control groups of a cluster's pods: a root of their own, so that nothing else is touched.

In cgroup v1 every controller has a hierarchy of its own below /sys/fs/cgroup; in v2 there is one.
"""

import os
import time
from pathlib import Path

from .processes import Process, identify

_TOP = Path("/sys/fs/cgroup")


def create(name: str) -> None:
    """Makes the group `name` in every hierarchy, for the kubelet wants to find its root there."""
    for hierarchy in _hierarchies():
        _pass_controllers_on(hierarchy)
        group = hierarchy / name
        group.mkdir(exist_ok=True)
        # A new group of the cpuset controller of v1 has no CPUs, and then no process may enter.
        for setting in ("cpuset.cpus", "cpuset.mems"):
            if (group / setting).exists() and hierarchy != _TOP:
                (group / setting).write_text((hierarchy / setting).read_text("utf-8"), "utf-8")
        # All pods together would else count as much as one process of the machine, and a pod that
        # serves would stand still while the node starts others.
        for setting, default in (("cpu.shares", 1024), ("cpu.weight", 100)):
            if (group / setting).exists():
                (group / setting).write_text(str(16 * default), "utf-8")


def members(name: str) -> list[Process]:
    """The processes in the group and below, in any hierarchy."""
    pids = set()
    for group in _groups(name):
        try:
            pids.update((group / "cgroup.procs").read_text("utf-8").split())
        except OSError:
            # The group went away meanwhile.
            continue
    processes = (identify("pod", int(pid)) for pid in pids)
    return [process for process in processes if process]


def remove(name: str) -> None:
    """Removes the groups, once their processes are gone."""
    for group in _groups(name):
        _remove(group)


def _hierarchies() -> list[Path]:
    if (_TOP / "cgroup.controllers").exists():
        return [_TOP]
    return [path for path in _TOP.iterdir() if path.is_dir() and not path.is_symlink()]


def _pass_controllers_on(hierarchy: Path) -> None:
    """In v2 a group has those controllers only that its parent passes on."""
    available = hierarchy / "cgroup.controllers"
    for controller in available.read_text("utf-8").split() if available.exists() else ():
        try:
            (hierarchy / "cgroup.subtree_control").write_text(f"+{controller}", "utf-8")
        except OSError:
            # The kubelet names those that it misses.
            continue


def _groups(name: str) -> list[Path]:
    """The group and those below in all hierarchies, the deepest first."""
    found = [Path(top) for each in _hierarchies() for top, _, _ in os.walk(each / name)]
    return sorted(found, key=lambda path: len(path.parts), reverse=True)


def _remove(group: Path) -> None:
    """Tries for a while: the kernel frees a group a moment after its last process has ended."""
    for _ in range(50):
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.05)
