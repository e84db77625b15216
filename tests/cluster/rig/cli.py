"""The rig by hand: `python3 tests/cluster/rig.py up --mode fast`, `kubectl …`, `down`."""

import argparse
import os
import signal
import sys
from pathlib import Path

from . import binaries, images, network
from .cluster import Cluster
from .errors import RigError
from .state import find, known
from .teardown import tear_down


def main(argv: list[str] | None = None) -> int:
    """Runs one command; returns the exit code: 0, 1 for what failed, 2 for what was asked wrongly."""
    options = _parser().parse_args(_mark_passed_on(sys.argv[1:] if argv is None else argv))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return options.command(options) or 0
    except RigError as error:
        print(f"rig: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _mark_passed_on(argv: list[str]) -> list[str]:
    """Puts a `--` before what kubectl and exec pass on, so that its options are not taken for ours."""
    if argv[:1] not in (["kubectl"], ["exec"]):
        return argv
    ours = 3 if argv[1:2] == ["--name"] else 2 if argv[1:2] and argv[1].startswith("--name=") else 1
    rest = argv[ours:]
    return [*argv[:ours], *([] if rest[:1] == ["--"] or rest[:1] == ["--help"] else ["--"]), *rest]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rig.py", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name, command, text, named=True):
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command)
        if named:
            sub.add_argument("--name", default="dev", help="the cluster's name (default: dev)")
        return sub

    up = add("up", _up, "start a cluster that stays until `down`")
    up.add_argument("--mode", choices=("fast", "full"), default="fast")
    up.add_argument("--state", metavar="DIR", help="state folder, a short path")
    up.add_argument("--wait", type=float, default=0, help="seconds to wait for another full cluster")
    add("down", _down, "end a cluster, or clean up what a killed one left")
    add("status", _status, "list the clusters of this machine", named=False)
    kubectl = add("kubectl", _kubectl, "run kubectl as the administrator")
    kubectl.add_argument("arguments", nargs=argparse.REMAINDER)
    execute = add("exec", _exec, "run a command in the cluster's network, KUBECONFIG set")
    execute.add_argument("arguments", nargs=argparse.REMAINDER)
    build = add("build", _build, "build the programs and images that the cache lacks", named=False)
    build.add_argument("--mode", choices=("fast", "full"), default="full")
    image = add("image", _image, "build the tree's Dockerfile; print the archive's path", named=False)
    image.add_argument("--tag", default=images.CONTROLLER_IMAGE)
    load = add("load-image", _load_image, "give the node the images of an archive")
    load.add_argument("archive")
    # For the rig itself: tears the cluster down when standard input ends.
    add("keep", _keep, "(internal)")
    return parser


def _up(options) -> None:
    cluster = Cluster(options.mode, options.name, options.state, options.wait)
    cluster.up()
    print(f"cluster {cluster.name} is up; kubeconfig {cluster.kubeconfig}, logs {cluster.folder}/logs")


def _down(options) -> None:
    state = find(options.name)
    if not state:
        print(f"no cluster {options.name}")
        return
    tear_down(state)
    print(f"cluster {options.name} is down")


def _status(_) -> None:
    for state in known():
        condition = "stale" if state.is_stale() else "up"
        owner = f", owned by process {state.owner.pid}" if state.owner else ""
        print(f"{state.name}: {state.mode}, {condition}{owner}, {state.folder}")


def _kubectl(options) -> None:
    cluster = Cluster.attach(options.name)
    _become(cluster, cluster.kubectl_argv(*options.arguments[1:]))


def _exec(options) -> None:
    if not options.arguments[1:]:
        raise RigError("exec: which command?")
    _become(Cluster.attach(options.name), options.arguments[1:])


def _become(cluster: Cluster, argv: list[str]) -> None:
    words = network.enter(f"sc-{cluster.name}", argv)
    os.execvpe(words[0], words, os.environ | {"KUBECONFIG": str(cluster.kubeconfig)})


def _build(options) -> None:
    binaries.build(options.mode)
    if options.mode == "full":
        images.node_images()


def _image(options) -> None:
    print(images.image_archive(options.tag))


def _load_image(options) -> None:
    Cluster.attach(options.name).load_image(Path(options.archive).resolve())


def _keep(options) -> None:
    # The rig that started us ends it; what is sent to its terminal's group is not meant for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdin.buffer.read()
    if state := find(options.name):
        tear_down(state)
