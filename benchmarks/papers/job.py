from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import time
from collections.abc import Mapping
from typing import Any

from .data import Data
from .protocols import PROTOCOLS

__all__ = ["VERSIONS", "Job", "canonical", "run"]

# The version of each learner. A change of its results must raise it, so that stored jobs are run
# again.
VERSIONS = {
    "EvidenceClassifier": 1,
    "FESLClassifier": 1,
    "LogisticRegression": 1,
    "OCDSClassifier": 1,
    "OCO": 1,
    "OFSClassifier": 1,
    "OLSFClassifier": 1,
    "offline": 1,
    "RKTS3VMClassifier": 1,
    "S3VMClassifier": 1,
    "SVMClassifier": 1,
    "TS3VMClassifier": 1,
    "TrSVMClassifier": 1,
}


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of a system: the unit of work, of the store, and of resuming after an interruption.

    Jobs with the same content are the same run, whatever tables they are for.

    Attributes
    ----------
    data
        The data set.
    stream
        How the protocol shows it, such as the shares of the features in each chunk.
    system
        Name of the learner.
    params
        Its parameters.
    protocol
        Name of the protocol.
    seed
        Seed of the order of the rows and of the draws of the learner.

    """

    data: Data
    stream: Mapping[str, Any]
    system: str
    params: Mapping[str, Any]
    protocol: str
    seed: int

    @functools.cached_property
    def content(self) -> dict[str, Any]:
        """All of it as plain data, with the versions of protocol and learner."""
        versions = {"protocol": PROTOCOLS[self.protocol][1]}
        if self.protocol != "as-run":
            versions["learner"] = VERSIONS[self.system]
        return {
            "data": self.data.content,
            "stream": dict(self.stream),
            "system": self.system,
            "params": dict(self.params),
            "protocol": self.protocol,
            "seed": self.seed,
            "versions": versions,
        }

    @functools.cached_property
    def key(self) -> str:
        """A digest of the content, which identifies the job."""
        return hashlib.sha256(canonical(self.content).encode()).hexdigest()[:24]


def canonical(content: Any) -> str:
    """Plain data as one line of JSON."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def run(job: Job) -> tuple[dict[str, Any], float]:
    """Run a job; return its result and the seconds that it took."""
    start = time.perf_counter()
    result = PROTOCOLS[job.protocol][0](job)
    return result, time.perf_counter() - start
