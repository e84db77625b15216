#!/usr/bin/env python3
"""The program as people call it: help, mistakes, plugin of kubectl, completion, manual page, docs.

Usage: program_test.py PROGRAM
"""

import http.server
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv[1]).resolve()
COMMANDS = ["controller", "validate", "convert", "simulate", "explain", "doctor", "release", "completion", "man", "version"]

GOOD = """\
apiVersion: scaledcache.io/v1alpha1
kind: ScaledCache
metadata: {name: blog, namespace: blog}
spec:
  scaleTargetRef: {name: varnish}
  minReplicas: 2
  maxReplicas: 10
  signals:
    - {preset: Varnish, requestsPerReplica: 200}
"""


def run(*arguments, program=PROGRAM, given="", **environment):
    return subprocess.run(
        [str(program), *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TERM": "xterm", **environment},
        check=False,
    )


def code_blocks(path, language):
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Help(unittest.TestCase):
    def test_the_overview_names_every_command(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            answer = run(*arguments)
            self.assertEqual(answer.returncode, 0)
            for command in COMMANDS:
                self.assertRegex(answer.stdout, rf"(?m)^  {command} ")

    def test_each_command_has_help_worth_reading(self):
        for command in COMMANDS:
            with self.subTest(command):
                answer = run(command, "--help")
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertTrue(answer.stdout.startswith(f"Usage: scaledcache {command}"))
                self.assertIn("--help", answer.stdout)
                self.assertEqual(answer.stdout, run("help", command).stdout)
                self.assertLessEqual(max(map(len, answer.stdout.splitlines())), 110)

    def test_without_a_command_the_overview_is_an_error(self):
        answer = run()
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn("validate", answer.stderr)

    def test_mistyped_names_are_led_back(self):
        self.assertIn("did you mean validate?", run("validte").stderr)
        self.assertIn("did you mean --output?", run("validate", "--ouptut=json", "-").stderr)
        self.assertIn("did you mean --backend-url?", run("controller", "--backend-ulr=x").stderr)
        self.assertEqual(run("validte").returncode, 2)


class Program(unittest.TestCase):
    def test_versions(self):
        plain = run("version").stdout
        self.assertRegex(plain, r"^scaledcache \d+\.\d+\.\d+\n$")
        self.assertEqual(plain, run("--version").stdout)
        told = json.loads(run("version", "--output", "json").stdout)
        self.assertEqual(plain, f"scaledcache {told['version']}\n")
        self.assertEqual(told["apiVersion"], "scaledcache.io/v1alpha1")

    def test_as_a_plugin_it_speaks_as_kubectl(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin = Path(folder) / "kubectl-scaledcache"
            plugin.symlink_to(PROGRAM)
            self.assertIn("Usage: kubectl scaledcache validate", run("validate", "--help", program=plugin).stdout)
            self.assertEqual(run("validate", "-", program=plugin, given=GOOD).returncode, 0)

    def test_nothing_is_coloured_but_on_a_terminal(self):
        bad = GOOD.replace("minReplicas: 2", "minReplicas: 12")
        self.assertNotIn("\x1b", run("validate", "-", given=bad).stdout)
        for no_color, coloured in (("", True), ("1", False)):
            answer = self.on_a_terminal(bad, no_color)
            self.assertEqual("\x1b[" in answer, coloured, answer)

    def on_a_terminal(self, manifest, no_color):
        """What the program writes to a pseudo-terminal."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(manifest)
            file.flush()
            ours, theirs = os.openpty()
            try:
                subprocess.run(
                    [str(PROGRAM), "validate", file.name], stdout=theirs, stderr=theirs, timeout=60, check=False,
                    env={"PATH": os.environ["PATH"], "TERM": "xterm", "NO_COLOR": no_color},
                )
                return os.read(ours, 65536).decode()
            finally:
                os.close(ours)
                os.close(theirs)

    def test_explain_without_a_cluster_says_what_is_missing(self):
        answer = run("explain", "blog")
        self.assertEqual(answer.returncode, 2)
        self.assertTrue(answer.stderr.startswith("explain: "), answer.stderr)
        self.assertIn("name one ScaledCache", run("explain").stderr)


class ApiServer:
    """Answers what it is told to, over plain http on loopback."""

    def __init__(self, answers):
        self.asked = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                outer.asked.append(self.path)
                path = self.path.split("?")[0]
                body = answers.get(path, {"kind": "Status", "code": 404, "reason": "NotFound", "message": "none"})
                text = json.dumps(body).encode()
                self.send_response(200 if path in answers else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        self.folder = tempfile.TemporaryDirectory()
        config = Path(self.folder.name) / "config"
        config.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": f"http://127.0.0.1:{self.server.server_port}"}}],
            "users": [{"name": "test", "user": {}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": "blog"}}],
        }))
        self.config = str(config)
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()


CACHE = {
    "apiVersion": "scaledcache.io/v1alpha1",
    "kind": "ScaledCache",
    "metadata": {"name": "blog", "namespace": "blog", "uid": "u-1", "generation": 1},
    "spec": {
        "scaleTargetRef": {"name": "varnish"}, "minReplicas": 2, "maxReplicas": 20,
        "signals": [{"preset": "Varnish", "requestsPerReplica": 200}],
    },
    "status": {
        "observedGeneration": 1, "replicas": 10, "desiredReplicas": 10, "readyReplicas": 10,
        "signals": [{"name": "requests", "short": 1900, "peak": 1950, "health": "Fresh", "wish": 10}],
        "measuredTime": "2026-01-01T00:00:00Z",
        "lastDecision": {"time": "2026-01-01T00:00:00Z", "from": 10, "to": 10, "reason": "Steady",
                         "message": "1900 req/s need 10 replicas (200 each)"},
    },
}
EVENT = {
    "metadata": {"name": "e"}, "regarding": {"kind": "ScaledCache", "name": "blog"},
    "eventTime": "2026-01-01T00:00:00.000000Z", "type": "Normal", "reason": "ScaledUp", "note": "8 -> 10",
}


def a_list(*items):
    return {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": list(items)}


class Clusters(unittest.TestCase):
    CACHES = "/apis/scaledcache.io/v1alpha1/namespaces/blog/scaledcaches"

    def test_explain_reads_the_cache_and_its_events(self):
        answers = {
            f"{self.CACHES}/blog": CACHE,
            "/apis/events.k8s.io/v1/namespaces/blog/events": a_list(EVENT),
        }
        with ApiServer(answers) as api:
            answer = run("explain", "blog", "--kubeconfig", api.config)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            for part in ("blog/blog scales Deployment varnish: 10 replicas, 2 to 20", "> Steady",
                         "grows at 2,001 req/s, to 11", "ScaledUp           8 -> 10"):
                self.assertIn(part, answer.stdout)
            told = json.loads(run("explain", "blog/blog", "-o", "json", KUBECONFIG=api.config).stdout)
            self.assertEqual(told["outlook"]["grows"][0]["to"], 11)
            missing = run("explain", "shop", "--kubeconfig", api.config)
            self.assertEqual(missing.returncode, 2)
            self.assertIn("ScaledCache blog/shop: ", missing.stderr)

    def test_the_doctor_tells_what_is_bad(self):
        answers = {
            "/version": {"gitVersion": "v1.34.1", "minor": "34"},
            "/apis/scaledcache.io/v1alpha1": {"kind": "APIResourceList"},
            "/apis/apps/v1/deployments": a_list(),
            "/apis/scaledcache.io/v1alpha1/scaledcaches": a_list(CACHE),
            "/apis/autoscaling/v2/namespaces/blog/horizontalpodautoscalers": a_list(),
        }
        with ApiServer(answers) as api:
            answer = run("doctor", "--kubeconfig", api.config)
            self.assertEqual(answer.returncode, 1, answer.stderr)
            self.assertIn("good  API server: Kubernetes v1.34.1", answer.stdout)
            self.assertIn("bad   ScaledCache blog/blog: the operator last wrote", answer.stdout)
            self.assertIn("bad   operator: no Deployment is labelled", answer.stdout)


class Completion(unittest.TestCase):
    def complete(self, line):
        script = run("completion", "bash").stdout
        words = line.split(" ")
        asked = (
            f"{script}\nCOMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}\n"
            'compopt() { :; }\n_scaledcache\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
        )
        answer = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(answer.stderr, "")
        return answer.stdout.split()

    def test_bash_completes_commands_flags_and_values(self):
        self.assertEqual(self.complete("scaledcache va"), ["validate"])
        self.assertEqual(sorted(self.complete("scaledcache ")), sorted(COMMANDS))
        self.assertEqual(self.complete("scaledcache validate --out"), ["--output"])
        self.assertEqual(self.complete("scaledcache validate --output j"), ["json"])
        self.assertEqual(self.complete("scaledcache validate --output = j"), ["json"])
        self.assertEqual(self.complete("scaledcache validate -o "), ["text", "json", "yaml"])
        self.assertEqual(self.complete("scaledcache completion f"), ["fish"])
        self.assertEqual(self.complete("scaledcache explain bl"), [])
        self.assertIn("--backend-url", self.complete("scaledcache controller --back"))

    def test_bash_completes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "one.yaml").write_text("")
            self.assertEqual(self.complete(f"scaledcache validate {folder}/o"), [f"{folder}/one.yaml"])

    def test_every_shell_has_a_script_that_it_can_read_and_others_have_none(self):
        for shell in ("bash", "zsh", "fish"):
            script = run("completion", shell).stdout
            self.assertGreater(len(script), 1000)
            if shutil.which(shell):
                read = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False)
                self.assertEqual((read.returncode, read.stderr), (0, ""))
        self.assertEqual(run("completion", "tcsh").returncode, 2)


class Documents(unittest.TestCase):
    def test_the_manual_page_is_what_the_tables_give(self):
        page = ROOT / "docs" / "scaledcache.1"
        self.assertEqual(
            page.read_text(encoding="utf-8"), run("man").stdout,
            "write it anew: scaledcache man > docs/scaledcache.1",
        )

    def test_every_command_line_of_the_docs_has_flags_that_exist(self):
        lines = []
        for name in ("cli.md", "simulate.md"):
            for block in code_blocks(ROOT / "docs" / name, "sh"):
                lines += re.findall(r"(?:^|\| )(?:kubectl )?scaledcache ([^|>\n#]*)", block, re.MULTILINE)
        self.assertGreater(len(lines), 10)
        for line in lines:
            with self.subTest(line):
                command, *rest = shlex.split(line)
                self.assertIn(command, COMMANDS)
                text = run(command, "--help").stdout
                for flag in (word.split("=")[0] for word in rest if word.startswith("--")):
                    self.assertIn(flag, text)

    def test_every_manifest_of_the_docs_is_sound(self):
        blocks = code_blocks(ROOT / "docs" / "cli.md", "yaml")
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            with self.subTest(block):
                kind = re.search(r"^kind: (\w+)$", block, re.MULTILINE)[1]
                command = "validate" if kind == "ScaledCache" else "convert"
                answer = run(command, "-", given=block)
                self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_what_the_docs_show_of_convert_is_what_it_prints(self):
        blocks = code_blocks(ROOT / "docs" / "cli.md", "yaml")
        given = next(block for block in blocks if "kind: ScaledObject" in block)
        shown = blocks[blocks.index(given) + 1]
        self.assertEqual(run("convert", "-", given=given).stdout, shown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
