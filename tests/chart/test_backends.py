"""Backends that the values name: the file, where it is mounted, and the rights that it needs."""

import unittest

import yaml

from chart import CHART, INSTALLATIONS, NAMESPACE, RELEASE, container, helm, named, of_kind, rendered, the

VALUES = INSTALLATIONS["named backends"]
NAME = f"{RELEASE}-backends"


class Backends(unittest.TestCase):
    def test_the_file_says_what_the_values_say(self):
        file = the(rendered(VALUES), "ConfigMap")
        self.assertEqual(file["metadata"]["name"], NAME)
        self.assertEqual(yaml.safe_load(file["data"]["backends.yaml"]), yaml.safe_load(VALUES)["backend"]["named"])

    def test_the_program_is_told_where_it_is_mounted(self):
        pod = the(rendered(VALUES), "Deployment")["spec"]["template"]["spec"]
        self.assertEqual(pod["volumes"], [{"name": "backends", "configMap": {"name": NAME}}])
        folder = pod["containers"][0]["volumeMounts"][0]["mountPath"]
        self.assertIn(f"--backends-config={folder}/backends.yaml", pod["containers"][0]["args"])
        self.assertNotIn("--backends-config", " ".join(container(rendered())["args"]))

    def test_what_it_refers_to_may_be_read_by_name_in_the_own_namespace(self):
        role = named(rendered(VALUES), "Role", NAME)
        self.assertEqual(role["metadata"]["namespace"], NAMESPACE)
        rights = {
            (resource, verb): rule["resourceNames"]
            for rule in role["rules"]
            for resource in rule["resources"]
            for verb in rule["verbs"]
        }
        expected = {
            ("secrets", "get"): ["mimir-ca", "vm-client", "vm-token"],
            ("configmaps", "get"): ["vm-ca"],
            ("serviceaccounts", "get"): ["reader"],
            ("serviceaccounts/token", "create"): ["reader"],
        }
        self.assertEqual(rights, expected)

    def test_backends_without_references_need_no_rights(self):
        objects = rendered("backend: {named: {open: {url: 'http://prometheus:9090'}}}")
        self.assertNotIn(NAME, [each["metadata"]["name"] for each in of_kind(objects, "Role")])

    def test_what_makes_no_sense_is_refused(self):
        for backend in ("{}", "{url: vm}", "{url: 'https://vm', tls: {insecureSkipVerify: true}}", "{url: 'https://vm', token: abc}"):
            with self.subTest(backend):
                done = helm("template", RELEASE, str(CHART), values=f"backend: {{named: {{a: {backend}}}}}", check=False)
                self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
