"""Processes by id and start time, so that a reused id is never mistaken for ours."""

import os
import signal
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Process:
    """A process of this machine; `started` is its start in clock ticks since boot."""

    name: str
    pid: int
    started: int


def identify(name: str, pid: int) -> Process | None:
    """The process with this id under the name `name`, or None if it is gone."""
    started = _start_ticks(pid)
    return None if started is None else Process(name, pid, started)


def is_alive(process: Process) -> bool:
    return _start_ticks(process.pid) == process.started


def stop(processes: list[Process], grace_s: float) -> None:
    """Asks the processes to end; those that have not after `grace_s` seconds are made to."""
    _signal(processes, signal.SIGTERM)
    if not _wait_gone(processes, grace_s):
        _signal(processes, signal.SIGKILL)
        _wait_gone(processes, 5.0)


def _start_ticks(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            # The second field is the program's name in brackets and may hold anything.
            fields = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # A zombie has ended: whoever is its parent may take seconds to reap it.
    return None if fields[0] == "Z" else int(fields[19])


def _signal(processes: list[Process], number: signal.Signals) -> None:
    for process in processes:
        if is_alive(process):
            try:
                os.kill(process.pid, number)
            except ProcessLookupError:
                pass


def _wait_gone(processes: list[Process], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(is_alive(process) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
