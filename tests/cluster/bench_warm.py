#!/usr/bin/env python3
"""`make bench-warm`: what warm-up and draining cost and save, on a real cluster, over several runs.

A full cluster with real Varnish pods, real load and an origin that takes 50 ms per answer and has a
capacity. Prints one table with median and worst of each figure, and writes build/bench/warm.json.

  a  2 → 10 pods under load, 200 pages in the sitemap, with the gate and without
  b  the same with 5,000 pages and a hot list of the top 1,000
  c  10 → 2 pods under load, with draining and without
  d  the cache process killed under a ready pod, with probing and without
  e  a new pod with 60 pages: ContainersReady to warm
  f  pods admitted while the webhook is down, and while its certificate is rotated 20 times
  g  the operator killed at six moments of growing and shrinking, once each
"""

import argparse
import sys

from bench.admission import admit_pods
from bench.figures import Figures
from bench.growing import LONG_TAIL, SITEMAP, grow
from bench.kills import kill_operator
from bench.pods import kill_children, start_pods
from bench.shrinking import shrink
from bench.stage import Stage, say
from rig import Cluster, RigError
from rig.paths import TREE

PARTS = "eadcbgf"  # the quick ones first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default=PARTS, help="letters of the parts to play, e.g. ac")
    parser.add_argument(
        "--variants", choices=("both", "on", "off"), default="both", help="with gate, draining and probing, or without"
    )
    options = parser.parse_args()
    if unknown := set(options.only) - set(PARTS):
        parser.error(f"--only: there is no part {', '.join(sorted(unknown))}")
    figures = Figures()
    try:
        with Cluster(mode="full", name="bench-warm") as cluster:
            stage = Stage(cluster)
            stage.deploy()
            failures = [part for part in PARTS if part in options.only and not _play(stage, part, figures, options)]
    except RigError as error:
        print(f"bench-warm: {error}", file=sys.stderr)
        return 1
    finally:
        # What was measured before an error or a Ctrl-C counts.
        _report(figures)
    return 1 if failures else 0


def _play(stage: Stage, part: str, figures: Figures, options: argparse.Namespace) -> bool:
    """Whether the part came to its end; a part that does not keeps the others from nothing."""
    say(f"part {part}")
    runs, variants = options.runs, [on for on in (True, False) if options.variants != ("off" if on else "on")]
    try:
        match part:
            case "a" | "b":
                for run in range(1, runs + 1):
                    grow(stage, SITEMAP if part == "a" else LONG_TAIL, variants, figures, run)
            case "c":
                for run in range(1, runs + 1):
                    shrink(stage, variants, figures, run, runs)
            case "d":
                kill_children(stage, variants, figures, runs)
            case "e":
                start_pods(stage, figures, runs)
            case "f":
                admit_pods(stage, figures, runs)
            case "g":
                kill_operator(stage, figures)
    except RigError as error:
        print(f"bench-warm: part {part}: {error}", file=sys.stderr, flush=True)
        return False
    return True


def _report(figures: Figures) -> None:
    if not figures.values:
        return
    path = TREE / "build" / "bench" / "warm.json"
    figures.write(path)
    print(f"\n{figures.table()}\n\n{path.relative_to(TREE)} has the figures of each run.", flush=True)


if __name__ == "__main__":
    sys.exit(main())
