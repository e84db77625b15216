"""The documents say what the tree does: links, commands, reasons, fields, counters."""

import re
import shlex
import unittest
from pathlib import Path

from chart import CHART, RELEASE, ROOT, flags_of_the_program, helm
from documents import DOCUMENTS, anchors, commands, fields_of_the_spec, generator, links, manifests, name_of, reasons_of_conditions

CACHES = ROOT / "docs" / "caches"


def table(path: Path, columns: int):
    """The rows of a document's tables that have so many cells."""
    for line in path.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("|") and len(cells) == columns and not set(line) <= set("|- "):
            yield cells


class Documents(unittest.TestCase):
    def test_what_is_generated_is_up_to_date(self):
        for path, text in generator().outputs().items():
            with self.subTest(name_of(path)):
                self.assertTrue(path.read_text("utf-8") == text, "run `make generate`")

    def test_links_lead_somewhere(self):
        for document, file, anchor in links():
            with self.subTest(document, file=file.name, anchor=anchor):
                self.assertTrue(file.exists())
                if anchor:
                    self.assertIn(anchor, anchors(file))

    def test_the_index_names_every_page(self):
        index = (ROOT / "docs" / "README.md").read_text("utf-8")
        for path in sorted((ROOT / "docs").glob("*.md")):
            if path.name != "README.md":
                self.assertIn(f"({path.name})", index)

    def test_the_readme_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text("utf-8").splitlines()), 150)

    def test_nothing_is_promised_for_later(self):
        for path in DOCUMENTS:
            self.assertNotRegex(path.read_text("utf-8"), r"\b(TODO|FIXME|XXX)\b", name_of(path))


class Commands(unittest.TestCase):
    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
        named = [(document, words) for document, words in commands() if words.startswith("make ")]
        self.assertTrue(named)
        for document, words in named:
            for target in (word for word in words.split()[1:] if "=" not in word):
                self.assertIn(target, targets, document)

    def test_values_given_to_helm_are_taken(self):
        named = [(document, words) for document, words in commands() if words.startswith(("helm install", "helm upgrade"))]
        self.assertTrue(named)
        for document, words in named:
            _, _, release, chart, *rest = shlex.split(words)
            self.assertEqual((release, chart), (RELEASE, "charts/scaledcache"), document)
            settings = [word for flag, value in zip(rest, rest[1:]) if flag == "--set" for word in (flag, value)]
            done = helm("template", release, str(CHART), *settings, check=False)
            self.assertEqual(done.returncode, 0, f"{document}: {done.stderr}")

    def test_files_given_to_kubectl_exist(self):
        for document, words in commands():
            if words.startswith("kubectl apply") and "-f -" not in words:
                for file in re.findall(r" -[fk] (\S+)", words):
                    self.assertTrue((ROOT / file).exists(), f"{document}: {file}")

    def test_flags_of_the_operator_exist(self):
        known = flags_of_the_program()
        for path in DOCUMENTS:
            for flag in re.findall(r"`--([a-z][-a-z]+)(?:=[^`]*)?`", path.read_text("utf-8")):
                if path.name not in ("simulate.md", "testing.md", "cli.md"):
                    self.assertIn(flag, known, name_of(path))


class Runbook(unittest.TestCase):
    OPERATIONS = ROOT / "docs" / "operations.md"

    def test_it_has_every_reason_of_a_condition(self):
        text = self.OPERATIONS.read_text("utf-8")
        reasons = reasons_of_conditions()
        self.assertGreater(len(reasons), 25)
        for reason in sorted(reasons):
            with self.subTest(reason):
                self.assertIn(f"`{reason}`", text)

    def test_it_has_no_reason_that_no_source_gives(self):
        sources = "".join(path.read_text("utf-8") for top in ("lib", "controller") for path in sorted((ROOT / top).rglob("*.cpp")))
        conditions = self.OPERATIONS.read_text("utf-8").partition("## Conditions")[2]
        for reason in re.findall(r"^\| `(\w+)` \|", conditions, re.MULTILINE):
            with self.subTest(reason):
                self.assertRegex(sources, rf'"{reason}"|Reason::{reason}\b')


    def test_its_events_are_those_of_the_sources(self):
        sources = "".join(path.read_text("utf-8") for path in sorted((ROOT / "controller").glob("*.cpp")))
        section = self.OPERATIONS.read_text("utf-8").partition("## Events")[2].partition("\n## ")[0]
        told = {name for line in section.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line.split(" | ")[0])}
        self.assertGreater(len(told), 10)
        for name in told:
            self.assertIn(f'"{name}"', sources)


class Migration(unittest.TestCase):
    def test_the_fields_it_leads_to_exist(self):
        fields = fields_of_the_spec()
        rows = [row for row in table(ROOT / "docs" / "migration.md", 2) if row[0] != "field"]
        self.assertGreater(len(rows), 50)
        for _, here in rows:
            for token in re.findall(r"`([a-z][A-Za-z]*(?:(?:\[\])?\.[A-Za-z]+)*(?:\[\])?)[`:]", here):
                token = token.replace("[]", "")
                inside_a_map = token.rpartition(".")[0] in ("backend.queryParameters", "backend.headers")
                with self.subTest(here):
                    self.assertTrue(inside_a_map or any(path == token or path.endswith("." + token) for path in fields), token)


class Caches(unittest.TestCase):
    def test_every_preset_has_a_page_with_its_counter(self):
        presets = (ROOT / "lib" / "prom" / "presets.cpp").read_text("utf-8")
        counters = dict(re.findall(r'\.name = "(\w+)",\s*\.metric = "(\w+)"', presets))
        self.assertGreater(len(counters), 5)
        written = {preset.strip("`"): counter.strip("`") for path in sorted(CACHES.glob("*.md")) if path.name != "README.md" for preset, counter in table(path, 2) if preset != "preset"}
        self.assertEqual(written, counters)

    def test_every_page_has_its_four_sections(self):
        for path in sorted(CACHES.glob("*.md")):
            if path.name != "README.md":
                headings = re.findall(r"^## (.+)$", path.read_text("utf-8"), re.MULTILINE)
                self.assertEqual(headings, ["Exporter", "Scrape", "How a hit shows", "Traps"], path.name)

    def test_manifests_name_presets_that_exist(self):
        presets = (ROOT / "lib" / "prom" / "presets.cpp").read_text("utf-8")
        named = [signal["preset"] for _, each in manifests() if each["kind"] == "ScaledCache" for signal in each["spec"]["signals"] if "preset" in signal]
        self.assertGreater(len(named), 9)
        for preset in named:
            self.assertIn(f'.name = "{preset}"', presets)


if __name__ == "__main__":
    unittest.main()
