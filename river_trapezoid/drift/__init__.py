"""Wrappers that replace or restart a learner when the stream changes."""

from .restart_on_new_features import RestartOnNewFeatures

__all__ = ["RestartOnNewFeatures"]
