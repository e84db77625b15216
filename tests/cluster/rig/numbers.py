#!/usr/bin/env python3
"""A metrics store that answers every query with a number out of a file.

numbers.py ADDRESS PORT FILE: the file is a JSON object; a query gets the number of the key that it
names as fleet="KEY". It is read anew for each query, so that whoever writes it decides.
"""

import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Store(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    numbers = Path()

    def do_GET(self):
        self.answer(urlsplit(self.path).query)

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8"))

    def answer(self, form: str) -> None:
        query = parse_qs(form).get("query", [""])[0]
        key = re.search(r'fleet="([^"]*)"', query)
        number = json.loads(self.numbers.read_text("utf-8")).get(key[1] if key else "")
        result = [] if number is None else [{"metric": {}, "value": [time.time(), str(number)]}]
        body = json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client that was killed resets its connections."""
        if not isinstance(sys.exception(), ConnectionError):
            raise


def write(path: Path, numbers: dict[str, float]) -> None:
    """Replaces the file in one step: a query sees all of it or nothing."""
    whole = path.with_suffix(".new")
    whole.write_text(json.dumps(numbers), encoding="utf-8")
    whole.replace(path)


if __name__ == "__main__":
    Store.numbers = Path(sys.argv[3])
    Server((sys.argv[1], int(sys.argv[2])), Store).serve_forever()
