"""One authority per cluster, certificates by role, and kubeconfig files that carry them."""

import base64
import subprocess
from pathlib import Path

from .errors import RigError
from .network import API_SERVICE_ADDRESS, NODE_ADDRESS

NODE = "node1"
SERVER = "https://127.0.0.1:6443"

_API_NAMES = (
    f"IP:127.0.0.1,IP:{API_SERVICE_ADDRESS},IP:{NODE_ADDRESS},DNS:localhost,DNS:kubernetes,"
    "DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
)

# File name: (subject, alternative names).
_CERTIFICATES = {
    "apiserver": ("/CN=kube-apiserver", _API_NAMES),
    "apiserver-kubelet-client": ("/O=system:masters/CN=apiserver-kubelet-client", ""),
    "front-proxy": ("/CN=front-proxy", ""),
    "admin": ("/O=system:masters/CN=admin", ""),
    "kube-controller-manager": ("/CN=system:kube-controller-manager", ""),
    "kube-scheduler": ("/CN=system:kube-scheduler", ""),
    "kube-proxy": ("/CN=system:kube-proxy", ""),
    "kubelet": (f"/O=system:nodes/CN=system:node:{NODE}", f"IP:{NODE_ADDRESS},DNS:{NODE}"),
}
_FAST = ("apiserver", "apiserver-kubelet-client", "front-proxy", "admin", "kube-controller-manager")
_WITH_KUBECONFIG = ("admin", "kube-controller-manager", "kube-scheduler", "kube-proxy", "kubelet")


def create(folder: Path, full: bool) -> None:
    """Writes `ca`, `service-account` and the certificates and kubeconfigs of a cluster's mode."""
    folder.mkdir(parents=True, exist_ok=True)
    _openssl(
        *("req", "-x509", *_new_key(folder / "ca.key"), "-days", "30", "-subj", "/CN=rig"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", f"{folder}/ca.crt"),
    )
    _openssl("genrsa", "-out", f"{folder}/service-account.key", "2048")
    _openssl(
        *("rsa", "-in", f"{folder}/service-account.key"),
        *("-pubout", "-out", f"{folder}/service-account.pub"),
    )
    for name in _CERTIFICATES if full else _FAST:
        _issue(folder, name)
        if name in _WITH_KUBECONFIG:
            _write_kubeconfig(folder, name)


def _issue(folder: Path, name: str) -> None:
    subject, alternatives = _CERTIFICATES[name]
    names = ("-addext", f"subjectAltName={alternatives}") if alternatives else ()
    _openssl(
        *("req", "-x509", "-CA", f"{folder}/ca.crt", "-CAkey", f"{folder}/ca.key"),
        *(*_new_key(folder / f"{name}.key"), "-days", "30", "-subj", subject, *names),
        *("-addext", "basicConstraints=critical,CA:FALSE"),
        *("-addext", "keyUsage=critical,digitalSignature"),
        *("-addext", "extendedKeyUsage=serverAuth,clientAuth"),
        *("-out", f"{folder}/{name}.crt"),
    )


def _new_key(path: Path) -> tuple[str, ...]:
    curve = "ec_paramgen_curve:prime256v1"
    return ("-newkey", "ec", "-pkeyopt", curve, "-nodes", "-keyout", str(path))


def _write_kubeconfig(folder: Path, name: str) -> None:
    def inline(file: str) -> str:
        return base64.b64encode((folder / file).read_bytes()).decode()

    text = f"""apiVersion: v1
kind: Config
clusters:
- name: rig
  cluster:
    server: {SERVER}
    certificate-authority-data: {inline("ca.crt")}
users:
- name: {name}
  user:
    client-certificate-data: {inline(f"{name}.crt")}
    client-key-data: {inline(f"{name}.key")}
contexts:
- name: rig
  context:
    cluster: rig
    user: {name}
current-context: rig
"""
    path = folder / f"{name}.kubeconfig"
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")


def _openssl(*arguments: str) -> None:
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RigError(f"openssl {' '.join(arguments)}: {done.stderr.strip()}")
