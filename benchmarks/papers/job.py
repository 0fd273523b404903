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

__all__ = ["LEARNERS", "Cell", "run"]

# The versions of the learners, which a change of their results must raise, so that what was stored
# before is run again.
LEARNERS = {
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
class Cell:
    """One run: the unit of work, of the store, and of going on after an interruption.

    Cells with the same content are the same run, whatever tables they are for.

    Attributes
    ----------
    data
        What the run is on.
    stream
        What the protocol makes of it, such as the shares of the features in each chunk.
    system
        Name of the learner.
    params
        Its parameters.
    protocol
        Name of the protocol.
    seed
        Seed of the order of the rows, and of what the learner draws.

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
            versions["learner"] = LEARNERS[self.system]
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
        """What identifies the content."""
        return hashlib.sha256(canonical(self.content).encode()).hexdigest()[:24]


def canonical(content: Any) -> str:
    """The one line of JSON that stands for plain data."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def run(cell: Cell) -> tuple[dict[str, Any], float]:
    """Run a cell; its result, and the seconds that it took."""
    start = time.perf_counter()
    result = PROTOCOLS[cell.protocol][0](cell)
    return result, time.perf_counter() - start
