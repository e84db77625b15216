"""Programs of the rig, built from Go modules once and cached by version and flags.

The modules are the folders of `tests/cluster/binaries`; the cache lies outside the tree.
"""

import fcntl
import hashlib
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from .errors import RigError
from .paths import BINARIES_DIR, cache_dir

# Program: (module, what to build in it).
_PROGRAMS = {
    "etcd": ("etcd", "."),
    "coredns": ("coredns", "."),
    "load": ("load", "."),
    "origin": ("origin", "."),
    "helm": ("helm", "helm.sh/helm/v3/cmd/helm"),
} | {
    name: ("kubernetes", f"k8s.io/kubernetes/cmd/{name}")
    for name in (
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kube-proxy",
        "kubectl",
        "kubelet",
    )
}

_FAST = ("etcd", "kube-apiserver", "kubectl", "kube-controller-manager")
_FULL = (*_FAST, "kube-scheduler", "kubelet", "kube-proxy", "coredns", "load", "origin")


def binary(name: str) -> Path:
    """The path of the program `name`, built now if the cache does not have it.

    etcd, kube-apiserver, kube-controller-manager and kubectl are taken from the folder that
    `KUBEBUILDER_ASSETS` names, as far as they are there.
    """
    path = _path(name)
    if not path.exists():
        with _locked(path.parent):
            if not path.exists():
                _build(*_PROGRAMS[name], path)
    return path


def build(mode: str) -> None:
    """Builds what a cluster of this mode runs, as far as the cache does not have it yet."""
    for name in _FULL if mode == "full" else _FAST:
        if name != "kube-controller-manager" or has_controller_manager(mode):
            binary(name)


def has_controller_manager(mode: str) -> bool:
    """False where `KUBEBUILDER_ASSETS` is to spare a build and brings no controller manager."""
    spared = mode == "fast" and "KUBEBUILDER_ASSETS" in os.environ
    return not spared or _path("kube-controller-manager").exists()


def module_dir(module: str, path: str) -> Path:
    """The folder of the dependency `path`, as the Go module `module` sees it."""
    argv = ["go", "list", "-m", "-f", "{{.Dir}}", path]
    # The list leaves the folder empty as long as the dependency has not been downloaded.
    _go(["go", "mod", "download", path], module)
    return Path(_go(argv, module).strip())


def _path(name: str) -> Path:
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and name in _FAST and (Path(assets) / name).exists():
        return Path(assets) / name
    return cache_dir() / "bin" / _key(_PROGRAMS[name][0]) / name


def _flags(module: str) -> list[str]:
    link = "-s -w"
    if module == "kubernetes":
        version = _version(module)
        major, minor, _ = version.removeprefix("v").split(".", 2)
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
            link += f" -X {package}.gitVersion={version}"
            link += f" -X {package}.gitMajor={major} -X {package}.gitMinor={minor}"
    if module == "helm":
        link += f" -X helm.sh/helm/v3/internal/version.version={_version(module)}"
        # What `helm template` and `helm lint` take a cluster for that they do not ask.
        minor = re.search(r"k8s\.io/client-go v0\.(\d+)\.", _go_mod(module))[1]
        for package in ("chartutil", "lint/rules"):
            variable = f"helm.sh/helm/v3/pkg/{package}.k8sVersion"
            link += f" -X {variable}Major=1 -X {variable}Minor={minor}"
    return ["-trimpath", "-buildvcs=false", "-ldflags", link]


def _version(module: str) -> str:
    required = re.search(r"^require \S+ (v\S+)", _go_mod(module), re.MULTILINE)
    return required[1] if required else "own"


def _go_mod(module: str) -> str:
    return (BINARIES_DIR / module / "go.mod").read_text(encoding="utf-8")


def _key(module: str) -> str:
    digest = hashlib.sha256(" ".join(_flags(module)).encode())
    for path in sorted((BINARIES_DIR / module).iterdir()):
        if path.name.startswith("go.") or path.suffix == ".go":
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"{module}-{_version(module)}-{digest.hexdigest()[:10]}"


def _build(module: str, package: str, path: Path) -> None:
    print(f"rig: building {path.name} {_version(module)}, once", file=sys.stderr, flush=True)
    began = time.monotonic()
    unfinished = path.with_suffix(".unfinished")
    _go(["go", "build", *_flags(module), "-o", str(unfinished), package], module)
    unfinished.rename(path)
    seconds = time.monotonic() - began
    print(f"rig: built {path.name} in {seconds:.0f} s", file=sys.stderr, flush=True)


def _go(argv: list[str], module: str) -> str:
    environment = os.environ | {"CGO_ENABLED": "0", "GOWORK": "off"}
    try:
        done = subprocess.run(
            argv,
            cwd=BINARIES_DIR / module,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise RigError("go is not on PATH; scripts/setup cluster says which one is needed") from None
    if done.returncode != 0:
        raise RigError(f"{' '.join(argv)} in {module}:\n{done.stderr.strip()}")
    return done.stdout


@contextmanager
def _locked(folder: Path):
    """Holds the folder's lock, so that two rigs do not build the same program at once."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
