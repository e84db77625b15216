"""What the chart renders: pod, webhook, monitors, and that it stays in step with the rest of the tree."""

import unittest

import yaml

from chart import CHART, INSTALLATIONS, NAMESPACE, OPERATOR, RELEASE, ROOT, WEBHOOK, container, documents_of, flags_of_the_program, helm, named, of_kind, rendered, the

# The command line with everything set that has a value in the chart.
EVERY_FLAG = [
    argument
    for name in ("a backend", "named backends", "two namespaces", "defaults", "two replicas", "a given certificate", "a page with a token")
    for argument in container(rendered(INSTALLATIONS[name]))["args"][1:]
]


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
        example = the(documents_of(OPERATOR), "Deployment")["spec"]["template"]["spec"]
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
        self.assertEqual(the(documents_of(WEBHOOK), "MutatingWebhookConfiguration")["webhooks"], [self.hook("defaults")])

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

    def test_the_policy_lets_in_who_may_read_the_page_where_it_has_a_token(self):
        def page_rules(name: str) -> list[dict]:
            rules = the(rendered(INSTALLATIONS[name]), "NetworkPolicy")["spec"]["ingress"]
            return [rule for rule in rules if rule["ports"] == [{"protocol": "TCP", "port": "page"}]]

        people = [{"namespaceSelector": {"matchLabels": {"team": "web"}}}]
        self.assertEqual([rule["from"] for rule in page_rules("a page for some")], [people])
        # A port-forward arrives inside the pod, where no policy is asked.
        self.assertEqual(page_rules("a page by port-forward in a locked-down cluster"), [])
        self.assertEqual(page_rules("a locked-down cluster"), [])

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
