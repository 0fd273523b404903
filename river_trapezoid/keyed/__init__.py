"""One model per key, for engines that keep state by key.

A stream engine hands over the state of a key and a batch of its rows, and keeps what it gets back:
`ModelPerKey` is the step in between, and needs no engine.
"""

from .model_per_key import Answer, ModelPerKey, Row

__all__ = ["Answer", "ModelPerKey", "Row"]
