"""Where things lie: the tree, the cache that outlives clusters, the state of each cluster."""

import os
import re
from pathlib import Path

from .errors import RigError

CLUSTER_DIR = Path(__file__).resolve().parent.parent
TREE = CLUSTER_DIR.parent.parent
BINARIES_DIR = CLUSTER_DIR / "binaries"
IMAGES_DIR = CLUSTER_DIR / "images"
MANIFESTS_DIR = CLUSTER_DIR / "manifests"

# One link per cluster, named like it, to its state folder: what `status` lists.
REGISTRY = Path("/run/scaledcache-rig")

# A socket's path may have 107 bytes, and containerd and the kubelet add to ours.
_MAX_STATE_PATH = 50


def cache_dir() -> Path:
    """The folder for what is built once and kept; `XDG_CACHE_HOME` moves it."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "scaledcache"


def program() -> Path:
    """The `scaledcache` that tests run as a process: that of `SCALEDCACHE_TEST_BINARY`, else of preset dev."""
    return Path(os.environ.get("SCALEDCACHE_TEST_BINARY", TREE / "build" / "dev" / "scaledcache"))


def check_name(name: str) -> str:
    """Returns `name` if a cluster may be called so: it becomes part of paths and of a namespace."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,19}", name):
        raise RigError(
            f"cluster name {name!r}: 1 to 20 of a-z, 0-9 and '-' are allowed, no '-' in front"
        )
    return name


def state_dir(name: str, chosen: str | os.PathLike | None = None) -> Path:
    """The state folder of the cluster `name`: `chosen`, or a short path of our own."""
    path = Path(chosen).resolve() if chosen else Path("/var/tmp/sc-rig") / name
    if len(str(path)) > _MAX_STATE_PATH:
        raise RigError(
            f"state folder {path}: at most {_MAX_STATE_PATH} characters, because paths of unix"
            " sockets below it would be too long"
        )
    return path
