"""Container images without a registry: built by buildah on a Debian of our own, kept as archives.

The base is a minimal Debian from the package sources of this machine. It is called
docker.io/library/debian:bookworm-slim in a store of the rig's own, so that an ordinary Dockerfile
works, and its apt reaches packages the way this machine's does.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path

from . import binaries, node
from .errors import RigError
from .paths import IMAGES_DIR, TREE, cache_dir

FLEET_IMAGE = "localhost/fleet:1"
CONTROLLER_IMAGE = "localhost/scaledcache:dev"

# Arguments of the tree's Dockerfile that become labels of the image.
LABELS = {"VERSION": "org.opencontainers.image.version", "REVISION": "org.opencontainers.image.revision"}

_BASE_IMAGE = "docker.io/library/debian:bookworm-slim"
_DIGITS = 12  # of the digest in an archive's name
_BASE_DOCKERFILE = 'FROM scratch\nADD base.tar /\nCMD ["bash"]\n'


def node_images() -> list[Path]:
    """The archives of what every full cluster runs: the pause image and the fleet's."""
    return [
        _archive_of(node.PAUSE_IMAGE, IMAGES_DIR / "pause", _build_pause),
        _archive_of(FLEET_IMAGE, IMAGES_DIR / "fleet", _build_fleet),
    ]


def native_architecture() -> str:
    """This machine's architecture, as Debian and container images name it: `amd64` or `arm64`."""
    return _run(["dpkg", "--print-architecture"]).strip()


def cross_archive(architecture: str, tag: str = CONTROLLER_IMAGE, **arguments: str) -> Path:
    """Builds the tree's Dockerfile for an architecture and returns a docker archive of the image.

    Its tag names the architecture where that is not this machine's. Nothing of the other one is run.
    JOBS in the environment limits how many compilers run at once.
    """
    native = native_architecture()
    if os.environ.get("JOBS"):
        arguments["JOBS"] = os.environ["JOBS"]
    if architecture == native:
        return image_archive(tag, **arguments)
    across = [f"--platform=linux/{architecture}", f"--build-arg=BUILDPLATFORM=linux/{native}"]
    return _image_of(f"{tag}-{architecture}", TREE, arguments, across)


def image_archive(tag: str = CONTROLLER_IMAGE, context: Path = TREE, **arguments: str) -> Path:
    """Builds the Dockerfile of `context`, layers cached, and returns a docker archive of the image.

    Cluster.load_image() takes the archive. The build's output goes to the terminal; `arguments` are
    those of the Dockerfile. Where `SCALEDCACHE_TEST_BINARY` names a built `scaledcache`, the image is
    made around that one instead.
    """
    built = os.environ.get("SCALEDCACHE_TEST_BINARY")
    if built and context == TREE:
        with tempfile.TemporaryDirectory() as folder:
            _around(Path(built), Path(folder))
            return _image_of(tag, Path(folder), arguments)
    return _image_of(tag, context, arguments)


def _around(built: Path, folder: Path) -> None:
    """Makes the Dockerfile without its first stage a context, with a program that is already built."""
    text = (TREE / "Dockerfile").read_text(encoding="utf-8")
    text = text[text.index("FROM", text.index(" AS build")) :]
    program = "/image/usr/local/bin/scaledcache"
    text = text.replace("--from=build /install/ /image/usr/local/", f"scaledcache {program}")
    (folder / "Dockerfile").write_text(text, encoding="utf-8")
    shutil.copytree(TREE / "scripts", folder / "scripts")
    _run(["strip", "-o", folder / "scaledcache", built])


def _image_of(tag: str, context: Path, arguments: dict[str, str], across: Sequence[str] = ()) -> Path:
    # An image for another architecture takes long to compile; those of this machine need not wait.
    with _locked():
        _ensure_base()
    with _locked("-cross" if across else ""):
        print(f"rig: building image {tag} from {context}/Dockerfile", file=sys.stderr, flush=True)
        began = time.monotonic()
        given = [f"--build-arg={name}={value}" for name, value in arguments.items()]
        # Debian's buildah takes labels from its cache, whatever the arguments in them have become.
        given += [f"--label={LABELS[name]}={value}" for name, value in arguments.items() if name in LABELS]
        _bud(tag, context, "--layers", "--force-rm", *across, *given, quiet=False)
        archive = _push(tag)
        seconds = time.monotonic() - began
        print(f"rig: image {tag} took {seconds:.0f} s", file=sys.stderr, flush=True)
        return archive


def load(socket: Path, archive: Path) -> None:
    """Imports the archive into the containerd at `socket`."""
    _run(["ctr", f"--address={socket}", "--namespace=k8s.io", "images", "import", str(archive)])


