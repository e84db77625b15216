"""10 → 2 pods under load, with clients that keep their connections: how many requests fail."""

import time

from rig.load import Clients
from rig.origin import Site

from .figures import Figures, Kind
from .stage import HOST, Stage, say, wait_until, warmup

PART = "c. shrinking"

_SITE = Site(pages=200, capacity=400)
_RATE = 1200
_PER_REPLICA = 1000  # two pods carry the load
_REQUESTS = 1_000_000  # over all runs with draining
_PATIENCE_S = 240
_AFTER_S = 5

_CLIENTS = Clients(pages=200, zipf=0, reuse=20, one_shot=0.1, host=HOST)

_SENT = Kind("requests", "", "≥ 1e6 in all", higher_is_better=True)
_FAILED = Kind("failed requests", "", "0")
_UNSENT = Kind("not sent, for thousands were waiting", "", "0")
_RESENT = Kind("requests sent again after a cut connection")
_SECONDS = Kind("10 to 2 pods", "s")
_LOST = Kind("hit ratio lost in the worst second", "points")


def shrink(stage: Stage, variants: list[bool], figures: Figures, run: int, runs: int) -> None:
    """Run `run` of `runs` for each of the variants: with draining (True), without it (False)."""
    stage.serve(_SITE)
    for drained in variants:
        _shrink(stage, drained, figures, _REQUESTS // runs if drained else 0, run)


def _shrink(stage: Stage, drained: bool, figures: Figures, least: int, run: int) -> None:
    variant = "drained" if drained else "not drained"
    spec = {"minReplicas": 10, "signals": [{"preset": "Varnish", "requestsPerReplica": _PER_REPLICA}]}
    if drained:
        spec |= {"warmup": warmup(sitemap="/sitemap.xml", maxWarmingPods=10), "drain": {"mode": "Gate", "period": "15s"}}
    stage.begin(drained, spec, _SITE.pages)
    with stage.watch_pods() as pods, stage.load(_RATE, _CLIENTS) as load:
        time.sleep(10 + 1.7 * run)
        before_end = time.monotonic()
        stage.change({"minReplicas": 2})
        shrunk = wait_until(lambda: len(pods.now()) == 2, _PATIENCE_S)
        seconds = time.monotonic() - before_end if shrunk else None
        time.sleep(_AFTER_S)
        wait_until(lambda: sum(each.ended for each in load.result.seconds) >= least, _PATIENCE_S, step_s=1)
        end = time.monotonic()
        result = load.stop()
    for second in result.seconds:
        if second.failed:
            say(f"  second {second.at - before_end:+.0f}: {second.failed}, p99 {second.p99_ms:.0f} ms")
    before = result.hit_percent(before_end - 8, before_end)
    for kind, value in (
        (_SENT, result.requests),
        (_FAILED, result.failed_requests - result.failed.get("overload", 0)),
        (_UNSENT, result.failed.get("overload", 0)),
        (_RESENT, result.resent),
        (_SECONDS, seconds),
        (_LOST, before - result.worst_hit_percent(before_end, end)),
    ):
        figures.add(PART, variant, kind, value)
    say(f"{PART} run {run} {variant}: {result.failed or 0} of {result.requests} failed, {result.resent} resent, {seconds} s")
