"""The rights that the chart grants, against every call that the program made in all loopback tests.

The fake API server of tests/loopback writes the calls down; ctest keeps them once all of its loopback
tests have passed. `make test` runs both.
"""

import os
import unittest
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from chart import INSTALLATIONS, RELEASE, ROOT, container, of_kind, rendered

RECORD = Path(os.environ.get("SCALEDCACHE_CALLS", ROOT / "build/dev/tests/loopback/calls-of-all-tests"))
# The flags that name the operator's own objects, which the tests leave at their defaults.
OWN = {"secrets": "--webhook-secret", "mutatingwebhookconfigurations": "--webhook-configuration", "leases": "--lease-name"}
OWN_NAMES = {f"{RELEASE}-webhook", RELEASE}
# What values name, object by object: the tests have objects of other names.
CREDENTIALS = {"secrets", "configmaps", "serviceaccounts", "serviceaccounts/token"}
WATCHED = {"deployments/scale", "statefulsets/scale"}
DEFAULT_TARGETS = [{"apiGroup": "apps", "resource": name} for name in ("deployments", "statefulsets")]


@dataclass(frozen=True)
class Call:
    verb: str
    group: str
    resource: str
    name: str = ""


@dataclass(frozen=True)
class Grant:
    verb: str
    group: str
    resource: str
    names: frozenset[str] = frozenset()

    def covers(self, call: Call) -> bool:
        return self.is_of_kind(call) and (not self.names or call.name in self.names)

    def is_of_kind(self, call: Call) -> bool:
        return (self.verb, self.group, self.resource) == (call.verb, call.group, call.resource)

    def is_used(self, made: set[Call], record: set[Call]) -> bool:
        """Whether one of the calls needs it; a credential of another name stands for those that it names."""
        if any(self.covers(call) for call in made):
            return True
        others = (call for call in record if call.name not in OWN_NAMES)
        return bool(self.names) and self.resource in CREDENTIALS and any(map(self.is_of_kind, others))


def recorded() -> set[Call]:
    lines = RECORD.read_text("utf-8").splitlines()
    return {Call(verb, group, resource, name) for verb, group, resource, _, name in (line.split("\t") for line in lines)}


def grants_of(objects) -> set[Grant]:
    """What the operator itself may do, of all its roles."""
    roles = of_kind(objects, "ClusterRole") + of_kind(objects, "Role")
    return {
        Grant(verb, group, resource, frozenset(rule.get("resourceNames", ())))
        for role in roles
        if not role["metadata"]["name"].endswith(("-view", "-edit"))
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


class Need:
    """Which of the calls an installation with these values makes."""

    def __init__(self, values: str):
        self.rbac = (yaml.safe_load(values) or {}).get("rbac", {}) if values else {}
        self.arguments = container(rendered(values))["args"]

    def has_flag(self, name: str) -> bool:
        return any(each.partition("=")[0] == name for each in self.arguments)

    def renamed(self, call: Call) -> Call:
        """With the name that the installation gives to an object of the operator's own."""
        flag = OWN.get(call.resource, "")
        names = [value for name, _, value in (each.partition("=") for each in self.arguments) if name == flag]
        return replace(call, name=names[0]) if names and call.name in OWN_NAMES else call

    def is_made(self, call: Call) -> bool:
        if call.resource == "leases":
            return self.has_flag("--leader-elect")
        if call.resource == "mutatingwebhookconfigurations" or call.name == f"{RELEASE}-webhook":
            return self.has_flag("--webhook-secret")
        if call == Call("create", "", "secrets"):
            return self.has_flag("--webhook-secret")
        if call.resource == "secrets":
            return self.is_allowed("secrets", call.name)
        if call.resource.startswith("serviceaccounts"):
            return self.is_allowed("serviceAccountTokens", call.name)
        return True

    def is_allowed(self, what: str, name: str) -> bool:
        """Whether the values let the operator take credentials of this name."""
        allowed = self.rbac.get(what, {})
        return bool(allowed.get("namespaces")) and name in (allowed.get("names") or [name])

    def calls(self, recorded: set[Call]) -> set[Call]:
        """Calls of the tests' own targets stand for those of the targets that the values name."""
        others = (call for call in recorded if not call.resource.endswith("/scale"))
        calls = {self.renamed(call) for call in others if self.is_made(call)}
        for target in self.rbac.get("scaleTargets", DEFAULT_TARGETS):
            resource = f"{target['resource']}/scale"
            for call in recorded:
                same = call.resource == resource if resource in WATCHED else call.resource not in WATCHED
                if call.resource.endswith("/scale") and same:
                    calls.add(Call(call.verb, target["apiGroup"], resource))
        return calls


@unittest.skipUnless(RECORD.exists(), f"{RECORD} comes with all loopback tests: ctest --test-dir build/dev")
class Calls(unittest.TestCase):
    def test_every_call_is_granted_and_every_right_is_used(self):
        record = recorded()
        self.assertGreater(len(record), 20)
        for name, values in INSTALLATIONS.items():
            grants = grants_of(rendered(values))
            if name == "rights of one's own":
                self.assertEqual(grants, set())
                continue
            calls = Need(values).calls(record)
            with self.subTest(name):
                missing = {call for call in calls if not any(grant.covers(call) for grant in grants)}
                self.assertEqual(missing, set(), "made, but not granted")
                unused = {grant for grant in grants if not grant.is_used(calls, record)}
                self.assertEqual(unused, set(), "granted, but never used")


if __name__ == "__main__":
    unittest.main()
