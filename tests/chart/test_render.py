"""What the chart renders: rights, pod, scope, and that it stays in step with the rest of the tree."""

import unittest

import yaml

from chart import CHART, INSTALLATIONS, NAMESPACE, OPERATOR, RELEASE, ROOT, container, flags_of_the_program, helm, of_kind, rendered, the

# Every call that the program makes in a namespace, as (group, resource) → verbs.
CALLS = {
    ("scaledcache.io", "scaledcaches"): {"get", "list", "watch"},
    ("scaledcache.io", "scaledcaches/status"): {"patch"},
    ("apps", "deployments"): {"get", "list", "watch"},
    ("apps", "statefulsets"): {"get", "list", "watch"},
    ("apps", "replicasets"): {"get", "list", "watch"},
    ("apps", "deployments/scale"): {"get", "patch"},
    ("apps", "statefulsets/scale"): {"get", "patch"},
    ("", "pods"): {"get", "list", "watch", "patch"},
    ("", "pods/status"): {"patch"},
    ("", "configmaps"): {"get"},
    ("autoscaling", "horizontalpodautoscalers"): {"get", "list", "watch"},
    ("events.k8s.io", "events"): {"create"},
}


# The command line with everything set that has a value in the chart.
EVERY_FLAG = [
    argument
    for name in ("a backend", "two namespaces", "defaults")
    for argument in container(rendered(INSTALLATIONS[name]))["args"][1:]
]


def granted(rules) -> dict[tuple[str, str], set[str]]:
    """Rules of a role as (group, resource) → verbs."""
    rights: dict[tuple[str, str], set[str]] = {}
    for rule in rules:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                rights.setdefault((group, resource), set()).update(rule["verbs"])
    return rights


def named(objects, kind, name):
    return next(each for each in of_kind(objects, kind) if each["metadata"]["name"] == name)


