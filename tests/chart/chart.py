"""What the tests of the chart share: Helm, rendering, and the parts of the tree they compare with."""

import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "scaledcache"
OPERATOR = ROOT / "examples" / "install" / "operator.yaml"
RELEASE = "scaledcache"
NAMESPACE = "scaledcache-system"

sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from rig.binaries import binary  # noqa: E402

# Installations that people have: name → values. Each is rendered, and given to a real API server.
INSTALLATIONS = {
    "defaults": "",
    "a backend": "backend: {url: 'http://prometheus.monitoring:9090', matchers: 'cluster=\"prod-1\"', replicaLabels: [replica]}",
    "one namespace": "{watchNamespace: blog, rbac: {aggregateToDefaultRoles: false}, crds: {install: false}}",
    "two namespaces": "watchNamespace: 'blog, shop'",
    "namespaces in a list": "watchNamespace: [blog, shop]",
    "a private registry": """
        image: {registry: registry.example.com/, repository: caches/scaledcache, tag: '1.2'}
        imagePullSecrets: [{name: pull}]
    """,
    "an image by digest": f"image: {{digest: 'sha256:{'ab' * 32}'}}",
    "other targets": """
        rbac:
          scaleTargets:
            - {apiGroup: apps, resource: deployments}
            - {apiGroup: argoproj.io, resource: rollouts}
            - {apiGroup: apps.kruise.io, resource: clonesets}
    """,
    "secrets in two namespaces": "rbac: {secrets: {namespaces: [blog, shop], names: [metrics]}}",
    "secrets everywhere": "rbac: {secrets: {namespaces: ['*']}}",
    "rights of one's own": "{rbac: {create: false}, serviceAccount: {create: false, name: mine}}",
    "a locked-down cluster": """
        networkPolicy:
          enabled: true
          metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
          extraEgress: [{ports: [{protocol: TCP, port: 8428}]}]
        flowSchema: {enabled: true}
        priorityClassName: system-cluster-critical
    """,
    "everything scraped": """
        prometheus:
          operator:
            serviceMonitor: {enabled: true, additionalLabels: {release: prometheus}, scrapeTimeout: 5s}
            podMonitor: {enabled: true, namespace: monitoring}
            vmServiceScrape: {enabled: true}
            prometheusRules: {enabled: true, disabled: [ScaledCacheErrors], runbookBaseUrl: 'https://wiki.example.com/sc/'}
        grafana: {dashboards: {enabled: true, namespace: monitoring, annotations: {folder: Caches}}}
    """,
    "labels, places and extras": """
        nameOverride: caches
        additionalLabels: {team: web}
        additionalAnnotations: {owner: web}
        podLabels: {mesh: 'off'}
        podAnnotations: {prometheus.io/scrape: 'false'}
        nodeSelector: {kubernetes.io/os: linux}
        tolerations: [{key: edge, operator: Exists}]
        affinity: {nodeAffinity: {}}
        topologySpreadConstraints: {operator: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}
        podDisruptionBudget: {operator: {minAvailable: 1}}
        upgradeStrategy: {operator: {type: RollingUpdate}}
        extraArgs: {kubeconfig: /etc/kube/config, development: true}
        env: [{name: TZ, value: UTC}]
        volumes: {extraVolumes: [{name: kube, emptyDir: {}}], extraVolumeMounts: [{name: kube, mountPath: /etc/kube}]}
        logging: {operator: {level: debug, format: text}}
        service: {port: 9090, annotations: {a: b}}
    """,
}


def helm(*words: str, values: str = "", check: bool = True) -> subprocess.CompletedProcess:
    """Runs Helm without a cluster; `values` is YAML, given as a file."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        file.write(values)
        file.flush()
        argv = [str(binary("helm")), *words, *(("--values", file.name) if values else ())]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"helm {' '.join(words)}: {done.stderr.strip()}")
    return done


@cache
def rendered_text(values: str = "", *flags: str) -> str:
    """The manifests of a release with these values."""
    return helm("template", RELEASE, str(CHART), f"--namespace={NAMESPACE}", *flags, values=values).stdout


@cache
def rendered(values: str = "", *flags: str) -> tuple[dict, ...]:
    """The objects of a release with these values."""
    return tuple(each for each in yaml.safe_load_all(rendered_text(values, *flags)) if each)


def of_kind(objects, kind: str) -> list[dict]:
    return [each for each in objects if each["kind"] == kind]


def the(objects, kind: str) -> dict:
    """The one object of this kind."""
    found = of_kind(objects, kind)
    assert len(found) == 1, f"{len(found)} of kind {kind}"
    return found[0]


def container(objects) -> dict:
    return the(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]


def flags_of_the_program() -> set[str]:
    """The flags that controller/options.cpp describes."""
    text = (ROOT / "controller" / "options.cpp").read_text(encoding="utf-8")
    described = text[text.index("describe_flags"):text.index("return flags;")]
    return set(re.findall(r'\(\s*"([a-z][-a-z]*)",\s*(?:text|list|po::)', described))


def exported_metrics() -> set[str]:
    """The names of the metrics that the sources of the controller register."""
    names: set[str] = set()
    for source in sorted((ROOT / "controller").glob("*.cpp")):
        text = source.read_text(encoding="utf-8")
        names.update(re.findall(r'"((?:scaledcache|process)_[a-z_]+)"', text))
    return names
