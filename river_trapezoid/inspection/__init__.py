"""Inspection of models: the importance of features over time."""

from .feature_importance import importance
from .importance_history import ImportanceHistory, ImportanceWindow
from .importance_recorder import ImportanceRecorder

__all__ = ["ImportanceHistory", "ImportanceRecorder", "ImportanceWindow", "importance"]
