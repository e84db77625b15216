"""The schema of the ScaledCache, judged by a real API server: defaults, refusals, columns."""

import copy
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rig import Cluster  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CRD = ROOT / "crds" / "scaledcaches.yaml"
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))

MINIMAL = {
    "scaleTargetRef": {"name": "varnish-burst"},
    "minReplicas": 2,
    "maxReplicas": 10,
    "signals": [{"preset": "Varnish", "requestsPerReplica": 200}],
}

# What an absent field means, as the API server fills it in.
DEFAULTS = {
    "pollInterval": "5s",
    "shortWindow": "30s",
    "longWindow": "5m",
    "cooldown": "5m",
    "failureGrace": "3m",
    "dryRun": False,
    "backend": {"timeout": "5s"},
    "fallback": {"behavior": "Hold"},
    "scaleUp": {
        "tolerancePercent": 0,
        "maxFactor": 4,
        "maxPods": 4,
        "lookAheadPercent": 25,
        "headroom": "Learned",
        "cooldown": "0s",
    },
    "scaleDown": {
        "tolerancePercent": 10,
        "stepPercent": 25,
        "interval": "60s",
        "patiencePercent": 25,
        "outageHold": 1,
    },
    "restoreReplicasOnDelete": False,
    "warmup": {
        "mode": "Off",
        "scheme": "http",
        "discoverAssets": False,
        "minHitPercent": 90,
        "concurrency": 4,
        "maxWarmingPods": 4,
        "maxOriginRequestsPerSecond": 0,
        "probe": True,
        "timeout": "2m",
        "onTimeout": "Open",
        "allowHostNetwork": False,
    },
    "drain": {"period": "15s"},
    "guards": {"scalingEffect": "Observe"},
}

# The least that a gate needs.
GATE = {"mode": "Gate", "port": 8080, "hostHeader": "www.example.com", "paths": ["/"]}
SECRET = {"name": "vm", "key": "token"}
BASELINE = {"selector": {"matchLabels": {"app": "web"}}, "requestsPerReplica": 100}
SCHEDULE = {"start": "0 7 * * mon-fri", "end": "0 19 * * mon-fri", "minReplicas": 5}

