"""The layering check must fail on each kind of violation, and on nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-layering"


def run_on(path: str, text: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as root:
        for room in ("lib/base", "controller"):
            (pathlib.Path(root) / room).mkdir(parents=True)
        target = pathlib.Path(root) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True, check=False)


class CheckLayering(unittest.TestCase):
    def test_violations_are_found(self):
        for path, text in (
            ("lib/core/decide.cpp", '#include "http/transport.h"\n'),
            ("lib/core/decide.cpp", '#include "base/json.h"\n'),
            ("lib/base/clock.h", '#include "core/policy.h"\n'),
            ("lib/prom/decode.cpp", '#include "k8s/pod.h"\n'),
            ("lib/k8s/pod.cpp", '#include "controller/app.h"\n'),
            ("lib/k8s/pod.cpp", "#include <cpprest/json.h>\n"),
            ("lib/runtime/pool.cpp", "std::this_thread::sleep_for(delay);\n"),
            ("controller/app.cpp", "auto now = std::chrono::steady_clock::now();\n"),
        ):
            with self.subTest(path=path, text=text):
                self.assertEqual(run_on(path, text).returncode, 1)

    def test_what_is_allowed_passes(self):
        for path, text in (
            ("lib/core/decide.cpp", '#include "base/clock.h"\n'),
            ("lib/base/clock.cpp", "auto now = std::chrono::steady_clock::now();\n"),
            ("controller/app.cpp", '#include "k8s/pod.h"\n// never sleep_for( here\n'),
            ("lib/http/cpprest_transport.cpp", "#include <cpprest/http_client.h>\n"),
        ):
            with self.subTest(path=path, text=text):
                found = run_on(path, text)
                self.assertEqual(found.returncode, 0, found.stdout)


if __name__ == "__main__":
    unittest.main()
