"""Wrappers that replace or restart a learner when the stream changes."""

from .challenged import ChallengedClassifier
from .restart_on_new_features import RestartOnNewFeatures

__all__ = ["ChallengedClassifier", "RestartOnNewFeatures"]
