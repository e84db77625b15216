"""Rules, alerts and dashboard: that they speak of metrics which exist and of runbooks that are written."""

import json
import re
import subprocess
import tempfile
import unittest

import yaml

from chart import CHART, ROOT, exported_metrics

RULES = CHART / "files" / "rules" / "scaledcache.yaml"
DASHBOARD = CHART / "files" / "dashboards" / "scaledcache.json"
DOCUMENT = ROOT / "docs" / "metrics.md"


def all_rules() -> list[dict]:
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def metrics_in(expression: str) -> set[str]:
    """The series that an expression reads, without those that recording rules make."""
    names = re.findall(r"(?<![:\w])((?:scaledcache|process)_[a-z_]+)(?![:\w])", expression)
    return {name.removesuffix("_bucket") for name in names}


def panels() -> list[dict]:
    return [each for each in json.loads(DASHBOARD.read_text("utf-8"))["panels"] if each["type"] != "row"]


class Rules(unittest.TestCase):
    def test_prometheus_takes_them(self):
        done = subprocess.run(["promtool", "check", "rules", str(RULES)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_alerts_fire_when_they_should_and_only_then(self):
        cases = ROOT / "tests" / "chart" / "alerts.yaml"
        done = subprocess.run(["promtool", "test", "rules", cases.name], cwd=cases.parent, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_alert_has_a_case(self):
        cases = yaml.safe_load((ROOT / "tests" / "chart" / "alerts.yaml").read_text("utf-8"))
        fired = {each["alertname"] for test in cases["tests"] for each in test["alert_rule_test"] if each.get("exp_alerts")}
        self.assertEqual(fired, {rule["alert"] for rule in all_rules() if "alert" in rule})

    def test_they_read_metrics_that_exist(self):
        known = exported_metrics()
        for rule in all_rules():
            with self.subTest(rule.get("alert", rule.get("record"))):
                self.assertLessEqual(metrics_in(rule["expr"]), known)

    def test_every_alert_names_a_section_of_the_runbook(self):
        document = (ROOT / "docs" / "operations.md").read_text("utf-8")
        anchors = {heading.lower() for heading in re.findall(r"^#+ (\w+)$", document, re.MULTILINE)}
        for rule in all_rules():
            if "alert" in rule:
                path, _, anchor = rule["annotations"]["runbook_url"].partition("#")
                self.assertEqual(path, "docs/operations.md")
                self.assertEqual(anchor, rule["alert"].lower())
                self.assertIn(anchor, anchors)


class Dashboard(unittest.TestCase):
    def test_it_reads_metrics_that_exist(self):
        known = exported_metrics()
        for panel in panels():
            with self.subTest(panel["title"]):
                read = set().union(*(metrics_in(target["expr"]) for target in panel["targets"]))
                self.assertTrue(read)
                self.assertLessEqual(read, known)

    def test_it_needs_no_edit(self):
        dashboard = json.loads(DASHBOARD.read_text("utf-8"))
        self.assertIsNone(dashboard["id"])
        self.assertNotIn("__inputs", dashboard)
        self.assertEqual(dashboard["templating"]["list"][0]["type"], "datasource")
        for panel in panels():
            for source in (panel["datasource"], *(target["datasource"] for target in panel["targets"])):
                self.assertEqual(source, {"type": "prometheus", "uid": "${datasource}"})

    def test_panels_are_told_apart_and_do_not_overlap(self):
        everything = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
        self.assertEqual(len({each["id"] for each in everything}), len(everything))
        taken: set[tuple[int, int]] = set()
        for each in everything:
            place = each["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, each["title"])
            self.assertLessEqual(place["x"] + place["w"], 24)
            taken |= cells

    def test_its_expressions_are_promql(self):
        rules = [
            {"record": f"panel:{number}", "expr": target["expr"].replace("$namespace", "n").replace("$name", "n")}
            for number, target in enumerate(target for panel in panels() for target in panel["targets"])
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
            yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}, file)
            file.flush()
            argv = ["promtool", "check", "rules", file.name]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Document(unittest.TestCase):
    def test_it_lists_what_the_program_exports_and_no_more(self):
        listed = set(re.findall(r"^\| `((?:scaledcache|process)_[a-z_]+)`", DOCUMENT.read_text("utf-8"), re.MULTILINE))
        self.assertEqual(listed, exported_metrics())

    def test_it_lists_the_recording_rules(self):
        text = DOCUMENT.read_text("utf-8")
        for rule in all_rules():
            if "record" in rule:
                self.assertIn(f"`{rule['record']}`", text)


if __name__ == "__main__":
    unittest.main()
