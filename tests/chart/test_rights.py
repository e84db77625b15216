"""The rights that the chart grants. That the program makes these calls and no others: test_calls.py."""

import unittest

from chart import INSTALLATIONS, OPERATOR, RELEASE, WEBHOOK, documents_of, hooks, named, of_kind, rendered, the

# Every call that the program makes in a namespace, as (group, resource) → verbs.
CALLS = {
    ("scaledcache.io", "scaledcaches"): {"get", "list", "watch", "patch"},
    ("scaledcache.io", "scaledcaches/status"): {"patch"},
    ("apps", "deployments"): {"list", "watch"},
    ("apps", "statefulsets"): {"list", "watch"},
    ("apps", "replicasets"): {"list", "watch"},
    ("apps", "deployments/scale"): {"patch"},
    ("apps", "statefulsets/scale"): {"patch"},
    ("", "pods"): {"get", "list", "watch", "patch"},
    ("", "pods/status"): {"patch"},
    ("", "services"): {"list"},
    ("", "configmaps"): {"get"},
    ("autoscaling", "horizontalpodautoscalers"): {"list", "watch"},
    ("events.k8s.io", "events"): {"create"},
}


def granted(rules) -> dict[tuple[str, str], set[str]]:
    """Rules of a role as (group, resource) → verbs."""
    rights: dict[tuple[str, str], set[str]] = {}
    for rule in rules:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                rights.setdefault((group, resource), set()).update(rule["verbs"])
    return rights


class Rights(unittest.TestCase):
    def test_they_are_the_calls_that_the_program_makes(self):
        self.assertEqual(granted(named(rendered(), "ClusterRole", RELEASE)["rules"]), CALLS)

    def test_some_namespaces_get_the_same_and_the_cluster_nothing(self):
        for name in ("two namespaces", "namespaces in a list"):
            objects = rendered(INSTALLATIONS[name])
            roles = [each for each in of_kind(objects, "Role") if each["metadata"]["name"] == RELEASE]
            self.assertEqual({each["metadata"]["namespace"] for each in roles}, {"blog", "shop"})
            for role in roles:
                self.assertEqual(granted(role["rules"]), CALLS)
            bound = [each["metadata"]["name"] for each in of_kind(objects, "ClusterRoleBinding")]
            self.assertEqual(bound, ["scaledcache-webhook"])

    def test_other_targets_are_known_by_their_scale_alone(self):
        rules = named(rendered(INSTALLATIONS["other targets"]), "ClusterRole", RELEASE)["rules"]
        rights = granted(rules)
        self.assertNotIn(("argoproj.io", "rollouts"), rights)
        self.assertEqual(rights["argoproj.io", "rollouts/scale"], {"get", "patch"})
        self.assertEqual(rights["apps.kruise.io", "clonesets/scale"], {"get", "patch"})
        self.assertNotIn(("apps", "statefulsets/scale"), rights)

    def test_what_is_always_watched_may_be_watched_whatever_is_scaled(self):
        rights = granted(named(rendered(INSTALLATIONS["other targets"]), "ClusterRole", RELEASE)["rules"])
        for resource in ("deployments", "statefulsets", "replicasets"):
            self.assertEqual(rights["apps", resource], {"list", "watch"}, resource)

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
        rights = named(documents_of(OPERATOR), "ClusterRole", RELEASE)["rules"]
        self.assertEqual(rights, named(rendered(), "ClusterRole", RELEASE)["rules"])
        objects = rendered(INSTALLATIONS["two replicas"])
        for kind, name in (("ClusterRole", "scaledcache-webhook"), ("Role", "scaledcache-own")):
            rights = named(documents_of(WEBHOOK), kind, name)["rules"]
            self.assertEqual(rights, named(objects, kind, name)["rules"], name)

    def test_what_runs_after_an_uninstall_has_rights_of_its_own_that_go_with_it(self):
        for name, kind in (("defaults", "ClusterRole"), ("one namespace", "Role")):
            objects = hooks(INSTALLATIONS[name])
            self.assertEqual({each["metadata"]["annotations"]["helm.sh/hook"] for each in objects}, {"post-delete"})
            policies = {each["metadata"]["annotations"]["helm.sh/hook-delete-policy"] for each in objects}
            self.assertEqual(policies, {"before-hook-creation,hook-succeeded,hook-failed"})
            rights = granted(the(objects, kind)["rules"])
            expected = {("", "pods"): {"list"}, ("", "pods/status"): {"patch"}}
            self.assertEqual(rights, expected | {("scaledcache.io", "scaledcaches"): {"list", "patch"}})
            pod = the(objects, "Job")["spec"]["template"]["spec"]
            self.assertEqual(pod["serviceAccountName"], the(objects, "ServiceAccount")["metadata"]["name"])
            self.assertEqual(the(objects, f"{kind}Binding")["subjects"][0]["name"], pod["serviceAccountName"])
            operator = the(rendered(INSTALLATIONS[name]), "Deployment")["spec"]["template"]["spec"]
            self.assertEqual(pod["securityContext"], operator["securityContext"])
            self.assertEqual(pod["containers"][0]["image"], operator["containers"][0]["image"])
        self.assertEqual(hooks("removal: {enabled: false}"), ())

    def test_rights_of_ones_own_leave_none_of_ours(self):
        objects = rendered(INSTALLATIONS["rights of one's own"])
        self.assertEqual([each["kind"] for each in objects if "Role" in each["kind"]], [])
        self.assertEqual(the(objects, "Deployment")["spec"]["template"]["spec"]["serviceAccountName"], "mine")


if __name__ == "__main__":
    unittest.main()
