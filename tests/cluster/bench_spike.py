#!/usr/bin/env python3
"""`make bench-spike`: how long from a step in load to the patches that answer it, over several runs.

A full cluster, a real Varnish fleet scraped every 5 s, the operator as a pod with defaults for
growing (windows for shrinking are short, so that runs follow each other). Also: the operator's
memory afterwards, and its time from process start to the first decision. Prints a table with
medians and maxima, and writes the figures to build/bench/spike.json.
"""

import argparse
import json
import statistics
import sys
import time

from rig import Cluster, RigError
from rig.blog import STORES, Blog
from rig.operator import Operator
from rig.paths import TREE
from rig.story import Plan, Report, Story, require_operator

_QUICK_SHRINK = {"longWindow": "30s", "cooldown": "10s", "scaleDown": {"interval": "1s", "stepPercent": 50}}
_FIGURES = ("first_patch_s", "spec_full_s", "ready_full_s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--store", choices=sorted(STORES), default="victoria-metrics")
    options = parser.parse_args()
    try:
        with Cluster(mode="full", name="bench") as cluster:
            figures = _measure(cluster, options.runs, options.store)
    except RigError as error:
        print(f"bench-spike: {error}", file=sys.stderr)
        return 1
    path = TREE / "build" / "bench" / "spike.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def _measure(cluster: Cluster, runs: int, store: str) -> dict:
    blog = Blog(cluster)
    blog.deploy()
    operator = Operator(cluster)
    operator.install(f"http://{store}.{blog.monitoring}:{STORES[store]}")
    cluster.kubectl("apply", "-f", str(TREE / "examples" / "demo.yaml"))
    patch = json.dumps({"spec": _QUICK_SHRINK})
    blog.kubectl("patch", "scaledcaches.scaledcache.io", "blog", "--type=merge", f"--patch={patch}")
    require_operator(blog)
    reports = [_run(blog, number) for number in range(1, runs + 1)]
    figures = {name: [getattr(report, name) for report in reports] for name in _FIGURES}
    figures["memory_bytes"] = operator.memory()
    figures["first_decision_s"] = [_first_decision(operator, cluster) for _ in range(runs)]
    _print(figures, reports, store)
    return figures


def _run(blog: Blog, number: int) -> Report:
    # A phase of its own against scrapes and ticks for each run.
    plan = Plan(quiet_s=45 + 1.7 * number, spike_s=30, patience_s=240)
    report = Story(blog, plan).play()
    print(f"run {number}: {report}", flush=True)
    if report.spec_full_s is None or report.end_replicas != plan.min_replicas:
        raise RigError(f"run {number} did not reach {plan.max_replicas} and come back")
    return report


def _first_decision(operator: Operator, cluster: Cluster) -> float:
    """Seconds from the start of the operator's process to its first decision."""
    operator.restart()
    line = cluster.wait_for(
        "a first decision after a restart",
        lambda: next((line for line in operator.log() if line["msg"] == "decision"), None),
    )
    decided = time.mktime(time.strptime(line["time"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
    return round(decided + float(line["time"][19:-1]) - operator.started(), 2)


def _print(figures: dict, reports: list[Report], store: str) -> None:
    print(f"\n{len(reports)} runs, {store}, 5 s scrape, 5 s poll; seconds from the step")
    for name in (*_FIGURES, "first_decision_s"):
        values = figures[name]
        print(f"  {name:17} median {statistics.median(values):6.2f}   max {max(values):6.2f}   all {values}")
    failed, requests = sum(r.failed_requests for r in reports), sum(r.requests for r in reports)
    memory = {name: f"{value / 2**20:.1f} MiB" for name, value in figures["memory_bytes"].items()}
    print(f"  failed requests   {failed} of {requests}\n  memory            {memory}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
