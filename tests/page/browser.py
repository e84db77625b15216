"""Chromium by its WebDriver protocol: as much of it as the tests of the page need."""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015", "Up": "\ue013", "Left": "\ue012",
        "Home": "\ue011", "End": "\ue010", "Shift": "\ue008"}
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
         "--no-proxy-server", "--window-size=1440,900"]


class Browser:
    """One Chromium with a profile of its own, gone at the end."""

    def __init__(self, dark=False, listens=True):
        self.profile = tempfile.mkdtemp(prefix="scaledcache-page-")
        # Port 0: the driver says which one it took.
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        port = None
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                port = int(found[1])
                break
        if port is None:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{port}"
        options = {"args": [*FLAGS, f"--user-data-dir={self.profile}"], "binary": shutil.which("chromium")}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options}
        if listens:  # for complaints() and requested(); it costs time
            capabilities["goog:loggingPrefs"] = {"browser": "ALL", "performance": "ALL"}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.base += f"/session/{answer['sessionId']}"
        self.call("POST", "/timeouts", {"script": 150_000})
        self.scheme(dark)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def scheme(self, dark):
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                {"name": "prefers-reduced-motion", "value": "reduce"}])

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a JavaScript function body."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, *arguments, seconds=60):
        """Until the expression is true; fails with it and the page's text when it stays false."""
        done = self.call("POST", "/execute/async", {"script": f"""
            const arguments_ = [...arguments], done = arguments_.pop(), holds = new Function('return ' + {json.dumps(condition)});
            const begun = performance.now();
            const look = () => {{
              let value = false;
              try {{ value = holds.apply(null, arguments_); }} catch {{ value = false; }}
              if (value || performance.now() - begun > {seconds * 1000}) done(Boolean(value));
              else requestAnimationFrame(look);
            }};
            look();""", "args": list(arguments)})
        if not done:
            raise AssertionError(f"never true: {condition}\n{self.run('return document.body.innerText.slice(0, 600)')}")

    def press(self, *keys):
        steps = []
        for key in keys:
            value = KEYS.get(key, key)
            steps += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def press_with(self, held, key):
        steps = [{"type": "keyDown", "value": KEYS[held]}, {"type": "keyDown", "value": KEYS[key]},
                 {"type": "keyUp", "value": KEYS[key]}, {"type": "keyUp", "value": KEYS[held]}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def complaints(self):
        """What the console got as errors or warnings since it was last asked."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def requested(self):
        """The addresses that pages asked for since it was last asked."""
        entries = self.call("POST", "/se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        return [message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"]

    def picture(self, path):
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.profile, ignore_errors=True)
