"""Configuration and command lines of the one node: containerd, kubelet, kube-proxy, CoreDNS."""

import json
from pathlib import Path

from .binaries import binary
from .certificates import NODE
from .network import NODE_ADDRESS, POD_RANGE, bridge_is_filtered

PAUSE_IMAGE = "localhost/pause:1"

# The kubelet sets these for the whole machine.
SYSCTLS = ("vm.overcommit_memory", "vm.panic_on_oom", "kernel.panic", "kernel.panic_on_oops")


# Where containerd, its plugins and the kubelet write whatever their configuration says.
_FIXED_FOLDERS = (
    Path("/run/containerd"),
    Path("/var/lib/cni"),
    Path("/var/lib/kubelet"),
    Path("/var/log/containers"),
)


def mounts(folder: Path) -> list[str]:
    """The command line of a process that holds the node's own mount namespace.

    In it the folders with fixed names lie in the state folder, and all that the kubelet and
    containers mount goes when their last process does. Ready when `mounts_ready` says so.
    """
    script = []
    for fixed in _FIXED_FOLDERS:
        fixed.mkdir(parents=True, exist_ok=True)
        own = folder / "fixed" / str(fixed)[1:]
        own.mkdir(parents=True)
        script.append(f"mount --bind {own} {fixed}")
    script.append(f"touch {folder}/fixed/ready")
    script.append("exec sleep infinity")
    argv = ["unshare", "--mount", "--propagation=private", "--", "sh", "-e", "-c"]
    return [*argv, "\n".join(script)]


def mounts_ready(folder: Path) -> bool:
    return (folder / "fixed" / "ready").exists()


def inside_mounts(holder: int, argv: list[str]) -> list[str]:
    """The command line that runs `argv` in the mount namespace of the process `holder`."""
    return ["nsenter", f"--mount=/proc/{holder}/ns/mnt", "--", *argv]


def forget_folders() -> None:
    """Removes from the machine the empty folders over which the node's own were mounted."""
    for fixed in _FIXED_FOLDERS:
        try:
            fixed.rmdir()
        except OSError:
            # Somebody else's, or gone.
            continue


def socket(folder: Path) -> Path:
    """Where containerd listens."""
    return folder / "containerd.sock"


def containerd(folder: Path) -> list[str]:
    """Writes containerd's and the pod network's configuration; returns the command line."""
    (folder / "cni").mkdir(exist_ok=True)
    (folder / "cni" / "10-pods.conflist").write_text(json.dumps(_pod_network()), encoding="utf-8")
    configuration = folder / "containerd.toml"
    configuration.write_text(_containerd_toml(folder), encoding="utf-8")
    return ["containerd", "--config", str(configuration)]


def kubelet(folder: Path, cgroup: str) -> list[str]:
    configuration = folder / "kubelet.json"
    configuration.write_text(json.dumps(_kubelet(folder, cgroup), indent=1), encoding="utf-8")
    return [
        str(binary("kubelet")),
        f"--config={configuration}",
        f"--kubeconfig={folder}/pki/kubelet.kubeconfig",
        f"--root-dir={folder}/kubelet",
        f"--hostname-override={NODE}",
        f"--node-ip={NODE_ADDRESS}",
    ]


def kube_proxy(folder: Path) -> list[str]:
    return [
        str(binary("kube-proxy")),
        f"--kubeconfig={folder}/pki/kube-proxy.kubeconfig",
        f"--hostname-override={NODE}",
        "--proxy-mode=iptables",
        f"--cluster-cidr={POD_RANGE}",
        # Replies between two pods on the bridge would else not find their way back through it.
        f"--masquerade-all={str(not bridge_is_filtered()).lower()}",
        # These limits belong to the whole machine.
        "--conntrack-max-per-core=0",
        "--conntrack-tcp-timeout-established=0",
        "--conntrack-tcp-timeout-close-wait=0",
        "--healthz-bind-address=127.0.0.1:10256",
        "--metrics-bind-address=127.0.0.1:10249",
    ]


def coredns(folder: Path) -> list[str]:
    configuration = folder / "Corefile"
    configuration.write_text(
        f"""cluster.local:53 {{
    bind {NODE_ADDRESS}
    errors
    ready 127.0.0.1:8181
    # With the pods' names in SRV records, Prometheus can label what it finds by DNS.
    kubernetes cluster.local {{
        kubeconfig {folder}/pki/admin.kubeconfig
        endpoint_pod_names
        ttl 1
    }}
}}
""",
        encoding="utf-8",
    )
    return [str(binary("coredns")), "-conf", str(configuration)]


def _containerd_toml(folder: Path) -> str:
    return f"""version = 2
root = "{folder}/containerd"
state = "{folder}/containerd-state"
oom_score = 0
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
  address = "{socket(folder)}"

[plugins."io.containerd.internal.v1.opt"]
  path = "{folder}/containerd-opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE_IMAGE}"
  # A container may not lower its OOM score without CAP_SYS_RESOURCE, which machines in CI lack.
  restrict_oom_score_adj = true
  # So that they are unmounted with the rest, and not left under /run.
  netns_mounts_under_state_dir = true

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "{folder}/cni"
"""


def _pod_network() -> dict:
    return {
        "cniVersion": "0.4.0",
        "name": "pods",
        "plugins": [
            {
                "type": "bridge",
                "bridge": "cni0",
                "isGateway": True,
                "ipMasq": False,
                "hairpinMode": True,
                "ipam": {
                    "type": "host-local",
                    "ranges": [[{"subnet": POD_RANGE, "gateway": NODE_ADDRESS}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            },
            {"type": "portmap", "capabilities": {"portMappings": True}},
        ],
    }


def _kubelet(folder: Path, cgroup: str) -> dict:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{folder}/pki/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": f"{folder}/pki/kubelet.crt",
        "tlsPrivateKeyFile": f"{folder}/pki/kubelet.key",
        "containerRuntimeEndpoint": f"unix://{socket(folder)}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{cgroup}",
        "failCgroupV1": False,
        "failSwapOn": False,
        "clusterDomain": "cluster.local",
        "clusterDNS": [NODE_ADDRESS],
        "resolvConf": "",
        "oomScoreAdj": 0,
        "podLogsDir": f"{folder}/logs/pods",
        "staticPodPath": "",
        "nodeStatusUpdateFrequency": "5s",
        "imageGCHighThresholdPercent": 100,
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%"},
        # Ten pods start at once when a fleet grows.
        "registryPullQPS": 0,
        "kubeAPIQPS": 100,
        "kubeAPIBurst": 200,
        "maxPods": 110,
        "readOnlyPort": 0,
        "volumePluginDir": f"{folder}/volume-plugins",
    }
