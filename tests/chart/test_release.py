"""What a release is made of, and that continuous integration runs what developers run."""

import io
import json
import re
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import yaml

from chart import ROOT

STATUS = """Package: libc6
Status: install ok installed
Architecture: amd64
Source: glibc (2.36)
Version: 2.36-9

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1
"""


def layer(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        add(archive, {name: text.encode() for name, text in files.items()})
    return out.getvalue()


def add(archive: tarfile.TarFile, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


class Sbom(unittest.TestCase):
    def document(self, layers: dict[str, bytes]) -> dict:
        with tempfile.NamedTemporaryFile(suffix=".tar") as file:
            with tarfile.open(fileobj=file, mode="w") as archive:
                add(archive, {"manifest.json": json.dumps([{"Layers": list(layers)}]).encode(), **layers})
            file.flush()
            done = subprocess.run([ROOT / "scripts" / "sbom", file.name, "0.1.0"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_it_lists_the_newest_layers_packages_and_the_program(self):
        layers = {
            "a.tar": layer({"var/lib/dpkg/status": STATUS.replace("libc6", "old"), "usr/local/bin/scaledcache": "first"}),
            "b.tar": layer({"./var/lib/dpkg/status": STATUS, "usr/local/bin/scaledcache": "second"}),
        }
        document = self.document(layers)
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        ours, *debian = document["packages"]
        self.assertEqual((ours["name"], ours["versionInfo"]), ("scaledcache", "0.1.0"))
        self.assertEqual([(each["name"], each["versionInfo"]) for each in debian], [("deb-libc6", "2.36-9")])
        locator = debian[0]["externalRefs"][0]["referenceLocator"]
        self.assertEqual(locator, "pkg:deb/debian/libc6@2.36-9?arch=amd64&upstream=glibc")
        known = {each["SPDXID"] for each in document["packages"]} | {"SPDXRef-DOCUMENT"}
        for relationship in document["relationships"]:
            self.assertLessEqual({relationship["spdxElementId"], relationship["relatedSpdxElement"]}, known)

    def test_it_lists_what_is_compiled_into_the_program(self):
        files = {
            "var/lib/dpkg/status": STATUS,
            "usr/local/bin/scaledcache": "program",
            "usr/local/share/scaledcache/compiled-in": "libspdlog-dev 1:1.10.0+ds-0.4 arm64 spdlog\n",
        }
        document = self.document({"a.tar": layer(files)})
        part = document["packages"][-1]
        self.assertEqual(part["externalRefs"][0]["referenceLocator"], "pkg:deb/debian/libspdlog-dev@1:1.10.0%2Bds-0.4?arch=arm64&upstream=spdlog")
        ours = document["packages"][0]["SPDXID"]
        relationship = {"spdxElementId": ours, "relationshipType": "STATIC_LINK", "relatedSpdxElement": part["SPDXID"]}
        self.assertIn(relationship, document["relationships"])


class Release(unittest.TestCase):
    def release(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([ROOT / "scripts" / "release", *words], capture_output=True, text=True, check=False)

    def test_another_version_than_the_trees_is_refused_place_by_place(self):
        done = self.release("--check", "v99.0.0")
        self.assertEqual(done.returncode, 1)
        for place in ("CMakeLists.txt says", "Chart.yaml: version says", "Chart.yaml: appVersion says", "CHANGELOG.md has no section 99.0.0"):
            self.assertIn(place, done.stderr)

    def test_a_tree_that_is_not_the_tag_makes_no_release(self):
        tag = f"v{yaml.safe_load((ROOT / 'charts' / 'scaledcache' / 'Chart.yaml').read_text('utf-8'))['version']}-untagged.0"
        done = self.release(tag)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"HEAD is not {tag}", done.stderr)
        self.assertFalse((ROOT / "build" / f"release-{tag}").exists())

    def test_what_is_no_version_is_refused(self):
        for word in ("0.1.0", "v1", "latest", ""):
            self.assertEqual(self.release(word).returncode, 2)


class Integration(unittest.TestCase):
    def test_it_calls_make_targets_that_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
        jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yaml").read_text("utf-8"))["jobs"]
        called = set(jobs["check"]["strategy"]["matrix"]["target"])
        for job in jobs.values():
            for step in job["steps"]:
                called.update(re.findall(r"^make ([a-z-]+)", step.get("run", ""), re.MULTILINE))
        self.assertLessEqual({"check", "lint", "test", "test-image"}, called)
        self.assertLessEqual(called, targets)

    def test_issue_forms_are_whole(self):
        for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")):
            if path.name != "config.yml":
                form = yaml.safe_load(path.read_text("utf-8"))
                self.assertLessEqual({"name", "description", "body"}, set(form), path.name)
                identifiers = [each["id"] for each in form["body"]]
                self.assertEqual(len(identifiers), len(set(identifiers)), path.name)


class Image(unittest.TestCase):
    def test_the_dockerfile_says_what_it_makes(self):
        text = Path(ROOT / "Dockerfile").read_text("utf-8")
        for label in ("title", "description", "licenses", "version", "revision"):
            self.assertIn(f"org.opencontainers.image.{label}=", text)
        self.assertRegex(text, r"(?m)^USER 65532:65532$")


if __name__ == "__main__":
    unittest.main()
