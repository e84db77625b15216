#!/usr/bin/env python3
"""`make demo`: the founding story on a real Kubernetes, from nothing and back to nothing.

Starts a cluster, deploys a blog behind Varnish, a metrics store and the operator (built from the
Dockerfile, as a pod with its own rights), plays a quiet hour, the spike and the quiet after it at a
size that fits two cores, and reports. Figures go to build/demo/report.json. Exit code 0 when the
fleet reached its maximum and came back to its minimum.
"""

import sys
from pathlib import Path

from rig import Cluster, RigError
from rig.blog import STORES, Blog
from rig.load import Second
from rig.operator import Operator
from rig.paths import TREE
from rig.story import Plan, Report, Story, require_operator

_HEADER = f"{'second':>6}  {'offered/s':>9}  {'seen/s':>9}  {'failed':>6}  {'spec':>4}  {'desired':>7}  {'ready':>5}  reason"


def main() -> int:
    plan = Plan()
    try:
        with Cluster(mode="full", name="demo") as cluster:
            blog = _deploy(cluster)
            report = _play(blog, plan)
            _show_cluster(blog)
    except RigError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("demo: interrupted; the cluster is gone", file=sys.stderr)
        return 130
    return _conclude(report, plan)


def _deploy(cluster: Cluster) -> Blog:
    _say("A Kubernetes is up. Deploying the blog, two Varnish pods and the metrics stores …")
    blog = Blog(cluster)
    blog.deploy()
    _say("Building the operator's image from the Dockerfile and installing it …")
    Operator(cluster).install(f"http://victoria-metrics.{blog.monitoring}:{STORES['victoria-metrics']}")
    _say("Applying examples/demo.yaml:")
    manifest = TREE / "examples" / "demo.yaml"
    print(manifest.read_text(encoding="utf-8"))
    cluster.kubectl("apply", "-f", str(manifest))
    require_operator(blog)
    return blog


def _play(blog: Blog, plan: Plan) -> Report:
    _say(
        f"Quiet at {plan.quiet_rate:.0f} requests per second for {plan.quiet_s:.0f} s, then {plan.spike_rate:.0f} for "
        f"{plan.spike_s:.0f} s, then quiet until the fleet is small again."
    )
    print(_HEADER, flush=True)
    return Story(blog, plan, on_second=_print_second).play()


def _print_second(story: Story, second: Second) -> None:
    seen = f"{float(story.seen_rate):.0f}" if story.seen_rate else "-"
    print(
        f"{second.number:>6}  {second.rate:>9.0f}  {seen:>9}  {sum(second.failed.values()):>6}  "
        f"{story.replicas:>4}  {story.desired or '-':>7}  {story.ready:>5}  {story.reason}",
        flush=True,
    )


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
            f"{plan.min_replicas} after {report.back_to_min_s} s of quiet. {report.failed_requests} of "
            f"{report.requests} requests failed."
        )
        return 0
    print(f"demo: wanted {plan.max_replicas} replicas and then {plan.min_replicas}; got the figures above", file=sys.stderr)
    return 1


def _say(text: str) -> None:
    print(f"\n== {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
