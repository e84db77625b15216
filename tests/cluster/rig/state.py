"""The record of a cluster on disk, written before each thing is made, so that it can be undone.

It holds what `down` needs after the process that started the cluster was killed.
"""

import fcntl
import json
import os
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .paths import REGISTRY
from .processes import Process, is_alive

_FILE = "state.json"


@dataclass
class State:
    """What a cluster has made on this machine. `owner` is whose end also ends the cluster."""

    name: str
    mode: str
    folder: Path
    owner: Process | None = None
    processes: list[Process] = field(default_factory=list)
    sysctls: dict[str, str] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        """The network namespace."""
        return f"sc-{self.name}"

    @property
    def cgroup(self) -> str:
        """The group, in each hierarchy, that all pods of the cluster are under."""
        return f"sc-{self.name}"

    @property
    def admin_kubeconfig(self) -> Path:
        return self.folder / "pki" / "admin.kubeconfig"

    def is_stale(self) -> bool:
        """Whether nobody can be using the cluster any more."""
        if self.owner:
            return not is_alive(self.owner)
        return not any(is_alive(process) for process in self.processes)

    def save(self) -> None:
        """Writes the record and lists the cluster in the registry."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self) | {"folder": str(self.folder)}, indent=1)
        unfinished = self.folder / f"{_FILE}.unfinished"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.rename(self.folder / _FILE)
        REGISTRY.mkdir(parents=True, exist_ok=True)
        link = REGISTRY / self.name
        if not link.is_symlink() or Path(os.readlink(link)) != self.folder:
            link.unlink(missing_ok=True)
            link.symlink_to(self.folder)

    def forget(self) -> None:
        """Takes the cluster out of the registry; the folder is the caller's to delete."""
        (REGISTRY / self.name).unlink(missing_ok=True)


def load(folder: Path) -> State | None:
    """The record in `folder`, or None if there is none."""
    try:
        raw = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    raw["folder"] = Path(raw["folder"])
    raw["owner"] = Process(**raw["owner"]) if raw["owner"] else None
    raw["processes"] = [Process(**process) for process in raw["processes"]]
    return State(**raw)


def known() -> list[State]:
    """The clusters of this machine, stale ones included."""
    links = sorted(REGISTRY.iterdir()) if REGISTRY.is_dir() else []
    states = (load(Path(os.readlink(link))) for link in links)
    return [state for state in states if state]


@contextmanager
def registry_lock():
    """Holds the registry, so that two rigs do not take the same name, or the machine, at once."""
    REGISTRY.mkdir(parents=True, exist_ok=True)
    with open(REGISTRY.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def find(name: str) -> State | None:
    """The cluster called `name`, if this machine has one."""
    link = REGISTRY / name
    return load(Path(os.readlink(link))) if link.is_symlink() else None
