#!/usr/bin/env python3
"""Writes tests/cache/headers/NAME.txt: what each real cache says about hits and misses.

Starts the origin and one cache after the other on loopback, asks for pages that are new, kept, old,
expired and never to be kept, and keeps the head of each answer. The table tests of the reader of
these headers (tests/cache) take them from there. Needs the packages that rig/caches.py names; what
is not installed is left as it is.
"""

import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rig import RigError, caches
from rig.origin import Origin
from rig.paths import TREE

# What is asked for, in this order: name, pause before it in seconds, options of curl, path.
STEPS = (
    ("miss", 0, (), "/o/1"),
    ("hit", 0, (), "/o/1"),
    ("hit, older than a second", 1.2, (), "/o/1"),
    ("hit by HEAD", 0, ("--head",), "/o/1"),
    ("miss of no-store", 0, (), "/no-store"),
    ("no-store again", 0, (), "/no-store"),
    ("miss of private", 0, (), "/private"),
    ("private again", 0, (), "/private"),
    ("miss of Set-Cookie", 0, (), "/set-cookie"),
    ("Set-Cookie again", 0, (), "/set-cookie"),
    ("miss of Vary *", 0, (), "/vary-any"),
    ("Vary * again", 0, (), "/vary-any"),
    ("miss of a page kept for a second", 0, (), "/short"),
    ("the same after its time", 2.2, (), "/short"),
    ("and at once again", 0.3, (), "/short"),
    ("miss of what is not there", 0, (), "/o/99999"),
    ("not there again", 0, (), "/o/99999"),
)


def main() -> int:
    folder = TREE / "tests" / "cache" / "headers"
    folder.mkdir(parents=True, exist_ok=True)
    names = sys.argv[1:] or list(caches.PACKAGES)
    with Origin.on_this_machine() as origin:
        for name in names:
            if not caches.program(name):
                print(f"{name}: package {caches.PACKAGES[name]} is not installed", file=sys.stderr)
                continue
            (folder / f"{name}.txt").write_text(_record(name, origin.address), encoding="utf-8")
            print(f"{name}: recorded")
    return 0


def _record(name: str, origin: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        place = caches.Place(Path(folder), "127.0.0.1", _free_port(), origin)
        start = caches.command(name, place)
        with open(Path(folder) / "output", "w", encoding="utf-8") as output:
            process = subprocess.Popen(start.argv, env=start.environment, stdout=output, stderr=output)
        try:
            _await_listener(process, place)
            blocks = [f"# {_version(name)}, with the configuration in tests/cluster/rig/caches.py.\n"]
            for step, pause, options, path in STEPS:
                time.sleep(pause)
                blocks.append(f"## {step}: {path}\n{_head(place, options, path)}\n")
        except RigError as error:
            raise RigError(f"{name}: {error}\n{(Path(folder) / 'output').read_text('utf-8')}") from None
        finally:
            process.terminate()
            process.wait()
    return "\n".join(blocks)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def _await_listener(process: subprocess.Popen, place: caches.Place) -> None:
    for _ in range(300):
        if process.poll() is not None:
            raise RigError(f"ended with {process.returncode}")
        try:
            if _head(place, (), "/healthz").split()[1] == "200":
                return
        except (RigError, IndexError):
            pass
        time.sleep(0.1)
    raise RigError("does not answer")


def _head(place: caches.Place, options: tuple[str, ...], path: str) -> str:
    """The status line and the headers of the answer, as they came but for line ends."""
    what = ("--silent", "--show-error", "--include", "--http1.1", "--max-time", "5", "--noproxy", "*")
    who = ("--header", "Host: www.example.com", "--user-agent", "recorder")
    url = f"http://{place.host}:{place.port}{path}"
    done = subprocess.run(["curl", *what, *who, *options, url], capture_output=True, check=False)
    if done.returncode != 0:
        raise RigError(done.stderr.decode(errors="replace").strip())
    head = done.stdout.split(b"\r\n\r\n", 1)[0].decode("latin-1").replace("\r\n", "\n")
    return re.sub(r"(127\.0\.0\.1|cache):\d{4,5}", "cache:80", head) + "\n"


def _version(name: str) -> str:
    package = caches.PACKAGES[name]
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=True)
    return f"{package} {done.stdout} of Debian 12"


if __name__ == "__main__":
    sys.exit(main())
