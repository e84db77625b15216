"""What the API server noted of the operator's requests; manifests/audit.yaml says which."""

import json
import unittest
from dataclasses import dataclass
from datetime import datetime

from .cluster import Cluster
from .control_plane import audit_log
from .errors import RigError

WRITES = ("create", "update", "patch", "delete", "deletecollection")


@dataclass(frozen=True)
class Entry:
    time: float  # when it came, in seconds since 1970
    user: str
    verb: str
    uri: str
    resource: str  # with its subresource: "deployments/scale"
    name: str
    code: int  # of the answer
    body: dict | list | None  # of the request, where the policy keeps it


def entries(cluster: Cluster) -> list[Entry]:
    """All requests so far, in the order in which they were answered."""
    if cluster.is_external:
        raise unittest.SkipTest("the audit log of a cluster of one's own is not ours to read")
    lines = audit_log(cluster.folder).read_text(encoding="utf-8").splitlines()
    # The last line may be on its way.
    return [_entry(json.loads(line)) for line in lines if line.endswith("}")]


def check_nothing_refused(cluster: Cluster, since: float = 0) -> None:
    """Raises RigError that names the requests after that moment for which the operator had no right."""
    late = (each for each in entries(cluster) if each.time >= since)
    refused = sorted({f"{each.verb} {each.uri}" for each in late if each.code == 403})
    if refused:
        raise RigError(f"the operator's rights do not cover: {', '.join(refused)}")


def _entry(event: dict) -> Entry:
    what = event.get("objectRef", {})
    resource = what.get("resource", "")
    if what.get("subresource"):
        resource += f"/{what['subresource']}"
    return Entry(
        datetime.fromisoformat(event["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp(),
        event["user"]["username"],
        event["verb"],
        event["requestURI"],
        resource,
        what.get("name", ""),
        event.get("responseStatus", {}).get("code", 0),
        event.get("requestObject"),
    )
