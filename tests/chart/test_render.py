"""What the chart renders: rights, pod, scope, and that it stays in step with the rest of the tree."""

import re
import unittest

import yaml

from chart import CHART, INSTALLATIONS, NAMESPACE, OPERATOR, RELEASE, ROOT, WEBHOOK, container, flags_of_the_program, helm, of_kind, rendered, the

# Every call that the program makes in a namespace, as (group, resource) → verbs.
CALLS = {
    ("scaledcache.io", "scaledcaches"): {"get", "list", "watch", "patch"},
    ("scaledcache.io", "scaledcaches/status"): {"patch"},
    ("apps", "deployments"): {"get", "list", "watch"},
    ("apps", "statefulsets"): {"get", "list", "watch"},
    ("apps", "replicasets"): {"get", "list", "watch"},
    ("apps", "deployments/scale"): {"get", "patch"},
    ("apps", "statefulsets/scale"): {"get", "patch"},
    ("", "pods"): {"get", "list", "watch", "patch"},
    ("", "pods/status"): {"patch"},
    ("", "services"): {"list"},
    ("", "configmaps"): {"get"},
    ("autoscaling", "horizontalpodautoscalers"): {"get", "list", "watch"},
    ("events.k8s.io", "events"): {"create"},
}


# The command line with everything set that has a value in the chart.
EVERY_FLAG = [
    argument
    for name in ("a backend", "two namespaces", "defaults", "two replicas", "a given certificate", "a page with a token")
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


def documents(path) -> list[dict]:
    return [each for each in yaml.safe_load_all(path.read_text("utf-8")) if each]


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

    def test_they_are_of_what_the_sources_name_and_nothing_else(self):
        sources = [*sorted((ROOT / "lib").rglob("*.cpp")), *sorted((ROOT / "controller").glob("*.cpp"))]
        resource = re.compile(r'\{"([a-z0-9.]*)",\s*"v[0-9][a-z0-9]*",\s*"([a-z]+)"\}')
        spoken_of = {found for path in sources for found in resource.findall(path.read_text("utf-8"))}
        objects = rendered(INSTALLATIONS["everything that can be granted"])
        roles = of_kind(objects, "ClusterRole") + of_kind(objects, "Role")
        ours = [role for role in roles if not role["metadata"]["name"].endswith(("-view", "-edit"))]
        given = {(group, name.partition("/")[0]) for role in ours for group, name in granted(role["rules"])}
        self.assertEqual(given, spoken_of)

    def test_some_namespaces_get_the_same_and_the_cluster_nothing(self):
        for name in ("two namespaces", "namespaces in a list"):
            objects = rendered(INSTALLATIONS[name])
            roles = [each for each in of_kind(objects, "Role") if each["metadata"]["name"] == RELEASE]
            self.assertEqual({each["metadata"]["namespace"] for each in roles}, {"blog", "shop"})
            for role in roles:
                self.assertEqual(granted(role["rules"]), CALLS)
            bound = [each["metadata"]["name"] for each in of_kind(objects, "ClusterRoleBinding")]
            self.assertEqual(bound, ["scaledcache-webhook"])

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
        roles = [each for each in roles if each["metadata"]["name"] == "scaledcache-secrets"]
        self.assertEqual({role["metadata"]["namespace"] for role in roles}, {"blog", "shop"})
        for role in roles:
            expected = [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["metrics"], "verbs": ["get"]}]
            self.assertEqual(role["rules"], expected)

    def test_its_own_webhook_and_secret_are_named(self):
        objects = rendered()
        secret = webhook = "scaledcache-webhook"
        self.assertEqual(named(objects, "Secret", secret)["type"], "Opaque")
        expected = [
            {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
            {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [secret], "verbs": ["get", "patch"]},
        ]
        self.assertEqual(named(objects, "Role", "scaledcache-own")["rules"], expected)
        kind = {"apiGroups": ["admissionregistration.k8s.io"], "resources": ["mutatingwebhookconfigurations"]}
        expected = [kind | {"resourceNames": [webhook], "verbs": ["get", "patch"]}]
        self.assertEqual(named(objects, "ClusterRole", webhook)["rules"], expected)

    def test_a_certificate_of_others_needs_no_rights_and_no_webhook_none_either(self):
        for name in ("a certificate of cert-manager's", "a given certificate", "no webhook"):
            objects = rendered(INSTALLATIONS[name])
            with self.subTest(name):
                self.assertEqual(of_kind(objects, "Role"), [])
                self.assertEqual(of_kind(objects, "Secret"), [])
                self.assertNotIn("scaledcache-webhook", [each["metadata"]["name"] for each in of_kind(objects, "ClusterRole")])

    def test_several_replicas_share_one_lease_by_name(self):
        objects = rendered(INSTALLATIONS["two replicas"])
        lease = the(objects, "Lease")["metadata"]["name"]
        rules = named(objects, "Role", "scaledcache-own")["rules"]
        kind = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}
        self.assertIn(kind | {"resourceNames": [lease], "verbs": ["get", "update"]}, rules)
        self.assertIn(kind | {"verbs": ["create"]}, rules)
        self.assertEqual(of_kind(rendered(), "Lease"), [])

    def test_tokens_are_asked_for_where_that_was_asked_for(self):
        self.assertNotIn("serviceaccounts", str([role["rules"] for role in of_kind(rendered(), "ClusterRole")]))
        role = named(rendered(INSTALLATIONS["tokens of two accounts"]), "Role", "scaledcache-tokens")
        self.assertEqual(role["metadata"]["namespace"], "blog")
        named_ones = {"apiGroups": [""], "resourceNames": ["metrics", "prober"]}
        expected = [
            named_ones | {"resources": ["serviceaccounts"], "verbs": ["get"]},
            named_ones | {"resources": ["serviceaccounts/token"], "verbs": ["create"]},
        ]
        self.assertEqual(role["rules"], expected)

    def test_nothing_is_granted_by_wildcard(self):
        for name, values in INSTALLATIONS.items():
            for role in of_kind(rendered(values), "ClusterRole") + of_kind(rendered(values), "Role"):
                with self.subTest(name):
                    words = {word for rule in role["rules"] for part in rule.values() for word in part}
                    self.assertFalse(words & {"*", "escalate", "bind", "impersonate"})

    def test_the_example_manifests_grant_the_same(self):
        rights = named(documents(OPERATOR), "ClusterRole", RELEASE)["rules"]
        self.assertEqual(rights, named(rendered(), "ClusterRole", RELEASE)["rules"])
        objects = rendered(INSTALLATIONS["two replicas"])
        for kind, name in (("ClusterRole", "scaledcache-webhook"), ("Role", "scaledcache-own")):
            rights = named(documents(WEBHOOK), kind, name)["rules"]
            self.assertEqual(rights, named(objects, kind, name)["rules"], name)

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
        ours = the(rendered(), "Deployment")["spec"]["template"]["spec"]
        example = the(documents(OPERATOR), "Deployment")["spec"]["template"]["spec"]
        for part in ("securityContext", "serviceAccountName", "automountServiceAccountToken"):
            self.assertEqual(ours[part], example[part])
        for part in ("env", "livenessProbe", "readinessProbe", "resources", "securityContext"):
            self.assertEqual(ours["containers"][0][part], example["containers"][0][part], part)

    def test_one_replica_is_replaced_and_never_doubled(self):
        deployment = the(rendered(), "Deployment")
        self.assertEqual(deployment["spec"]["strategy"], {"type": "Recreate"})
        self.assertEqual(of_kind(rendered(), "PodDisruptionBudget"), [])

    def test_several_replicas_take_turns_and_are_spread(self):
        objects = rendered(INSTALLATIONS["two replicas"])
        spec = the(objects, "Deployment")["spec"]
        self.assertEqual((spec["replicas"], spec["strategy"]), (2, {"type": "RollingUpdate"}))
        self.assertIn("--leader-elect", container(objects)["args"])
        self.assertNotIn("--leader-elect", container(rendered())["args"])
        spread = spec["template"]["spec"]["topologySpreadConstraints"][0]
        self.assertEqual(spread["labelSelector"]["matchLabels"], spec["selector"]["matchLabels"])
        self.assertEqual(the(objects, "PodDisruptionBudget")["spec"]["maxUnavailable"], 1)

    def test_a_certificate_of_others_is_mounted(self):
        for name, secret in (("a certificate of cert-manager's", "scaledcache-webhook"), ("a given certificate", "webhook-tls")):
            pod = the(rendered(INSTALLATIONS[name]), "Deployment")["spec"]["template"]["spec"]
            self.assertEqual(pod["volumes"], [{"name": "certificate", "secret": {"secretName": secret}}])
            folder = pod["containers"][0]["volumeMounts"][0]["mountPath"]
            self.assertIn(f"--webhook-cert-dir={folder}", pod["containers"][0]["args"])
        self.assertNotIn("volumes", the(rendered(), "Deployment")["spec"]["template"]["spec"])

    def test_a_page_without_a_token_stays_inside_the_pod(self):
        self.assertNotIn("--page-address", " ".join(container(rendered())["args"]))
        self.assertIn("--page-address=127.0.0.1:8081", container(rendered(INSTALLATIONS["a page"]))["args"])
        pod = the(rendered(INSTALLATIONS["a page with a token"]), "Deployment")["spec"]["template"]["spec"]
        arguments = pod["containers"][0]["args"]
        self.assertIn("--page-address=0.0.0.0:9000", arguments)
        mount = pod["containers"][0]["volumeMounts"][0]["mountPath"]
        self.assertIn(f"--page-token-file={mount}/token", arguments)
        expected = {"secretName": "page-token", "items": [{"key": "token", "path": "token"}]}
        self.assertEqual(pod["volumes"], [{"name": "page", "secret": expected}])

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


