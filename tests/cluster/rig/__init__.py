"""A real Kubernetes in a network namespace of its own, for tests and the demo.

Start here: `Cluster` in cluster.py. `python3 tests/cluster/rig.py --help` is the same by hand.
"""

from .cluster import Cluster
from .errors import RigError

__all__ = ["Cluster", "RigError"]
