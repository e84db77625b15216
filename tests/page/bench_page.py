#!/usr/bin/env python3
"""How soon the page of 500 ScaledCaches is painted on loopback: medians of five fresh visits.

Usage: bench_page.py PROGRAM, which is page_stage of the build to measure.
"""

import statistics
import sys

from browser import Browser
from stage import CACHES, LISTED, Stage

BAR_MS = 300
VISITS = 5
FIRST_PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


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


def visit(browser, origin):
    """Milliseconds from the start of a visit to the first paint, and to the whole list painted."""
    browser.open("about:blank")
    browser.devtools("Network.clearBrowserCache")
    browser.open(origin)
    browser.wait(LISTED)
    listed = browser.run("return performance.getEntriesByName('list-painted')[0].startTime")
    return browser.run(FIRST_PAINT), listed


def main():
    stage = Stage(program=sys.argv[1])
    browser = Browser(listens=False)
    try:
        browser.open(stage.origin)
        browser.wait(LISTED)  # the first visit waits for the operator's first looks
        visits = [visit(browser, stage.origin) for _ in range(VISITS)]
        task = browser.call("POST", "/execute/async", {"script": SCROLL, "args": []})
    finally:
        browser.close()
        stage.close()
    first = statistics.median(first for first, _ in visits)
    listed = statistics.median(listed for _, listed in visits)
    print(f"{CACHES} ScaledCaches on loopback, median of {VISITS} visits: first paint {first:.0f} ms (bar {BAR_MS} ms), "
          f"all rows painted {listed:.0f} ms; longest task while scrolling {f'{task:.0f} ms' if task else 'below 50 ms'}")
    return 0 if first < BAR_MS else 1


if __name__ == "__main__":
    sys.exit(main())