class Webhook(unittest.TestCase):
    def hook(self, name: str) -> dict:
        return the(rendered(INSTALLATIONS[name]), "MutatingWebhookConfiguration")["webhooks"][0]

    def test_it_calls_its_service_for_new_pods_of_labelled_namespaces(self):
        hook = self.hook("defaults")
        objects = rendered()
        service = named(objects, "Service", hook["clientConfig"]["service"]["name"])
        port = next(each for each in container(objects)["ports"] if each["name"] == service["spec"]["ports"][0]["targetPort"])
        self.assertIn(f"--webhook-address=0.0.0.0:{port['containerPort']}", container(objects)["args"])
        self.assertEqual(hook["rules"][0]["operations"], ["CREATE"])
        self.assertEqual(hook["namespaceSelector"]["matchLabels"], {"scaledcache.io/inject": "enabled"})
        self.assertEqual((hook["failurePolicy"], hook["sideEffects"]), ("Ignore", "None"))

    def test_the_example_manifest_has_the_same(self):
        self.assertEqual(the(documents(WEBHOOK), "MutatingWebhookConfiguration")["webhooks"], [self.hook("defaults")])

    def test_it_is_never_asked_about_its_own_pods(self):
        for name, values in INSTALLATIONS.items():
            if not of_kind(rendered(values), "MutatingWebhookConfiguration"):
                continue
            excluded = self.hook(name)["namespaceSelector"]["matchExpressions"][0]
            self.assertEqual((excluded["operator"], excluded["values"]), ("NotIn", ["kube-system", NAMESPACE]))

    def test_it_is_asked_in_watched_namespaces_only(self):
        watched = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["blog", "shop"]}
        self.assertIn(watched, self.hook("two namespaces")["namespaceSelector"]["matchExpressions"])

    def test_the_ca_comes_from_where_the_certificate_does(self):
        self.assertNotIn("caBundle", self.hook("defaults")["clientConfig"])
        self.assertEqual(self.hook("a given certificate")["clientConfig"]["caBundle"], "LS0tLS1CRUdJTg==")
        objects = rendered(INSTALLATIONS["a certificate of cert-manager's"])
        annotations = the(objects, "MutatingWebhookConfiguration")["metadata"]["annotations"]
        certificate = the(objects, "Certificate")
        where = f"{NAMESPACE}/{certificate['metadata']['name']}"
        self.assertEqual(annotations["cert-manager.io/inject-ca-from"], where)
        service = the(objects, "MutatingWebhookConfiguration")["webhooks"][0]["clientConfig"]["service"]
        self.assertEqual(certificate["spec"]["dnsNames"], [f"{service['name']}.{service['namespace']}.svc"])
        self.assertEqual(certificate["spec"]["issuerRef"]["name"], the(objects, "Issuer")["metadata"]["name"])
        own = rendered(INSTALLATIONS["an issuer of one's own"])
        self.assertEqual(the(own, "Certificate")["spec"]["issuerRef"], {"name": "internal", "kind": "Issuer", "group": "cert-manager.io"})
        self.assertEqual(of_kind(own, "Issuer"), [])

    def test_a_given_certificate_without_its_ca_is_refused(self):
        done = helm("template", RELEASE, str(CHART), values="certificates: {autoGenerated: false}", check=False)
        self.assertIn("certificates.caBundle is needed with certificates.autoGenerated=false", done.stderr)


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
        service = named(objects, "Service", RELEASE)
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
