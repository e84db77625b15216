#!/usr/bin/env python3
"""How soon the page of 500 ScaledCaches is painted on loopback, beside a page that says one word.

Usage: bench_page.py PROGRAM, which is page_stage of the build to measure.
"""

import contextlib
import http.server
import statistics
import sys
import threading

from browser import Browser
from stage import CACHES, LISTED, Stage

BAR_MS = 300
VISITS = 12
PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"
FIRST_PAINT = "return performance.getEntriesByName('first-contentful-paint')[0].startTime"
ROWS_PAINTED = "return performance.getEntriesByName('list-painted')[0].startTime"
WORD = b'<!doctype html><html lang="en"><meta charset="utf-8"><title>Floor</title><p>Floor</p></html>'

# Scrolls through the list, a screen a frame, while rows are patched: the longest task of the page's thread.
SCROLL = """
    const done = arguments[0], list = document.getElementById('list');
    let longest = 0;
    new PerformanceObserver(all => all.getEntries().forEach(task => longest = Math.max(longest, task.duration))).observe({type: 'longtask'});
    let frames = 0;
    const step = () => {
      list.scrollTop = frames % 50 * 600;
      ++frames < 300 ? requestAnimationFrame(step) : setTimeout(() => done(longest), 200);
    };
    step();"""


class Floor(http.server.BaseHTTPRequestHandler):
    """What this browser on this machine needs for any page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(WORD)))
        self.end_headers()
        self.wfile.write(WORD)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def floor():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Floor)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def visit(browser, url, arrived):
    """A visit with an empty cache; times of the Paint Timing API begin with the navigation."""
    browser.open("about:blank")
    browser.devtools("Network.clearBrowserCache")
    browser.open(url)
    browser.wait(arrived)
    return browser.run(FIRST_PAINT)


def measure(program):
    """Milliseconds of each visit: first paint of the floor, of the page, all its rows; and the longest task."""
    floors, pages, rows = [], [], []
    with contextlib.ExitStack() as ends:
        stage = Stage(program=program)
        ends.callback(stage.close)
        bare = ends.enter_context(floor())
        browser = Browser(listens=False)
        ends.callback(browser.close)
        visit(browser, stage.origin, LISTED)  # the first visit waits for the operator's first looks
        for _ in range(VISITS):  # in turns, so that whatever else the machine does is shared
            floors.append(visit(browser, bare, PAINTED))
            pages.append(visit(browser, stage.origin, f"{LISTED} && {PAINTED}"))
            rows.append(browser.run(ROWS_PAINTED))
        task = browser.call("POST", "/execute/async", {"script": SCROLL, "args": []})
    return floors, pages, rows, task


def line(name, values):
    return f"  {name:<34}{statistics.median(values):8.0f}{max(values):8.0f}"


def main():
    floors, pages, rows, task = measure(sys.argv[1])
    own = [page - bare for page, bare in zip(pages, floors)]
    print(f"{CACHES} ScaledCaches on loopback, {VISITS} visits, milliseconds from the start of the navigation:")
    print(f"  {'':<34}{'median':>8}{'worst':>8}")
    print(line("floor: a page of one word", floors))
    print(line(f"status page, first paint (bar {BAR_MS})", pages))
    print(line("  of it above the floor", own))
    print(line("status page, all rows painted", rows))
    print(f"longest task while scrolling: {f'{task:.0f} ms' if task else 'below 50 ms'}")
    return 0 if statistics.median(pages) < BAR_MS else 1


if __name__ == "__main__":
    sys.exit(main())
