"""The chart on a real API server: what it takes, what a release brings, and that it goes again."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

from chart import CHART, INSTALLATIONS, NAMESPACE, RELEASE, ROOT, hooks, rendered_text
from documents import manifests

sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from rig import Cluster  # noqa: E402
from rig.binaries import binary  # noqa: E402

CRD = "scaledcaches.scaledcache.io"
NO_HOOKS = "--no-hooks"  # nobody runs pods here

# Kinds of other projects, with any content: what is checked is that our objects are whole.
FOREIGN = [
    ("monitoring.coreos.com", "v1", "servicemonitors", "ServiceMonitor"),
    ("monitoring.coreos.com", "v1", "podmonitors", "PodMonitor"),
    ("monitoring.coreos.com", "v1", "prometheusrules", "PrometheusRule"),
    ("operator.victoriametrics.com", "v1beta1", "vmservicescrapes", "VMServiceScrape"),
    ("cert-manager.io", "v1", "certificates", "Certificate"),
    ("cert-manager.io", "v1", "issuers", "Issuer"),
]


def foreign_kind(group: str, version: str, plural: str, kind: str) -> dict:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": [{"name": version, "served": True, "storage": True, "schema": schema}],
        },
    }


@unittest.skipIf(Cluster().is_external, "it installs cluster-wide objects, and takes them away")
class OnACluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="fast"))
        strict = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn")}
        objects = [foreign_kind(*each) for each in FOREIGN]
        for name in (NAMESPACE, "blog", "shop", "monitoring"):
            labels = strict if name == NAMESPACE else {}
            objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        cls.apply(yaml.safe_dump_all(objects))
        for group, _, plural, _ in FOREIGN:
            cls.cluster.kubectl("wait", "--for=condition=Established", f"crd/{plural}.{group}")

    @classmethod
    def apply(cls, manifests: str, *flags: str):
        argv = cls.cluster.kubectl_argv("apply", "--server-side", *flags, "-f", "-")
        return cls.cluster.run(argv, input=manifests)

    def helm(self, *words: str, values: str = "") -> str:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
            file.write(values)
            file.flush()
            files = ("--values", file.name) if values else ()
            argv = [binary("helm"), *words, f"--namespace={NAMESPACE}", *files]
            return self.cluster.run(argv).stdout

    def owned(self) -> list[str]:
        """Every object of every kind that says it belongs to the release."""
        kinds = self.cluster.kubectl("api-resources", "--verbs=list", "--output=name").split()
        # Reviews and metrics cannot be listed; events tell of what is gone.
        listed = ",".join(kind for kind in kinds if not kind.startswith("events"))
        where = ("--all-namespaces", f"--selector=app.kubernetes.io/instance={RELEASE}", "--output=name")
        found = self.cluster.kubectl("get", listed, *where).split()
        return sorted(each for each in found if not each.startswith(("pod/", "replicaset.apps/")))

    def deployment(self) -> dict:
        text = self.cluster.kubectl("get", "deployment", RELEASE, f"--namespace={NAMESPACE}", "--output=json")
        return json.loads(text)["spec"]["template"]["spec"]["containers"][0]

    def clean(self) -> None:
        self.helm("uninstall", RELEASE, "--ignore-not-found", NO_HOOKS)
        self.cluster.kubectl("delete", "crd", CRD, "--ignore-not-found")
        self.cluster.wait_for("an empty cluster", lambda: not self.owned())

    def test_every_installation_is_taken_without_a_warning(self):
        for name, values in INSTALLATIONS.items():
            with self.subTest(name):
                for text in (rendered_text(values), yaml.safe_dump_all(hooks(values))):
                    done = self.apply(text, "--dry-run=server") if text else None
                    self.assertNotIn("Warning", done.stderr if done else "")

    def test_the_base_for_kustomize_is_taken(self):
        manifests = self.cluster.kubectl("kustomize", str(ROOT))
        kinds = {each["kind"] for each in yaml.safe_load_all(manifests)}
        self.assertLessEqual({"CustomResourceDefinition", "ClusterRole", "Deployment"}, kinds)
        done = self.apply(manifests, "--dry-run=server")
        self.assertNotIn("Warning", done.stderr)

    def test_every_manifest_in_the_documents_is_taken(self):
        self.addCleanup(self.clean)
        self.cluster.kubectl("apply", "--server-side", "-f", str(ROOT / "crds"))
        self.cluster.wait_for("the kind", lambda: self.apply(self.example(), "--dry-run=server"))
        ours = [(document, each) for document, each in manifests() if each["kind"] == "ScaledCache"]
        self.assertGreater(len(ours), 10)
        for document, each in ours:
            with self.subTest(document):
                each["metadata"]["namespace"] = "blog"
                self.apply(yaml.safe_dump(each), "--dry-run=server")

    def test_a_release_is_installed_upgraded_rolled_back_and_gone(self):
        self.addCleanup(self.clean)
        self.helm("install", RELEASE, str(CHART), values="backend: {url: 'http://one:9090'}")
        self.assertIn("--backend-url=http://one:9090", self.deployment()["args"])
        self.cluster.wait_for("the kind", lambda: self.apply(self.example()))

        self.helm("upgrade", RELEASE, str(CHART), values="{backend: {url: 'http://two:9090'}, watchNamespace: [blog]}")
        self.assertIn("--backend-url=http://two:9090", self.deployment()["args"])
        self.assertNotIn(f"clusterrole.rbac.authorization.k8s.io/{RELEASE}", self.owned())

        self.helm("rollback", RELEASE, "1")
        self.assertIn("--backend-url=http://one:9090", self.deployment()["args"])
        self.assertIn(f"clusterrole.rbac.authorization.k8s.io/{RELEASE}", self.owned())

        self.helm("uninstall", RELEASE, NO_HOOKS)
        kept = f"customresourcedefinition.apiextensions.k8s.io/{CRD}"
        self.cluster.wait_for("nothing but the kind", lambda: self.owned() == [kept])
        self.assertEqual(self.cluster.kubectl("get", "scache", "--namespace=blog", "--output=name").split(), [f"scaledcache.{CRD.partition('.')[2]}/blog"])

        self.helm("install", RELEASE, str(CHART))
        self.assertIn("scaledcache", self.cluster.kubectl("get", "scache", "--namespace=blog", "--output=name"))
        self.helm("uninstall", RELEASE, NO_HOOKS)

    def test_the_kind_goes_before_the_release_without_harm(self):
        self.addCleanup(self.clean)
        self.helm("install", RELEASE, str(CHART))
        self.cluster.wait_for("the kind", lambda: self.apply(self.example()))
        self.cluster.kubectl("delete", "crd", CRD, "--timeout=30s")
        self.helm("uninstall", RELEASE, NO_HOOKS)
        self.cluster.wait_for("an empty cluster", lambda: not self.owned())

    def test_an_uninstall_takes_the_kind_along_where_that_was_asked_for(self):
        self.addCleanup(self.clean)
        self.helm("install", RELEASE, str(CHART), values="crds: {keep: false}")
        self.helm("uninstall", RELEASE, NO_HOOKS)
        self.cluster.wait_for("an empty cluster", lambda: not self.owned())

    def test_a_kind_that_kubectl_installed_can_be_taken_over(self):
        self.addCleanup(self.clean)
        self.cluster.kubectl("apply", "--server-side", "-f", str(ROOT / "crds"))
        self.helm("install", RELEASE, str(CHART), "--take-ownership")
        self.helm("uninstall", RELEASE, NO_HOOKS)

    def notes(self, values: str) -> str:
        return self.helm("install", RELEASE, str(CHART), "--dry-run=client", values=values).partition("NOTES:")[2]

    def test_the_notes_hold_the_next_command_with_a_manifest_that_parses(self):
        notes = self.notes("backend: {url: 'http://prometheus.monitoring:9090'}")
        manifest = notes.partition("<<'EOF'\n")[2].partition("  EOF")[0]
        self.assertEqual(yaml.safe_load(manifest)["spec"]["signals"], [{"preset": "Varnish", "requestsPerReplica": 200}])
        self.assertNotIn("No backend.url is set", notes)

    def test_the_notes_say_what_is_missing(self):
        self.assertIn("No backend.url is set", self.notes(""))
        self.assertIn("ScaledCaches are obeyed in: blog, shop.", self.notes(INSTALLATIONS["two namespaces"]))
        self.assertIn("kubectl apply --server-side -f crds/", self.notes("crds: {install: false}"))

    def example(self) -> str:
        return Path(ROOT / "examples" / "minimal.yaml").read_text("utf-8")


if __name__ == "__main__":
    unittest.main()
