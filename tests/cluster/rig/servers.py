"""The servers of a cluster: each with a log of its own, each in the record."""

import subprocess
from pathlib import Path

from . import network, node
from .errors import RigError
from .processes import identify, is_alive
from .state import State

# Else a compiler that runs beside the cluster decides how fast the cluster seems.
AHEAD = ("nice", "--adjustment=-10")


class Servers:
    """Starts the servers of the cluster with this record, and notices when one has ended."""

    def __init__(self, state: State):
        self._state = state
        self._children: list[subprocess.Popen] = []

    def start(self, name: str, argv: list[str]) -> None:
        """Starts a server in the cluster's network."""
        with open(self._log(name), "ab") as log:
            child = subprocess.Popen(
                network.enter(self._state.namespace, [*AHEAD, *argv]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A Ctrl-C at the terminal is for us, who end the servers in order.
                start_new_session=True,
            )
        self._children.append(child)
        process = identify(name, child.pid)
        if process:
            self._state.processes.append(process)
            self._state.save()

    def start_on_node(self, name: str, argv: list[str]) -> None:
        """Starts a server that also sees the node's mounts."""
        holder = next(each for each in self._state.processes if each.name == "mounts")
        self.start(name, node.inside_mounts(holder.pid, argv))

    def check(self) -> None:
        """Raises RigError with the end of its log if a server has ended."""
        for process in self._state.processes:
            if not is_alive(process):
                raise RigError(f"{process.name} has ended; {_tail(self._log(process.name))}")

    def reap(self) -> None:
        """Waits for those of the servers that are this process's children and are ending."""
        for child in self._children:
            child.wait()
        self._children.clear()

    def _log(self, name: str) -> Path:
        return self._state.folder / "logs" / f"{name}.log"


def _tail(log: Path, lines: int = 5) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return "it wrote nothing"
    return "the end of its log:\n  " + "\n  ".join(text.strip().splitlines()[-lines:])
