"""values.schema.json: what it refuses, in words that name the value, and that it knows every value."""

import json
import re
import unittest

import yaml

from chart import CHART, RELEASE, helm

# Values that make no sense, and what the refusal must name.
REFUSED = [
    ("a misspelt name", "{replicaCount: 2}", ["replicaCount"]),
    ("a misspelt name inside", "{operator: {replicas: 2}}", ["/operator", "replicas"]),
    ("a count as text", "{operator: {replicaCount: two}}", ["/operator/replicaCount", "want integer"]),
    ("workers 0", "{operator: {workers: 0}}", ["/operator/workers", "minimum"]),
    ("a limit that is none", "{operator: {maxReplicasLimit: 0}}", ["/operator/maxReplicasLimit", "minimum"]),
    ("a backend without a scheme", "{backend: {url: 'prometheus:9090'}}", ["/backend/url"]),
    ("a backend with a password", "{backend: {url: 'http://me:secret@prometheus'}}", ["/backend/url"]),
    ("a label with a dash", "{backend: {replicaLabels: [a-b]}}", ["/backend/replicaLabels/0"]),
    ("an unknown log level", "{logging: {operator: {level: trace}}}", ["/logging/operator/level", "debug"]),
    ("an unknown log format", "{logging: {operator: {format: xml}}}", ["/logging/operator/format", "json"]),
    ("an unknown pull policy", "{image: {pullPolicy: Sometimes}}", ["/image/pullPolicy"]),
    ("a digest that is none", "{image: {digest: 'md5:1'}}", ["/image/digest"]),
    ("a port of the kernel's", "{service: {port: 80}}", ["/service/port", "minimum"]),
    ("no label for namespaces", "{webhooks: {namespaceLabels: {scaledcache.io/inject: null}}}", ["/webhooks/namespaceLabels"]),
    ("an unknown failure policy", "{webhooks: {failurePolicy: Maybe}}", ["/webhooks/failurePolicy", "Ignore"]),
    ("a webhook that may take minutes", "{webhooks: {timeoutSeconds: 60}}", ["/webhooks/timeoutSeconds", "maximum"]),
    ("ten replicas", "{operator: {replicaCount: 10}}", ["/operator/replicaCount", "maximum"]),
    ("nothing to scale", "{rbac: {scaleTargets: []}}", ["/rbac/scaleTargets"]),
    ("a target without a group", "{rbac: {scaleTargets: [{resource: deployments}]}}", ["/rbac/scaleTargets/0", "apiGroup"]),
    ("a target with a slash", "{rbac: {scaleTargets: [{apiGroup: apps, resource: deployments/scale}]}}", ["/rbac/scaleTargets/0/resource"]),
    ("a namespace in capitals", "{watchNamespace: [Blog]}", ["/watchNamespace"]),
    ("a label that is no text", "{podLabels: {a: 1}}", ["/podLabels/a", "want string"]),
    ("a flag with dashes in front", "{extraArgs: {--log-level: debug}}", ["--log-level", "does not match pattern"]),
    ("two disruption budgets", "{podDisruptionBudget: {operator: {minAvailable: 1, maxUnavailable: 1}}}", ["/podDisruptionBudget/operator"]),
    ("an interval without a unit", "{prometheus: {operator: {podMonitor: {interval: '15'}}}}", ["/prometheus/operator/podMonitor/interval"]),
    ("a precedence out of range", "{flowSchema: {matchingPrecedence: 0}}", ["/flowSchema/matchingPrecedence"]),
]


class Schema(unittest.TestCase):
    def test_what_makes_no_sense_is_refused_by_name(self):
        for name, values, words in REFUSED:
            with self.subTest(name):
                done = helm("template", RELEASE, str(CHART), values=values, check=False)
                self.assertNotEqual(done.returncode, 0)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_it_describes_every_value_and_no_other(self):
        for path, part, value in self.described():
            with self.subTest(path):
                self.assertEqual(set(part["properties"]) - {"global"}, set(value))
                self.assertIs(part["additionalProperties"], False)

    def test_every_value_is_used_by_a_template(self):
        text = "".join(each.read_text("utf-8") for each in sorted((CHART / "templates").iterdir()))
        for path, _, value in self.described():
            for key in value:
                used = re.search(rf"\.{re.escape(key)}\b", text)
                self.assertTrue(used, f"{path}/{key}")

    def described(self):
        """The maps of values.yaml whose keys the schema lists, as (path, schema, values)."""
        schema = json.loads((CHART / "values.schema.json").read_text("utf-8"))
        values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))

        def walk(path, part, value):
            part = schema["definitions"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
            # A disruption budget has one of two keys, and neither by default.
            if "properties" in part and "maxProperties" not in part:
                yield path, part, value
                for key in set(value) & set(part["properties"]):
                    yield from walk(f"{path}/{key}", part["properties"][key], value[key])

        return list(walk("", schema, values))


if __name__ == "__main__":
    unittest.main()
