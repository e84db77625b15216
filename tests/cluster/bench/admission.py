"""The webhook: pods made while it is down, and while its certificate changes again and again."""

import threading
import time

from rig.errors import RigError
from rig.origin import Site
from rig.webhook import Webhook

from .figures import Figures, Kind
from .stage import CACHE, Stage, say, warmup

PART = "f. webhook"

_SITE = Site(pages=60, capacity=400)
_ROTATIONS = 20
_CA_EVERY = 10  # of them

_CREATE = Kind("a pod's admission", "s", "≤ 3 + kubectl")
_UNGATED = Kind("operator back to pod reported Ungated", "s")
_ADMISSIONS = Kind("admissions", higher_is_better=True)
_FAILED = Kind("admissions without a gate", "", "0")


def admit_pods(stage: Stage, figures: Figures, runs: int) -> None:
    stage.serve(_SITE)
    webhook = Webhook(stage.blog, stage.operator)
    webhook.switch_on()
    stage.begin(False, {"minReplicas": 3, "warmup": warmup(sitemap="/sitemap.xml")}, _SITE.pages)
    webhook.await_gate()
    for run in range(1, runs + 1):
        _while_down(stage, webhook, figures, run)
    _rotate(webhook, figures)


def _while_down(stage: Stage, webhook: Webhook, figures: Figures, run: int) -> None:
    figures.add(PART, "up", _CREATE, round(webhook.admit()[1], 2))
    with webhook.hanging():
        gated, seconds = webhook.admit()
        figures.add(PART, "hanging", _CREATE, round(seconds, 2))
    with webhook.away():
        gated, seconds = webhook.admit()
        figures.add(PART, "away", _CREATE, round(seconds, 2))
        victim = stage.blog.ready_pods()[0]
        stage.blog.kubectl("delete", "pod", victim, "--wait=true")
        stage.cluster.wait_for("a new pod", lambda: len(stage.blog.ready_pods()) == 3)
    back = time.monotonic()
    stage.cluster.wait_for("a pod reported Ungated", lambda: _ungated(stage), timeout_s=60)
    figures.add(PART, "away", _UNGATED, round(time.monotonic() - back, 2))
    # The next run is to find its own.
    stage.blog.kubectl("delete", "pod", *_ungated(stage), "--wait=true")
    stage.cluster.wait_for("pods that all have the gate", lambda: not _ungated(stage) and len(stage.blog.ready_pods()) == 3)
    say(f"{PART} run {run}: admitted in {seconds:.2f} s without an operator, gated: {gated}")


def _rotate(webhook: Webhook, figures: Figures) -> None:
    """Pods are admitted one after the other while the certificate is made anew."""
    webhook.await_gate()
    done = threading.Event()
    verdicts: list[bool] = []

    def stream() -> None:
        while not done.is_set():
            try:
                verdicts.append(webhook.admit()[0])
            except RigError as error:
                say(f"{PART}: {error}")
                verdicts.append(False)
            done.wait(0.3)

    thread = threading.Thread(target=stream, name="admissions")
    thread.start()
    try:
        for number in range(1, _ROTATIONS + 1):
            what = "leaf" if number % _CA_EVERY else "ca"
            webhook.rotate(what)
            say(f"{PART}: {what} rotated, {number} of {_ROTATIONS}; {len(verdicts)} admissions, {verdicts.count(False)} failed")
    finally:
        done.set()
        thread.join()
    figures.add(PART, f"{_ROTATIONS} rotations", _ADMISSIONS, len(verdicts))
    figures.add(PART, f"{_ROTATIONS} rotations", _FAILED, verdicts.count(False))


def _ungated(stage: Stage) -> list[str]:
    """The pods that the status reports so."""
    path = "--output=jsonpath={.status.pods[?(@.state=='Ungated')].name}"
    return stage.blog.kubectl("get", CACHE, "blog", path).split()
