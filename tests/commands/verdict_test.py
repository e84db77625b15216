#!/usr/bin/env python3
"""`scaledcache validate` offline against the verdicts that a real API server gives.

Usage: verdict_test.py PROGRAM

The rows are those of tests/cluster/test_crd.py, which asks the API server.
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cluster"))

import test_crd  # noqa: E402

PROGRAM = Path(sys.argv[1]).resolve()


def verdict(path, value):
    """The problems that the program finds in the row's manifest."""
    manifest = test_crd.manifest(test_crd.edited(path, value))
    answer = subprocess.run(
        [str(PROGRAM), "validate", "--output", "json", "-"],
        input=json.dumps(manifest), capture_output=True, text=True, timeout=60, check=False,
    )
    if answer.returncode == 2:
        raise AssertionError(answer.stderr)
    told = json.loads(answer.stdout)
    return [f for f in told["findings"] if f["kind"] == "problem"]


class Verdicts(unittest.TestCase):
    def test_what_the_api_server_refuses_is_a_problem(self):
        self.assertGreater(len(test_crd.REFUSED), 60)
        for name, path, value, _ in test_crd.REFUSED:
            with self.subTest(name):
                self.assertTrue(verdict(path, value))

    def test_what_the_api_server_takes_is_none(self):
        self.assertGreater(len(test_crd.ACCEPTED), 10)
        for name, path, value in test_crd.ACCEPTED:
            with self.subTest(name):
                self.assertEqual(verdict(path, value), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