class Chart(unittest.TestCase):
    def test_helm_lint_finds_nothing(self):
        for name, values in INSTALLATIONS.items():
            with self.subTest(name):
                done = helm("lint", "--strict", str(CHART), values=values, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_its_custom_resource_is_that_of_crds(self):
        for source in sorted((ROOT / "crds").glob("*.yaml")):
            copy = CHART / "files" / "crds" / source.name
            self.assertEqual(copy.read_text("utf-8"), source.read_text("utf-8"), "run `make generate`")
            crd = the(rendered(), "CustomResourceDefinition")
            self.assertEqual(crd["spec"], yaml.safe_load(source.read_text("utf-8"))["spec"])

    def test_the_custom_resource_survives_an_uninstall_unless_told_otherwise(self):
        for values, policy in (("", "keep"), ("crds: {keep: false}", None)):
            annotations = the(rendered(values), "CustomResourceDefinition")["metadata"].get("annotations", {})
            self.assertEqual(annotations.get("helm.sh/resource-policy"), policy)
        self.assertEqual(of_kind(rendered("crds: {install: false}"), "CustomResourceDefinition"), [])

    def test_every_flag_exists(self):
        known = flags_of_the_program()
        self.assertIn("backend-url", known)
        for name, values in INSTALLATIONS.items():
            command, *flags = container(rendered(values))["args"]
            self.assertEqual(command, "controller")
            with self.subTest(name):
                self.assertLessEqual({flag.removeprefix("--").split("=")[0] for flag in flags}, known)

    def test_every_object_says_whose_it_is(self):
        for name, values in INSTALLATIONS.items():
            for each in rendered(values):
                with self.subTest(name, kind=each["kind"]):
                    self.assertEqual(each["metadata"]["labels"]["app.kubernetes.io/instance"], RELEASE)

    def test_extra_labels_and_annotations_are_everywhere(self):
        for each in rendered(INSTALLATIONS["labels, places and extras"]):
            self.assertEqual(each["metadata"]["labels"]["team"], "web", each["kind"])
            self.assertEqual(each["metadata"]["annotations"]["owner"], "web", each["kind"])

    def test_the_image_is_named_as_asked(self):
        for name, image in (
            ("defaults", "scaledcache:0.1.0"),
            ("a private registry", "registry.example.com/caches/scaledcache:1.2"),
            ("an image by digest", "scaledcache@sha256:" + "ab" * 32),
        ):
            self.assertEqual(container(rendered(INSTALLATIONS[name]))["image"], image)

    def test_its_version_is_the_programs(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
        project = (ROOT / "CMakeLists.txt").read_text("utf-8")
        self.assertIn(f"project(scaledcache VERSION {chart['appVersion']} ", project)
        self.assertEqual(chart["version"], chart["appVersion"])


class Rights(unittest.TestCase):
    def test_they_are_the_calls_that_the_program_makes(self):
        self.assertEqual(granted(named(rendered(), "ClusterRole", RELEASE)["rules"]), CALLS)

    def test_some_namespaces_get_the_same_and_the_cluster_nothing(self):
        for name in ("two namespaces", "namespaces in a list"):
            objects = rendered(INSTALLATIONS[name])
            self.assertEqual({each["metadata"]["namespace"] for each in of_kind(objects, "Role")}, {"blog", "shop"})
            for role in of_kind(objects, "Role"):
                self.assertEqual(granted(role["rules"]), CALLS)
            self.assertEqual(of_kind(objects, "ClusterRoleBinding"), [])

    def test_other_targets_are_read_and_scaled_and_nothing_else(self):
        rules = named(rendered(INSTALLATIONS["other targets"]), "ClusterRole", RELEASE)["rules"]
        rights = granted(rules)
        self.assertEqual(rights["argoproj.io", "rollouts"], {"get", "list", "watch"})
        self.assertEqual(rights["argoproj.io", "rollouts/scale"], {"get", "patch"})
        self.assertEqual(rights["apps.kruise.io", "clonesets/scale"], {"get", "patch"})
        self.assertNotIn(("apps", "statefulsets/scale"), rights)

    def test_secrets_are_read_by_name_where_that_was_asked_for(self):
        self.assertNotIn(("", "secrets"), granted(named(rendered(), "ClusterRole", RELEASE)["rules"]))
        roles = of_kind(rendered(INSTALLATIONS["secrets in two namespaces"]), "Role")
        self.assertEqual({role["metadata"]["namespace"] for role in roles}, {"blog", "shop"})
        for role in roles:
            expected = [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["metrics"], "verbs": ["get"]}]
            self.assertEqual(role["rules"], expected)

    def test_nothing_is_granted_by_wildcard(self):
        for name, values in INSTALLATIONS.items():
            for role in of_kind(rendered(values), "ClusterRole") + of_kind(rendered(values), "Role"):
                with self.subTest(name):
                    words = {word for rule in role["rules"] for part in rule.values() for word in part}
                    self.assertFalse(words & {"*", "escalate", "bind", "impersonate"})

    def test_the_example_manifest_grants_the_same(self):
        documents = [each for each in yaml.safe_load_all(OPERATOR.read_text("utf-8")) if each]
        self.assertEqual(granted(the(documents, "ClusterRole")["rules"]), CALLS)

    def test_rights_of_ones_own_leave_none_of_ours(self):
        objects = rendered(INSTALLATIONS["rights of one's own"])
        self.assertEqual([each["kind"] for each in objects if "Role" in each["kind"]], [])
        self.assertEqual(the(objects, "Deployment")["spec"]["template"]["spec"]["serviceAccountName"], "mine")


class Pod(unittest.TestCase):
    def test_it_is_restricted(self):
        for name, values in INSTALLATIONS.items():
            spec = the(rendered(values), "Deployment")["spec"]["template"]["spec"]
            with self.subTest(name):
                self.assertTrue(spec["securityContext"]["runAsNonRoot"])
                self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
                expected = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
                self.assertEqual(spec["containers"][0]["securityContext"], expected)

    def test_it_is_that_of_the_example_manifest(self):
        documents = [each for each in yaml.safe_load_all(OPERATOR.read_text("utf-8")) if each]
        ours = the(rendered(), "Deployment")["spec"]["template"]["spec"]
        example = the(documents, "Deployment")["spec"]["template"]["spec"]
        for part in ("securityContext", "serviceAccountName", "automountServiceAccountToken"):
            self.assertEqual(ours[part], example[part])
        for part in ("env", "ports", "livenessProbe", "readinessProbe", "resources", "securityContext"):
            self.assertEqual(ours["containers"][0][part], example["containers"][0][part], part)

    def test_one_replica_is_replaced_and_never_doubled(self):
        deployment = the(rendered(), "Deployment")
        self.assertEqual(deployment["spec"]["strategy"], {"type": "Recreate"})
        self.assertEqual(of_kind(rendered(), "PodDisruptionBudget"), [])

    def test_watched_namespaces_are_told_to_it(self):
        for name in ("two namespaces", "namespaces in a list"):
            arguments = container(rendered(INSTALLATIONS[name]))["args"]
            self.assertEqual([a for a in arguments if "--namespace" in a], ["--namespace=blog", "--namespace=shop"])

    def test_extra_arguments_become_flags(self):
        arguments = container(rendered("extraArgs: {development: true, kubeconfig: 'a b', context: [c, d]}"))["args"]
        for flag in ("--development", "--kubeconfig=a b", "--context=c", "--context=d"):
            self.assertIn(flag, arguments)

    def test_a_flag_that_has_a_value_is_not_taken_twice(self):
        for flag in flags_of_the_program() & {argument[2:].split("=")[0] for argument in EVERY_FLAG}:
            done = helm("template", RELEASE, str(CHART), values=f"extraArgs: {{{flag}: x}}", check=False)
            self.assertIn(f"extraArgs.{flag}: set ", done.stderr)


class Selection(unittest.TestCase):
    def test_service_policy_and_monitors_select_the_pod(self):
        values = INSTALLATIONS["a locked-down cluster"]
        objects = rendered(values) + rendered(INSTALLATIONS["everything scraped"])
        labels = the(rendered(), "Deployment")["spec"]["template"]["metadata"]["labels"]
        selectors = [each["spec"]["selector"] for each in of_kind(objects, "Service")]
        selectors += [each["spec"]["podSelector"]["matchLabels"] for each in of_kind(objects, "NetworkPolicy")]
        selectors += [each["spec"]["selector"]["matchLabels"] for each in of_kind(objects, "PodMonitor")]
        self.assertGreaterEqual(len(selectors), 4)
        for selector in selectors:
            self.assertLessEqual(selector.items(), labels.items())

    def test_service_monitors_select_the_service(self):
        objects = rendered(INSTALLATIONS["everything scraped"])
        service = the(objects, "Service")
        for kind in ("ServiceMonitor", "VMServiceScrape"):
            spec = the(objects, kind)["spec"]
            self.assertLessEqual(spec["selector"]["matchLabels"].items(), service["metadata"]["labels"].items())
            self.assertEqual(spec["endpoints"][0]["port"], service["spec"]["ports"][0]["name"])
            self.assertEqual(spec["namespaceSelector"], {"matchNames": [NAMESPACE]})

    def test_alerts_can_be_left_out_and_point_at_the_readers_own_documents(self):
        groups = the(rendered(INSTALLATIONS["everything scraped"]), "PrometheusRule")["spec"]["groups"]
        alerts = {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}
        self.assertNotIn("ScaledCacheErrors", alerts)
        url = alerts["ScaledCacheNoMetrics"]["annotations"]["runbook_url"]
        self.assertEqual(url, "https://wiki.example.com/sc/operations.md#scaledcachenometrics")


if __name__ == "__main__":
    unittest.main()
