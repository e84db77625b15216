#!/usr/bin/env python3
"""`make demo`: the founding story on a real Kubernetes, from nothing and back to nothing.

Starts a cluster, deploys a blog behind Varnish, a metrics store and the operator (built from the
Dockerfile, as a pod with its own rights), plays a quiet hour, the spike and the quiet after it at a
size that fits two cores, and reports. The origin takes 50 ms per answer and has a capacity, so that
a cold cache shows. Figures go to build/demo/report.json. Exit code 0 when the fleet reached its
maximum and came back to its minimum.
"""

import sys
from pathlib import Path

from rig import Cluster, RigError
from rig.blog import FLEET, STORES, Blog
from rig.load import Clients, Second
from rig.network import NODE_ADDRESS
from rig.operator import Operator
from rig.origin import Origin, Site
from rig.paths import TREE
from rig.story import Plan, Report, Story, require_operator

_HOST = "blog.example.com"
_SITE = Site(pages=200, capacity=200)
_PHASES = ("cold", "warming", "warm", "draining")
_COLUMNS = ("second", "offered/s", "seen/s", "hits", "failed", "spec", "desired", "ready", *_PHASES)
_HEADER = "  ".join([*_COLUMNS, "reason"])


def main() -> int:
    plan = Plan(clients=Clients(_SITE.pages, host=_HOST))
    try:
        with Cluster(mode="full", name="demo") as cluster:
            origin = Origin.in_cluster(cluster, f"{NODE_ADDRESS}:8090", _SITE)
            blog = _deploy(cluster, origin)
            report = _play(blog, plan, origin)
            _show_cluster(blog)
    except RigError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo: interrupted; the cluster is gone", file=sys.stderr)
        return 130
    return _conclude(report, plan)


def _deploy(cluster: Cluster, origin: Origin) -> Blog:
    _say("A Kubernetes is up. Deploying the blog, two Varnish pods and the metrics stores …")
    blog = Blog(cluster, origin.address)
    blog.deploy()
    _say("Building the operator's image from the Dockerfile and installing the chart …")
    Operator(cluster).install_chart(f"http://victoria-metrics.{blog.monitoring}:{STORES['victoria-metrics']}")
    _say("Applying examples/demo.yaml:")
    manifest = TREE / "examples" / "demo.yaml"
    print(manifest.read_text(encoding="utf-8"))
    cluster.kubectl("apply", "-f", str(manifest))
    require_operator(blog)
    _say("Putting the readiness gate into the fleet's template: pods join once their caches are warm …")
    blog.set_gate(True)
    blog.kubectl("rollout", "status", f"deployment/{FLEET}", "--timeout=180s")
    return blog


def _play(blog: Blog, plan: Plan, origin: Origin) -> Report:
    _say(
        f"Quiet at {plan.quiet_rate:.0f} requests per second for {plan.quiet_s:.0f} s, then {plan.spike_rate:.0f} for "
        f"{plan.spike_s:.0f} s, then quiet until the fleet is small again."
    )
    print(_HEADER, flush=True)
    return Story(blog, plan, on_second=_print_second, origin=origin).play()


def _print_second(story: Story, second: Second) -> None:
    phases = story.pods.phases()
    cells = (
        str(second.number),
        f"{second.rate:.0f}",
        f"{float(story.seen_rate):.0f}" if story.seen_rate else "-",
        "-" if second.hit_percent is None else f"{second.hit_percent:.0f}%",
        str(sum(second.failed.values())),
        str(story.replicas),
        story.desired or "-",
        str(story.ready),
        *(str(phases.get(phase, 0)) for phase in _PHASES),
    )
    line = (f"{cell:>{len(column)}}" for cell, column in zip(cells, _COLUMNS, strict=True))
    print("  ".join([*line, story.reason]), flush=True)


def _show_cluster(blog: Blog) -> None:
    for command in (
        ("get", "scache"),
        ("get", "events.events.k8s.io", "--field-selector=regarding.kind=ScaledCache", "--sort-by=.eventTime"),
    ):
        print(f"\n$ kubectl -n {blog.namespace} {' '.join(command)}")
        print(blog.kubectl(*command), end="", flush=True)


def _conclude(report: Report, plan: Plan) -> int:
    path = Path(TREE) / "build" / "demo" / "report.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report.as_json(), encoding="utf-8")
    print(f"\n{path.relative_to(TREE)}:\n{report.as_json()}", end="")
    grown = report.max_replicas == plan.max_replicas and report.ready_full_s is not None
    back = report.end_replicas == plan.min_replicas
    if grown and back:
        _say(
            f"{plan.min_replicas} replicas became {plan.max_replicas}: the first patch {report.first_patch_s} s after the "
            f"step, the last {report.spec_full_s} s, all Ready after {report.ready_full_s} s; back at "
            f"{plan.min_replicas} after {report.back_to_min_s} s of quiet. The hit ratio was "
            f"{report.hit_percent_before} %, and {report.hit_percent_worst_growing} % in its worst second while the fleet "
            f"grew; the origin had {report.origin_peak} requests in its busiest. {report.failed_requests} of "
            f"{report.requests} requests failed, {report.failed_while_shrinking} of them while the fleet shrank."
        )
        return 0
    print(f"demo: wanted {plan.max_replicas} replicas and then {plan.min_replicas}; got the figures above", file=sys.stderr)
    return 1


def _say(text: str) -> None:
    print(f"\n== {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