def _archive_of(tag: str, folder: Path, build) -> Path:
    """The archive of the image that `build` makes from the Dockerfile in `folder`, made once."""
    archive = _archive_path(tag, (folder / "Dockerfile").read_text(encoding="utf-8"))
    # The lock is for those who build: a cluster need not wait for another image's build.
    if not archive.exists():
        with _locked():
            if not archive.exists():
                print(f"rig: building image {tag}, once", file=sys.stderr, flush=True)
                build(folder)
                _push(tag, archive)
    return archive


def _build_pause(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as context:
        shutil.copy(folder / "Dockerfile", context)
        kubernetes = binaries.module_dir("kubernetes", "k8s.io/kubernetes")
        code = kubernetes / "build/pause/linux/pause.c"
        _run(["gcc", "-Os", "-static", '-DVERSION="rig"', "-o", f"{context}/pause", str(code)])
        _bud(node.PAUSE_IMAGE, Path(context))


def _build_fleet(folder: Path) -> None:
    _ensure_base()
    _bud(FLEET_IMAGE, folder)


def _ensure_base() -> None:
    present = subprocess.run(_buildah("inspect", "--type=image", _BASE_IMAGE), capture_output=True)
    if present.returncode == 0:
        return
    print(f"rig: making image {_BASE_IMAGE}, once", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=_folder()) as folder:
        base = Path(folder) / "base.tar"
        _run(["mmdebstrap", "--variant=minbase", *_apt_options(), "bookworm", base, *_apt_sources()])
        (Path(folder) / "Dockerfile").write_text(_BASE_DOCKERFILE, encoding="utf-8")
        _bud(_BASE_IMAGE, Path(folder))


def _apt_sources() -> list[Path]:
    """The files with this machine's sources of Debian 12; with none, mmdebstrap has its default."""
    folder = Path("/etc/apt")
    candidates = [folder / "sources.list", *sorted(folder.glob("sources.list.d/debian*.sources"))]
    return [
        path for path in candidates if path.exists() and "bookworm" in path.read_text("utf-8")
    ]


def _apt_options() -> list[str]:
    """How this machine's apt gets at packages: proxies, and checks that are switched off."""
    dump = _run(["apt-config", "dump"])
    lines = re.findall(r'^(Acquire::(?:Check-|https?::|Retries)\S*) "(.+)";$', dump, re.MULTILINE)
    return [f'--aptopt={key} "{value}"' for key, value in lines]


def _bud(tag: str, context: Path, *options: str, quiet: bool = True) -> None:
    # crun does not cope with cgroup v1; the network of the host is the one that reaches packages.
    how = ("--runtime=/usr/sbin/runc", "--network=host", "--pull-never")
    _run(_buildah("bud", *how, *options, f"--tag={tag}", str(context)), quiet)


def _push(tag: str, archive: Path | None = None) -> Path:
    """Writes the image as an archive, by default one named after its content."""
    if archive is None:
        identity = _run(_buildah("images", "--quiet", "--no-trunc", tag)).strip()
        archive = _archive_path(tag, identity)
    if not archive.exists():
        unfinished = archive.with_suffix(".unfinished")
        unfinished.unlink(missing_ok=True)
        _run(_buildah("push", tag, f"docker-archive:{unfinished}:{tag}"))
        for old in archive.parent.glob(f"{_file_name(tag)}-{'[0-9a-f]' * _DIGITS}.tar"):
            old.unlink()
        unfinished.rename(archive)
    return archive


def _archive_path(tag: str, identity: str) -> Path:
    digest = hashlib.sha256(identity.encode()).hexdigest()[:_DIGITS]
    return _folder() / f"{_file_name(tag)}-{digest}.tar"


def _file_name(tag: str) -> str:
    return tag.rpartition("/")[2].replace(":", "-")


def _folder() -> Path:
    folder = cache_dir() / "images"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _buildah(*arguments: str) -> list[str]:
    store = ("--root", str(cache_dir() / "buildah"), "--runroot", "/run/scaledcache-buildah")
    return ["buildah", *store, *arguments]


def _run(argv: list, quiet: bool = True) -> str:
    """Runs a command; returns its output, or shows it on standard error if not `quiet`."""
    words = [str(word) for word in argv]
    streams = {"capture_output": True} if quiet else {"stdout": sys.stderr}
    done = subprocess.run(words, text=True, check=False, **streams)
    if done.returncode != 0:
        output = f"{done.stdout or ''}{done.stderr or ''}".strip()
        raise RigError(f"{' '.join(words)} ended with {done.returncode}: {output[-4000:]}")
    return done.stdout or ""


@contextmanager
def _locked(name: str = ""):
    """Holds a lock of the image store, so that two rigs do not build the same image at once."""
    with open(_folder() / f".lock{name}", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
