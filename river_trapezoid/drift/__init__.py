"""Wrappers that replace or restart a learner when the stream changes."""

__all__: list[str] = []
