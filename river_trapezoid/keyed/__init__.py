"""One model per key, for stream engines that keep state by key.

A stream engine passes the state of a key and a batch of its rows to `ModelPerKey`, and keeps the new
state that is returned. `ModelPerKey` itself needs no engine.
"""

from .model_per_key import Answer, ModelPerKey, Row

__all__ = ["Answer", "ModelPerKey", "Row"]
