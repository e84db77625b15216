"""2 → 10 pods under load: what the clients' hit ratio loses, and what the origin has to bear."""

import time
from dataclasses import dataclass

from rig.load import Clients, Result
from rig.origin import Origin, Site
from rig.watch import PodWatch

from .figures import Figures, Kind
from .stage import HOST, Stage, say, wait_until, warmup

_QUIET, _SPIKE = 100, 1150
_SETTLE_S = 36  # until the requests that filled the caches have left the short window
_PATIENCE_S = 90
_AFTER_S = 10

_LOST = Kind("hit ratio lost in the worst second", "points", "≤ 1")
_BEFORE = Kind("hit ratio before", "%", higher_is_better=True)
_ORIGIN = Kind("origin's busiest second", "requests", "≤ its cap")
_REFUSED = Kind("refused by the origin", "requests", "0")
_READY = Kind("step to 10 ready", "s", "≤ 40")
_WARM = Kind("step to hit ratio back for good", "s")
_UNPROVEN = Kind("pods opened without a proof", "", "0")
_FAILED = Kind("failed requests", "", "0")


@dataclass(frozen=True)
class Growth:
    """A site, how it is requested, and how pods are warmed for it. `cap` is the origin's, per second."""

    part: str
    site: Site
    zipf: float
    hot: int = 0  # pages of the hot list; 0: the sitemap

    @property
    def cap(self) -> int:
        return self.site.capacity


# Each new pod asks for 200 pages: the cap lets eight of them do so within ten seconds.
SITEMAP = Growth("a. sitemap", Site(pages=200, capacity=200), zipf=1.05)
LONG_TAIL = Growth("b. long tail", Site(pages=5000, capacity=400), zipf=1.05, hot=1000)


def grow(stage: Stage, growth: Growth, variants: list[bool], figures: Figures, run: int) -> None:
    """One run for each of the variants: with the gate (True), without it (False)."""
    origin = stage.serve(growth.site)
    for gated in variants:
        _grow(stage, growth, origin, gated, figures, run)


def _grow(stage: Stage, growth: Growth, origin: Origin, gated: bool, figures: Figures, run: int) -> None:
    variant = "gated" if gated else "ungated"
    stage.begin(gated, _spec(stage, growth, gated), growth.site.pages)
    with stage.watch_pods() as pods, stage.load(_QUIET, Clients(growth.site.pages, growth.zipf, host=HOST)) as load:
        time.sleep(_SETTLE_S + 1.7 * run)  # a phase of its own against scrapes and ticks
        stage.release()
        time.sleep(2)
        quiet = time.monotonic() - 15
        step = load.set_rate(_SPIKE)
        grown = wait_until(lambda: len(pods.ready()) >= 10, _PATIENCE_S)
        ready_s = time.monotonic() - step if grown else None
        time.sleep(_AFTER_S)
        end = time.monotonic()
        unproven = sum(_opened_by(pods, name) != "CacheWarm" for name in pods.now()) if gated else 0
        result = load.stop()
    before, worst = result.hit_percent(quiet, step), result.worst_hit_percent(step, end)
    for kind, value in (
        (_BEFORE, before),
        (_LOST, before - worst),
        (_WARM, _recovered(result, before, step, end)),
        (_ORIGIN, origin.peak(step, end)),
        (_REFUSED, origin.refused(step, end)),
        (_READY, ready_s),
        (_UNPROVEN, unproven),
        (_FAILED, result.failed_requests),
    ):
        figures.add(growth.part, variant, kind, value)
    say(f"{growth.part} run {run} {variant}: {before:.1f} % → {worst:.1f} %, 10 ready after {ready_s}, {result.failed}")


def _spec(stage: Stage, growth: Growth, gated: bool) -> dict:
    if not gated:
        return {}
    # A little below the cap, for clients' own misses go to the origin as well.
    settings = {"maxOriginRequestsPerSecond": int(0.9 * growth.cap), "maxWarmingPods": 8}
    if growth.hot:
        settings["pathsFrom"] = stage.paths_from([f"/o/{number}" for number in range(growth.hot)])
    else:
        settings["sitemap"] = "/sitemap.xml"
    return {"warmup": warmup(**settings)}


def _opened_by(pods: PodWatch, name: str) -> str:
    """The reason with which the pod's gate opened last."""
    return next((s.reason for s in reversed(pods.states) if s.name == name and s.gate == "True"), "")


def _recovered(result: Result, before: float, step: float, end: float) -> float | None:
    """Seconds from the step to the end of the last second that was a point or more below `before`."""
    below = [s.at for s in result.seconds if step <= s.at <= end and s.judged and s.hit_percent < before - 1]
    if not below:
        return 0.0
    return below[-1] - step if below[-1] < end - 2 else None
