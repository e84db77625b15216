"""The real operator with 500 ScaledCaches, and the browser that looks at it."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGE = pathlib.Path(os.environ.get("SCALEDCACHE_PAGE_STAGE", ROOT / "build" / "dev" / "tests" / "page" / "page_stage"))
PICTURES = ROOT / "build" / "page"
CACHES = 500
# True once every ScaledCache has its row and the browser has drawn them.
LISTED = f"document.querySelectorAll('.row').length === {CACHES}"


class Stage:
    """The program page_stage; its flags go to the operator."""

    def __init__(self, *flags, program=STAGE):
        self.process = subprocess.Popen([program, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.strip().isdigit():
            self.close()
            raise RuntimeError(f"{program} did not serve the page")
        self.origin = f"http://127.0.0.1:{line.strip()}"

    def spike(self):
        self.process.stdin.write("s")
        self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
        if code != 0:
            raise RuntimeError(f"the operator or its stage ended with {code}")
