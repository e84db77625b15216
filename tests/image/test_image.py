"""The rules of the container image, on the archive that SCALEDCACHE_IMAGE names (`make test-image`).

The program is run with the image's own loader and libraries: under qemu where the image is for
another architecture than this machine's.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cluster"))

from rig import layers  # noqa: E402

ARCHIVE = os.environ.get("SCALEDCACHE_IMAGE", "")
PROGRAM = "usr/local/bin/scaledcache"
MACHINES = {"amd64": "X86-64", "arm64": "AArch64"}
EMULATORS = {"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}
FOLDERS = {"amd64": "usr/lib/x86_64-linux-gnu", "arm64": "usr/lib/aarch64-linux-gnu"}
# Files that no package brings.
OURS = re.compile(r"usr/local/|var/lib/dpkg/|etc/(passwd|group|nsswitch\.conf)$")


def run(*argv, **options) -> str:
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{argv} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not ARCHIVE:
            raise RuntimeError("SCALEDCACHE_IMAGE names no archive of an image; `make test-image` sets it")
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.root = Path(holder.name)
        cls.members = layers.unpack(ARCHIVE, cls.root)
        cls.config = layers.config_of(ARCHIVE)
        cls.architecture = cls.config["architecture"]

    def elf(self, what: str, path: Path) -> str:
        return run("readelf", "--wide", what, path)

    def needed(self, path: Path) -> set[str]:
        return set(re.findall(r"\(NEEDED\).*\[(.*)\]", self.elf("--dynamic", path)))

    def files(self):
        """Every regular file of the image that is no link to another, with its path from the root."""
        for path in sorted(self.root.rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(self.root).as_posix(), path

    def test_the_program_is_for_the_architecture_that_the_image_names(self):
        self.assertIn(MACHINES[self.architecture], self.elf("--file-header", self.root / PROGRAM))

    def test_every_elf_file_is_for_that_architecture(self):
        others = [
            name
            for name, path in self.files()
            if path.read_bytes()[:4] == b"\x7fELF" and MACHINES[self.architecture] not in self.elf("--file-header", path)
        ]
        self.assertEqual(others, [])

    def test_the_loader_is_there(self):
        loader = re.search(r"program interpreter: /(.*)\]", self.elf("--program-headers", self.root / PROGRAM))
        self.assertTrue((self.root / loader[1]).is_file(), loader[1])

    def test_every_library_is_there_and_none_that_nobody_needs(self):
        folder = self.root / FOLDERS[self.architecture]
        seen, queue = set(), [self.root / PROGRAM]
        while queue:
            for name in self.needed(queue.pop()) - seen:
                seen.add(name)
                if not name.startswith("ld-linux"):
                    self.assertTrue((folder / name).is_file(), f"{name} is missing")
                    queue.append(folder / name)
        self.assertIn("libcurl.so.4", seen)
        self.assertLessEqual({path.name for path in folder.iterdir()}, seen)

    def test_the_program_is_stripped_and_hardened(self):
        program = self.root / PROGRAM
        sections = self.elf("--section-headers", program)
        self.assertNotIn(".symtab", sections)
        self.assertNotIn(".debug_info", sections)
        dynamic = self.elf("--dynamic", program)
        self.assertRegex(dynamic, r"FLAGS_1.*NOW.*PIE")
        headers = self.elf("--program-headers", program)
        self.assertIn("GNU_RELRO", headers)
        self.assertRegex(headers, r"GNU_STACK\s.*\sRW\s")

    def test_it_runs_with_what_is_in_the_image(self):
        native = run("dpkg", "--print-architecture").strip()
        if self.architecture == native:
            loader = re.search(r"program interpreter: /(.*)\]", self.elf("--program-headers", self.root / PROGRAM))[1]
            start = [self.root / loader, "--library-path", self.root / FOLDERS[native]]
        else:
            start = [EMULATORS[self.architecture], "-L", self.root]
        version = re.search(r"^project\(scaledcache VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text("utf-8"), re.MULTILINE)[1]
        self.assertIn(version, run(*start, self.root / PROGRAM, "version"))
        manifest = ROOT / "examples" / "minimal.yaml"
        run(*start, self.root / PROGRAM, "validate", manifest)

    def test_it_runs_as_nobody_in_particular(self):
        config = self.config["config"]
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual(config["Entrypoint"], ["/usr/local/bin/scaledcache"])
        self.assertNotIn("Volumes", config)

    def test_nothing_in_it_can_be_written_or_lifts_rights(self):
        for member in self.members:
            with self.subTest(member.name):
                self.assertEqual((member.uid, member.gid), (0, 0))
                if not member.issym():
                    self.assertEqual(member.mode & 0o6022, 0)
                    self.assertTrue(member.mode & 0o004, "not readable")

    def test_there_is_no_shell_and_no_package_manager(self):
        programs = [name for name, path in self.files() if os.access(path, os.X_OK) and "/lib" not in name]
        self.assertEqual(programs, [PROGRAM])

    def test_its_labels_are_filled_in(self):
        labels = self.config["config"]["Labels"]
        for key in ("title", "description", "licenses", "version", "revision"):
            self.assertTrue(labels.get(f"org.opencontainers.image.{key}"), key)

    def test_a_node_downloads_less_than_the_limit(self):
        self.assertLess(layers.compressed_bytes(ARCHIVE), layers.MAX_COMPRESSED_BYTES)

    def test_the_material_list_names_every_package_and_every_file_is_of_one(self):
        document = json.loads(run(ROOT / "scripts" / "sbom", ARCHIVE, "0.0.0"))
        listed = {each["name"].removeprefix("deb-") for each in document["packages"]}
        covered = set()
        for path in (self.root / "var/lib/dpkg/info").glob("*.list"):
            self.assertIn(path.stem, listed)
            covered.update(line.removeprefix("/") for line in path.read_text("utf-8").splitlines())
        strays = [name for name, _ in self.files() if name not in covered and not OURS.match(name)]
        self.assertEqual(strays, [])
        self.assertLessEqual({"libc6", "libssl3", "libcurl4", "libcpprest2.10", "ca-certificates", "tzdata", "scaledcache"}, listed)
        # The rig may be told to put a program in that it did not compile.
        if not os.environ.get("SCALEDCACHE_TEST_BINARY"):
            self.assertLessEqual({"libboost1.74-dev", "nlohmann-json3-dev", "libspdlog-dev"}, listed)
        locators = [each["externalRefs"][0]["referenceLocator"] for each in document["packages"] if "externalRefs" in each]
        foreign = [each for each in locators if not re.search(rf"arch=({self.architecture}|all)&", each)]
        self.assertEqual(foreign, [])

    def test_it_can_judge_certificates_and_tell_the_time_of_day_anywhere(self):
        bundle = (self.root / "etc/ssl/certs/ca-certificates.crt").read_text("ascii")
        self.assertGreater(bundle.count("BEGIN CERTIFICATE"), 50)
        self.assertTrue((self.root / "usr/share/zoneinfo/Europe/Berlin").exists())


if __name__ == "__main__":
    unittest.main()
