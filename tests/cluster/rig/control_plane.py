"""Command lines of etcd and of the Kubernetes programs that need no node."""

from pathlib import Path

from .binaries import binary
from .network import NODE_ADDRESS, SERVICE_RANGE
from .paths import MANIFESTS_DIR


def etcd(folder: Path) -> list[str]:
    return [
        str(binary("etcd")),
        f"--data-dir={folder}/etcd",
        # A cluster that is thrown away need not survive a power cut.
        "--unsafe-no-fsync",
        "--listen-client-urls=http://127.0.0.1:2379",
        "--advertise-client-urls=http://127.0.0.1:2379",
        "--listen-peer-urls=http://127.0.0.1:2380",
        "--initial-advertise-peer-urls=http://127.0.0.1:2380",
        "--initial-cluster=default=http://127.0.0.1:2380",
    ]


def api_server(pki: Path) -> list[str]:
    return [
        str(binary("kube-apiserver")),
        "--etcd-servers=http://127.0.0.1:2379",
        "--bind-address=0.0.0.0",
        "--secure-port=6443",
        f"--advertise-address={NODE_ADDRESS}",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        f"--tls-cert-file={pki}/apiserver.crt",
        f"--tls-private-key-file={pki}/apiserver.key",
        f"--client-ca-file={pki}/ca.crt",
        f"--kubelet-client-certificate={pki}/apiserver-kubelet-client.crt",
        f"--kubelet-client-key={pki}/apiserver-kubelet-client.key",
        f"--kubelet-certificate-authority={pki}/ca.crt",
        # By default exec, logs and port-forward would look up the node's name in DNS.
        "--kubelet-preferred-address-types=InternalIP",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={pki}/service-account.pub",
        f"--service-account-signing-key-file={pki}/service-account.key",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        f"--requestheader-client-ca-file={pki}/ca.crt",
        "--requestheader-allowed-names=front-proxy",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={pki}/front-proxy.crt",
        f"--proxy-client-key-file={pki}/front-proxy.key",
        "--enable-aggregator-routing=true",
        "--profiling=false",
        f"--audit-policy-file={MANIFESTS_DIR}/audit.yaml",
        f"--audit-log-path={audit_log(pki.parent)}",
    ]


def audit_log(folder: Path) -> Path:
    """Where the API server of the cluster in `folder` notes what manifests/audit.yaml names."""
    return folder / "logs" / "audit.log"


def controller_manager(pki: Path) -> list[str]:
    return [
        str(binary("kube-controller-manager")),
        *_controller("kube-controller-manager", pki),
        "--controllers=*",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={pki}/service-account.key",
        f"--root-ca-file={pki}/ca.crt",
        f"--cluster-signing-cert-file={pki}/ca.crt",
        f"--cluster-signing-key-file={pki}/ca.key",
        # By default a folder below /usr, which it makes.
        f"--flex-volume-plugin-dir={pki.parent}/volume-plugins",
    ]


def scheduler(pki: Path) -> list[str]:
    return [str(binary("kube-scheduler")), *_controller("kube-scheduler", pki)]


def _controller(name: str, pki: Path) -> list[str]:
    kubeconfig = f"{pki}/{name}.kubeconfig"
    return [
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        "--leader-elect=false",
        # With the default limits a namespace's ServiceAccount comes 3 s late.
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false",
    ]