# A path and a value put there (None removes), and what the refusal must say. Signals are reached by
# their index; "+" adds an entry.
REFUSED = [
    # required fields
    ("no target", "scaleTargetRef", None, "spec.scaleTargetRef: Required value"),
    ("no name of the target", "scaleTargetRef", {}, "spec.scaleTargetRef.name: Required value"),
    ("no maximum", "maxReplicas", None, "spec.maxReplicas: Required value"),
    ("no signals", "signals", None, "spec.signals: Required value"),
    ("an empty list of signals", "signals", [], "spec.signals in body should have at least 1 items"),
    ("no threshold", "signals.0.requestsPerReplica", None, "requestsPerReplica: Required value"),
    # bounds
    ("minimum above maximum", "minReplicas", 11, "minReplicas must not be above maxReplicas"),
    ("negative minimum", "minReplicas", -1, "spec.minReplicas in body should be greater than or equal to 0"),
    ("maximum 0", "maxReplicas", 0, "spec.maxReplicas in body should be greater than or equal to 1"),
    ("maximum 10001", "maxReplicas", 10001, "should be less than or equal to 10000"),
    ("minimum 0 with a counter", "minReplicas", 0, "minReplicas is 0, which needs a query in every signal"),
    ("minimum of a wrong type", "minReplicas", "two", 'must be of type integer: "string"'),
    # durations
    ("windows out of order", "shortWindow", "10m", "shortWindow must not be above longWindow"),
    ("poll interval too short", "pollInterval", "999ms", 'spec.pollInterval: Invalid value: "999ms": must be from 1s to 10m'),
    ("poll interval too long", "pollInterval", "601s", "must be from 1s to 10m"),
    ("short window too short", "shortWindow", "4s", "must be from 5s to 1h"),
    ("short window 0", "shortWindow", "0s", "must be from 5s to 1h"),
    ("long window too long", "longWindow", "25h", "must be from shortWindow to 24h"),
    ("cooldown too long", "cooldown", "24h1ms", "must be from 0s to 24h"),
    ("a duration without a unit", "cooldown", "5", "spec.cooldown in body should match"),
    ("a duration in days", "cooldown", "5 days please", "spec.cooldown in body should match"),
    ("a negative duration", "cooldown", "-5m", "spec.cooldown in body should match"),
    ("a duration of 17 characters", "cooldown", "1h1m1s1ms1h1m1s1ms", "Too long: may not be more than 16 bytes"),
    ("a duration as a number", "cooldown", 300, 'must be of type string: "integer"'),
    ("backend timeout too short", "backend.timeout", "99ms", "must be from 100ms to 30s"),
    ("backend timeout too long", "backend.timeout", "31s", "must be from 100ms to 30s"),
    ("sample age too short", "maxSampleAge", "4s", "must be from 5s to 24h"),
    ("failure grace too long", "failureGrace", "25h", "must be from 0s to 24h"),
    ("growth cooldown too long", "scaleUp.cooldown", "25h", "must be from 0s to 24h"),
    ("interval too long", "scaleDown.interval", "25h", "must be from 0s to 24h"),
    # thresholds
    ("threshold 0", "signals.0.requestsPerReplica", 0, "must be a quantity above 0"),
    ("threshold \"0.00\"", "signals.0.requestsPerReplica", "0.00", "must be a quantity above 0"),
    ("negative threshold", "signals.0.requestsPerReplica", -200, "must be a quantity above 0"),
    ("negative threshold in text", "signals.0.requestsPerReplica", "-200", "should match"),
    ("a threshold that is no number", "signals.0.requestsPerReplica", "many", "should match"),
    ("a threshold with a fraction", "signals.0.requestsPerReplica", 1.5, 'must be of type integer,string: "number"'),
    ("a utilization of 0", "signals.0.targetUtilizationPercent", 0, "should be greater than or equal to 1"),
    ("a utilization of 101", "signals.0.targetUtilizationPercent", 101, "should be less than or equal to 100"),
    ("a negative activation rate", "signals.0.activationRate", -1, "must be a quantity of 0 or more"),
    # sources
    ("no source", "signals.0.preset", None, "must have exactly one of preset, counter.metric and query"),
    ("two sources", "signals.0.query", "1", "must have exactly one of preset, counter.metric and query"),
    ("preset and metric", "signals.0.counter", {"metric": "m"}, "must have exactly one of preset, counter.metric and query"),
    ("matchers alone", "signals.0", {"counter": {"matchers": 'a="b"'}, "requestsPerReplica": 1}, "must have exactly one of preset"),
    ("query and matchers", "signals.0", {"query": "1", "counter": {"matchers": 'a="b"'}, "requestsPerReplica": 1}, "write the matchers into the query"),
    ("an unknown preset", "signals.0.preset", "Vranish", 'Unsupported value: "Vranish": supported values: "Varnish"'),
    ("an empty query", "signals.0", {"query": "", "requestsPerReplica": 1}, "should be at least 1 chars long"),
    ("a query of 4097 characters", "signals.0", {"query": "1" * 4097, "requestsPerReplica": 1}, "Too long: may not be more than 4096"),
    ("a metric with a brace", "signals.0", {"counter": {"metric": "m{}"}, "requestsPerReplica": 1}, "counter.metric in body should match"),
    ("matchers without quotes", "signals.0.counter", {"matchers": "job=varnish"}, "must be label matchers as in PromQL"),
    ("matchers that end early", "signals.0.counter", {"matchers": 'job="varnish'}, "must be label matchers as in PromQL"),
    ("a label with a dash", "signals.0.podLabel", "pod-name", "podLabel in body should match"),
    ("no namespace label", "signals.0.namespaceLabel", "", "namespaceLabel in body should match"),
    ("two signals of one name", "signals.+", {"preset": "Nginx", "requestsPerReplica": 1}, "spec.signals[1]: Duplicate value"),
    ("nine signals", "signals", [{"name": f"s{i}", "preset": "Nginx", "requestsPerReplica": 1} for i in range(9)], "Too many: 9: must have at most 8 items"),
    ("a name of 64 characters", "signals.0.name", "a" * 64, "Too long: may not be more than 63"),
    # backend
    ("an address of another scheme", "backend.address", "ftp://metrics", "must be an http:// or https:// URL"),
    ("an address without a scheme", "backend.address", "metrics:9090", "must be an http:// or https:// URL"),
    ("an address with a user", "backend.address", "http://me:secret@metrics", "without user name"),
    ("an address with a query", "backend.address", "http://metrics/?a=b", "without user name, query"),
    ("an address with a fragment", "backend.address", "http://metrics/#a", "without user name, query, fragment"),
    ("an address with a line break", "backend.address", "http://metrics/\r\nX: y", "must be an http:// or https:// URL"),
    ("an address with a space", "backend.address", "http://met rics", "must be an http:// or https:// URL"),
    ("a header name with a space", "backend.headers", {"X Scope": "a"}, "must hold header names"),
    ("an empty header name", "backend.headers", {"": "a"}, "must hold header names"),
    ("a header name of 65 characters", "backend.headers", {"X" * 65: "a"}, "must hold header names"),
    ("a Host header", "backend.headers", {"hOsT": "a"}, "must not hold headers that belong to the transport"),
    ("an Authorization header", "backend.headers", {"Authorization": "Bearer x"}, "or hold a secret"),
    ("a header value with a line break", "backend.headers", {"X-A": "a\r\nX-B: b"}, "must not hold control characters"),
    ("17 headers", "backend.headers", {f"X-{i}": "a" for i in range(17)}, "must have at most 16 items"),
    ("a query parameter of the operator", "backend.queryParameters", {"query": "1"}, "must not hold what the operator sets itself"),
    ("a parameter with a control character", "backend.queryParameters", {"a": "\u0000"}, "must not hold control characters"),
    # steps
    ("factor 0", "scaleUp.maxFactor", 0, "should be greater than or equal to 1"),
    ("no pods at a time", "scaleUp.maxPods", 0, "should be greater than or equal to 1"),
    ("look-ahead 101", "scaleUp.lookAheadPercent", 101, "should be less than or equal to 100"),
    ("an unknown headroom", "scaleUp.headroom", "Some", 'supported values: "Learned", "None"'),
    ("step 0", "scaleDown.stepPercent", 0, "should be greater than or equal to 1"),
    ("a percentage with a fraction", "scaleDown.stepPercent", 2.5, "stepPercent in body must be of type int32"),
    ("tolerance 101", "scaleDown.tolerancePercent", 101, "should be less than or equal to 100"),
    ("outage hold 5", "scaleDown.outageHold", 5, "should be less than or equal to 4"),
    # fallback
    ("Static without replicas", "fallback.behavior", "Static", "replicas is required with behavior Static"),
    ("CurrentOrLower without replicas", "fallback.behavior", "CurrentOrLower", "replicas is required with behavior"),
    ("an unknown behavior", "fallback.behavior", "Zero", 'Unsupported value: "Zero"'),
    ("negative fallback", "fallback", {"behavior": "Static", "replicas": -1}, "should be greater than or equal to 0"),
    # target
    ("a target of a bad name", "scaleTargetRef.name", "Varnish", "scaleTargetRef.name in body should match"),
    ("a target with a path", "scaleTargetRef.name", "../secrets", "scaleTargetRef.name in body should match"),
    ("a target of a bad group", "scaleTargetRef.apiVersion", "apps/v1/x", "scaleTargetRef.apiVersion in body should match"),
    ("a name of 254 characters", "scaleTargetRef.name", "a" * 254, "Too long: may not be more than 253"),
    # who asks
    ("a backend of two places", "backend", {"name": "central", "address": "https://vm"}, "must not have both name and address"),
    ("a bad name of a backend", "backend.name", "A", "spec.backend.name in body should match"),
    ("no way to prove who asks", "backend.auth", {}, "must have exactly one of bearer, basic and header"),
    ("two ways to prove who asks", "backend.auth", {"bearer": {"secretRef": SECRET}, "header": {"name": "X", "secretRef": SECRET}}, "must have exactly one of bearer, basic and header"),
    ("an empty bearer", "backend.auth", {"bearer": {}}, "must have exactly one of secretRef and serviceAccount"),
    ("two bearers", "backend.auth.bearer", {"secretRef": SECRET, "serviceAccount": {"name": "a", "audience": "b"}}, "must have exactly one of secretRef and serviceAccount"),
    ("a secret without a key", "backend.auth.bearer.secretRef", {"name": "vm"}, "secretRef.key: Required value"),
    ("a secret of another namespace", "backend.auth.bearer.secretRef", {"name": "other/vm", "key": "a"}, "secretRef.name in body should match"),
    ("an account without an audience", "backend.auth.bearer.serviceAccount", {"name": "a"}, "audience: Required value"),
    ("a user with a colon", "backend.auth.basic", {"username": "a:b", "passwordSecretRef": SECRET}, "basic.username in body should match"),
    ("no password", "backend.auth.basic", {"username": "a"}, "passwordSecretRef: Required value"),
    ("a secret as Host", "backend.auth.header", {"name": "Host", "secretRef": SECRET}, "must not be a header that belongs to the transport"),
    ("a header with a colon", "backend.auth.header", {"name": "A:", "secretRef": SECRET}, "header.name in body should match"),
    ("a secret over http", "backend", {"address": "http://vm", "auth": {"bearer": {"secretRef": SECRET}}}, "would be sent unencrypted"),
    ("tls over http", "backend", {"address": "http://vm", "tls": {}}, "has no use, since the address is http"),
    ("a CA of another kind", "backend.tls.caRef", {"kind": "File", "name": "ca"}, 'supported values: "ConfigMap", "Secret"'),
    ("a server name with a port", "backend.tls.serverName", "vm:443", "serverName in body should match"),
    ("a certificate without a name", "backend.tls.clientCertificateSecretRef", {}, "name: Required value"),
    # baseline and schedules
    ("an age of a counter", "signals.0.ageQuery", "1", "must stand beside query only"),
    ("a counter that includes the baseline", "signals.0.includesBaseline", True, "must stand beside query only"),
    ("a baseline without pods", "baseline", {"requestsPerReplica": 1}, "selector: Required value"),
    ("a baseline of everything", "baseline", BASELINE | {"selector": {}}, "must select pods by matchLabels or matchExpressions"),
    ("a baseline that carries nothing", "baseline", BASELINE | {"requestsPerReplica": 0}, "must be a quantity above 0"),
    ("a baseline and a query", "", {"baseline": BASELINE, "signals": [{"query": "1", "requestsPerReplica": 1}]}, "must be a counter, or a query that sets includesBaseline"),
    ("a label with a comma", "baseline", BASELINE | {"selector": {"matchLabels": {"a,b": "c"}}}, "must hold keys of labels"),
    ("a label's value with a comma", "baseline.selector.matchLabels", {"a": "b,c"}, "should match"),
    ("an unknown operator", "baseline.selector.matchExpressions", [{"key": "a", "operator": "Is", "values": ["b"]}], 'supported values: "In"'),
    ("In without values", "baseline", BASELINE | {"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, "must have values with operator In and NotIn"),
    ("Exists with values", "baseline", BASELINE | {"selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}}, "none with Exists and DoesNotExist"),
    ("a schedule without an end", "schedules", [{"start": "0 7 * * *", "minReplicas": 3}], "end: Required value"),
    ("a schedule without a minimum", "schedules", [{"start": "0 7 * * *", "end": "0 9 * * *"}], "minReplicas: Required value"),
    ("a negative minimum of a schedule", "schedules", [SCHEDULE | {"minReplicas": -1}], "should be greater than or equal to 0"),
    ("17 schedules", "schedules", [SCHEDULE] * 17, "must have at most 16 items"),
    # warm-up, drain, guards
    ("a gate without a port", "warmup", {k: v for k, v in GATE.items() if k != "port"}, "port is required with mode Gate"),
    ("a gate on port 0", "warmup", GATE | {"port": 0}, "port is required with mode Gate"),
    ("a gate without a host", "warmup", {k: v for k, v in GATE.items() if k != "hostHeader"}, "hostHeader is required with mode Gate"),
    ("a gate without paths", "warmup", GATE | {"paths": []}, "paths, pathsFrom or sitemap is required with mode Gate"),
    ("an unknown mode", "warmup.mode", "On", 'supported values: "Off", "Gate"'),
    ("a named port", "warmup.port", "http", 'must be of type integer: "string"'),
    ("a port above all", "warmup.port", 65536, "should be less than or equal to 65535"),
    ("another scheme of the pods", "warmup.scheme", "ftp", 'supported values: "http", "https"'),
    ("a host with a path", "warmup.hostHeader", "a/b", "hostHeader in body should match"),
    ("a path without a slash", "warmup.paths", ["a"], "warmup.paths[0] in body should match"),
    ("a path with a space", "warmup.paths", ["/a b"], "warmup.paths[0] in body should match"),
    ("a path with a fragment", "warmup.paths", ["/a#b"], "warmup.paths[0] in body should match"),
    ("257 paths", "warmup.paths", ["/"] * 257, "must have at most 256 items"),
    ("paths from a ConfigMap without a key", "warmup.pathsFrom", {"name": "hot"}, "key: Required value"),
    ("a sitemap elsewhere", "warmup.sitemap", "http://a/s.xml", "sitemap in body should match"),
    ("nine variants", "warmup.variants", [{}] * 9, "must have at most 8 items"),
    ("a cookie", "warmup.variants", [{"cOOkie": "a=b"}], "must not hold headers that belong to the transport"),
    ("a variant of a bad name", "warmup.variants", [{"A B": "c"}], "must hold header names"),
    ("a variant with a line break", "warmup.variants", [{"A": "b\r\nC: d"}], "should match"),
    ("hits above all", "warmup.minHitPercent", 101, "should be less than or equal to 100"),
    ("a hit header with a space", "warmup.hitHeader", "X Hit", "hitHeader in body should match"),
    ("no request at a time", "warmup.concurrency", 0, "should be greater than or equal to 1"),
    ("no pod at a time", "warmup.maxWarmingPods", 0, "should be greater than or equal to 1"),
    ("a negative origin limit", "warmup.maxOriginRequestsPerSecond", -1, "must be a quantity of 0 or more"),
    ("a long warm-up", "warmup.timeout", "2h", "must be from 1s to 1h"),
    ("another end of a warm-up", "warmup.onTimeout", "Close", 'supported values: "Open", "Hold"'),
    ("a long drain", "drain.period", "2h", "must be from 0s to 1h"),
    ("no drain at a time", "drain.maxConcurrent", 0, "should be greater than or equal to 1"),
    ("a floor of 0", "guards.minHitPercent", 0, "should be greater than or equal to 1"),
    ("an origin without requests", "guards.maxFleetOriginRequestsPerSecond", 0, "must be a quantity above 0"),
    ("no egress", "guards.maxEgressBitsPerSecond", "0", "must be a quantity above 0"),
    ("an unknown guard", "guards.scalingEffect", "Off", 'supported values: "Observe", "Enforce"'),
]

# What looks odd and must be taken.
ACCEPTED = [
    ("a threshold below 1", "signals.0.requestsPerReplica", "250m"),
    ("a threshold in thousands", "signals.0.requestsPerReplica", "1.5k"),
    ("a preset with matchers", "signals.0.counter", {"matchers": '{host="*", job=~"a|b",}'}),
    ("matchers with escapes", "signals.0.counter", {"matchers": r'path!~"a\\.b\"c",x=' + "'y'"}),
    ("no pod label", "signals.0.podLabel", ""),
    ("minimum 0 with a query", "", {"minReplicas": 0, "signals": [{"query": "1", "requestsPerReplica": 1}]}),
    ("minimum and maximum alike", "minReplicas", 10),
    ("equal windows", "", {"shortWindow": "60s", "longWindow": "1m"}),
    ("no cooldown", "cooldown", "0s"),
    ("a cooldown of a day", "cooldown", "24h"),
    ("fractions of hours", "cooldown", "1.5h"),
    ("an address with a path", "backend.address", "https://vm.example:8427/select/0/prometheus/"),
    ("an IPv6 address", "backend.address", "http://[fd00::1]:9090"),
    ("a tenant", "backend.headers", {"X-Scope-OrgID": "team-a|team-b"}),
    ("a null that has a default", "shortWindow", None),
    ("fallback Maximum", "fallback.behavior", "Maximum"),
    ("fallback Static with replicas", "fallback", {"behavior": "Static", "replicas": 5}),
    ("a StatefulSet", "scaleTargetRef.kind", "StatefulSet"),
    ("a named backend with a token", "backend", {"name": "central", "auth": {"bearer": {"secretRef": SECRET}}}),
    ("a token over https", "backend", {"address": "https://vm", "auth": {"bearer": {"serviceAccount": {"name": "a", "audience": "b"}}}}),
    ("a token over http, as wished", "backend", {"address": "http://vm", "auth": {"allowInsecure": True, "header": {"name": "X-Api-Key", "secretRef": SECRET}}}),
    ("a password", "backend.auth.basic", {"username": "me", "passwordSecretRef": SECRET}),
    ("a CA", "backend.tls", {"caRef": {"name": "ca"}, "serverName": "vm", "clientCertificateSecretRef": {"name": "cert"}}),
    ("a baseline", "baseline", BASELINE),
    ("a baseline by expressions", "baseline", BASELINE | {"selector": {"matchExpressions": [{"key": "example.com/tier", "operator": "In", "values": ["a", ""]}, {"key": "b", "operator": "Exists"}]}}),
    ("a baseline and its query", "", {"baseline": BASELINE, "signals": [{"query": "1", "ageQuery": "2", "includesBaseline": True, "requestsPerReplica": 1}]}),
    ("sixteen schedules", "schedules", [SCHEDULE | {"timeZone": "Europe/Berlin"}] * 16),
    ("a gate", "warmup", GATE),
    ("a gate by a sitemap", "warmup", {"mode": "Gate", "port": 80, "hostHeader": "[fd00::1]:80", "sitemap": "/sitemap.xml"}),
    ("a gate with all there is", "warmup", GATE | {"pathsFrom": {"name": "hot", "key": "list"}, "variants": [{"Accept-Encoding": "gzip"}, {}], "maxOriginRequestsPerSecond": "1.5k", "onTimeout": "Hold", "hitHeader": "X-Hit"}),
    ("256 long paths", "warmup", GATE | {"paths": ["/" + "a" * 2047] * 256}),
    ("a drain", "drain", {"mode": "Gate", "period": "0s", "maxConcurrent": 3}),
    ("guards", "guards", {"minHitPercent": 80, "maxFleetOriginRequestsPerSecond": 100, "maxEgressBitsPerSecond": "10G", "scalingEffect": "Enforce"}),
    ("eight signals", "signals", [{"name": f"s{i}", "preset": "Nginx", "requestsPerReplica": 1} for i in range(8)]),
]


def edited(path, value):
    """MINIMAL with `value` at `path`; None removes what is there, "" merges into the spec."""
    spec = copy.deepcopy(MINIMAL)
    if path == "":
        return spec | value
    *parents, last = path.split(".")
    place = spec
    for step in parents:
        place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
    if last == "+":
        place.append(value)
    elif isinstance(place, list):
        place[int(last)] = value
    elif value is None:
        place.pop(last, None)
    else:
        place[last] = value
    return spec


def manifest(spec, name="blog"):
    return {
        "apiVersion": "scaledcache.io/v1alpha1",
        "kind": "ScaledCache",
        "metadata": {"name": name},
        "spec": spec,
    }


class CrdTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(mode="fast"))
        cls.space = cls.cluster.space("crd-test")
        cls.cluster.kubectl("create", "namespace", cls.space)
        cls.cluster.kubectl("apply", "-f", str(CRD))
        cls.cluster.wait_for("the new kind", lambda: cls.create(manifest(MINIMAL)).returncode == 0)

    @classmethod
    def create(cls, body, *flags):
        """What `kubectl create` says; nothing is stored."""
        verb = ("create", "--dry-run=server", "-o", "json", "-n", cls.space, *flags, "-f", "-")
        argv = cls.cluster.kubectl_argv(*verb)
        return cls.cluster.run(argv, check=False, input=json.dumps(body))

    def store(self, body):
        argv = self.cluster.kubectl_argv("apply", "-n", self.space, "-f", "-")
        self.cluster.run(argv, input=json.dumps(body))
        name = body["metadata"]["name"]
        self.addCleanup(self.cluster.kubectl, "delete", "scache", name, "-n", self.space)

    def test_absent_fields_show_their_defaults(self):
        spec = json.loads(self.create(manifest(MINIMAL)).stdout)["spec"]
        for field, value in DEFAULTS.items():
            with self.subTest(field):
                self.assertEqual(spec[field], value)
        self.assertEqual(
            spec["scaleTargetRef"],
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "varnish-burst"},
        )
        signal = {"name": "requests", "podLabel": "pod", "namespaceLabel": "namespace"}
        signal |= {"targetUtilizationPercent": 100, "activationRate": 0}
        self.assertLessEqual(signal.items(), spec["signals"][0].items())

    def test_the_minimum_is_one_by_default(self):
        spec = {key: value for key, value in MINIMAL.items() if key != "minReplicas"}
        self.assertEqual(json.loads(self.create(manifest(spec)).stdout)["spec"]["minReplicas"], 1)

    def test_what_makes_no_sense_is_refused_with_a_sentence(self):
        for name, path, value, sentence in REFUSED:
            with self.subTest(name):
                answer = self.create(manifest(edited(path, value)))
                self.assertNotEqual(answer.returncode, 0, answer.stdout)
                self.assertIn(sentence, answer.stderr)
                self.assertNotIn("internal error", answer.stderr.lower())

    def test_what_only_looks_odd_is_taken(self):
        for name, path, value in ACCEPTED:
            with self.subTest(name):
                answer = self.create(manifest(edited(path, value)))
                self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_examples_are_taken_as_they_are(self):
        self.assertGreaterEqual(len(EXAMPLES), 4)
        for path in EXAMPLES:
            with self.subTest(path.name):
                body = self.cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", str(path))
                body = json.loads(body)
                body["metadata"].pop("namespace", None)
                answer = self.create(body)
                self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_an_unknown_field_is_refused_or_pruned(self):
        body = manifest(MINIMAL | {"maxReplica": 3, "scaleUp": {"maxPod": 2}})
        strict = self.create(body)
        self.assertNotEqual(strict.returncode, 0)
        self.assertIn('unknown field "spec.maxReplica"', strict.stderr)
        self.assertIn('unknown field "spec.scaleUp.maxPod"', strict.stderr)
        pruned = self.create(body, "--validate=ignore")
        spec = json.loads(pruned.stdout)["spec"]
        self.assertNotIn("maxReplica", spec)
        self.assertNotIn("maxPod", spec["scaleUp"])

    def test_the_short_name_and_the_columns_tell_what_is_going_on(self):
        self.store(manifest(MINIMAL, "columns"))
        status = {
            "reason": "CoolingDown",
            "replicas": 10,
            "desiredReplicas": 10,
            "readyReplicas": 10,
            "warmReplicas": 9,
            "warming": 1,
            "draining": 1,
            "drainGoal": 8,
            "originalReplicas": 3,
            "drains": [{"pod": "a", "uid": "u", "since": "2026-01-01T00:00:00Z"}],
            "pods": [
                {"name": "a", "state": "Draining"},
                {"name": "b", "state": "Warming", "hitPercent": 40, "seconds": 2.5, "message": "m"},
            ],
            "signals": [{"name": "requests", "short": 2299, "peak": 2311.5}],
            "measuredTime": "2026-01-01T00:00:00.000000Z",
            "conditions": [
                {
                    "type": kind,
                    "status": "True",
                    "reason": "AsExpected",
                    "message": "",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
                for kind in ("Ready", "ScalingLimited")
            ],
        }
        patch = ("patch", "scache", "columns", "-n", self.space, "--type=merge")
        self.cluster.kubectl(
            *patch, "--subresource=status", "-p", json.dumps({"status": status})
        )
        shown = self.cluster.kubectl("get", "scache", "columns", "-n", self.space, "-o", "wide")
        header, row = shown.splitlines()
        want = "NAME TARGET MIN MAX REPLICAS DESIRED RATE READY REASON AGE"
        want += " PEAK WARM LIMITED FALLBACK MEASURED"
        self.assertEqual(header.split(), want.split())
        self.assertEqual(
            row.split()[:9],
            ["columns", "varnish-burst", "2", "10", "10", "10", "2299", "True", "CoolingDown"],
        )
        read = ("get", "scache", "columns", "-n", self.space, "-o", "json")
        self.assertEqual(json.loads(self.cluster.kubectl(*read))["status"], status)

    def test_status_changes_only_through_its_own_door(self):
        self.store(manifest(MINIMAL, "doors"))
        patch = ("patch", "scache", "doors", "-n", self.space, "--type=merge", "-p")
        self.cluster.kubectl(*patch, '{"status":{"reason":"Steady"}}')
        read = ("get", "scache", "doors", "-n", self.space, "-o", "json")
        self.assertNotIn("status", json.loads(self.cluster.kubectl(*read)))
        self.cluster.kubectl(*patch, '{"status":{"reason":"Steady"}}', "--subresource=status")
        self.assertEqual(json.loads(self.cluster.kubectl(*read))["status"]["reason"], "Steady")


if __name__ == "__main__":
    unittest.main()
