"""The operator killed at the steps of warm-ups and drains: does anything stay shut, or shrink twice?"""

import time
from dataclasses import dataclass
from typing import Callable

from rig.blog import FLEET
from rig.errors import RigError
from rig.load import Clients
from rig.origin import Site
from rig.watch import PodWatch, Watch

from .figures import Figures, Kind
from .stage import HOST, Stage, say, wait_until, warmup

PART = "g. kill -9"

_SITE = Site(pages=200, capacity=400)
_RATE = 250  # three pods' worth: the shrink's aim, above the minimum
_SMALL, _LARGE = 3, 6
_PATIENCE_S = 150

_SETTLED = Kind("change to all pods warm and ready", "s")
_BELOW = Kind("pods below the aim at the lowest", "", "0")
_SHUT = Kind("pods left shut", "", "0")
_UNREADY = Kind("ready pods at the least", "", f"≥ {_SMALL}", higher_is_better=True)


@dataclass(frozen=True)
class Moment:
    """When the operator dies: at the first sight of `comes` after the change to `size` pods."""

    name: str
    size: int
    comes: Callable[["_Sight"], bool]


@dataclass(frozen=True)
class _Sight:
    pods: PodWatch
    replicas: int
    before: frozenset[str]  # the pods there were

    def new(self) -> list:
        return [state for name, state in self.pods.now().items() if name not in self.before]

    def draining(self) -> bool:
        return any(state.gate == "False" and state.reason == "Draining" for state in self.pods.now().values())


MOMENTS = (
    Moment("pods asked for", _LARGE, lambda sight: sight.replicas > _SMALL),
    Moment("a victim chosen", _SMALL, lambda sight: sight.draining()),
    Moment("pods warming", _LARGE, lambda sight: any(s.containers_ready == "True" for s in sight.new())),
    Moment("the count lowered", _SMALL, lambda sight: sight.replicas < _LARGE),
    Moment("a gate opened", _LARGE, lambda sight: any(s.gate == "True" for s in sight.new())),
    Moment("a victim gone", _SMALL, lambda sight: len(sight.pods.now()) < _LARGE),
)


def kill_operator(stage: Stage, figures: Figures) -> None:
    """A fleet that grows and shrinks by turns, once for each moment."""
    stage.serve(_SITE)
    spec = {"minReplicas": _SMALL, "warmup": warmup(sitemap="/sitemap.xml"), "drain": {"mode": "Gate", "period": "10s"}}
    stage.begin(True, spec, _SITE.pages)
    with stage.load(_RATE, Clients(_SITE.pages, host=HOST)) as load:
        time.sleep(40)  # until the short window has the load and no more
        stage.release()
        for moment in MOMENTS:
            # A new pod, lest the kubelet waits ever longer before it starts a container that dies.
            stage.operator.restart()
            _kill_at(stage, moment, figures)
        failed = load.stop().failed_requests
    figures.add(PART, "all", Kind("failed requests", "", "0"), failed)


def _kill_at(stage: Stage, moment: Moment, figures: Figures) -> None:
    spec = Watch(stage.blog, "deployment", FLEET, "{.spec.replicas}")
    try:
        with stage.watch_pods() as pods:
            wait_until(lambda: spec.fields and pods.ready(), 10)
            before = frozenset(pods.now())
            changed = time.monotonic()
            # A drain may be cancelled and a pod fail on its way; the demand itself never changes.
            stage.change({"minReplicas": moment.size if moment.size > _SMALL else 1})
            if not wait_until(lambda: moment.comes(_Sight(pods, int(spec.fields[0]), before)), _PATIENCE_S, 0.05):
                raise RigError(f"the moment never came: {moment.name}")
            stage.operator.kill()
            settled = wait_until(lambda: _is_settled(pods, spec, moment.size), _PATIENCE_S)
            seconds = time.monotonic() - changed if settled else None
            time.sleep(8)  # one more decision, and one more look
            counts = [int(fields[0]) for at, fields in spec.changes if at >= changed]
            shut = [state.name for state in pods.now().values() if state.ready != "True"]
            least = _least_ready(pods, changed)
    finally:
        spec.stop()
    below = max(0, _SMALL - min(counts, default=moment.size))
    for kind, value in ((_SETTLED, seconds), (_BELOW, below), (_SHUT, len(shut)), (_UNREADY, least)):
        figures.add(PART, moment.name, kind, value)
    say(f"{PART} at {moment.name}: settled after {seconds} s, counts {counts}, shut {shut}, least ready {least}")


def _is_settled(pods: PodWatch, spec: Watch, size: int) -> bool:
    return int(spec.fields[0]) == size == len(pods.now()) == len(pods.ready())


def _least_ready(pods: PodWatch, since: float) -> int:
    """The fewest pods that were ready at one moment after `since`."""
    ready: set[str] = set()
    least: int | None = None
    for state in list(pods.states):
        (ready.add if state.ready == "True" and not state.gone else ready.discard)(state.name)
        if state.at >= since:
            least = len(ready) if least is None else min(least, len(ready))
    return len(ready) if least is None else least
