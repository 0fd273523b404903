"""The kinds of cells and columns of a raw table."""

from .cells import MISSING, as_label, is_known, is_plain
from .kinds import StringSample
from .names import listed

__all__ = ["MISSING", "StringSample", "as_label", "is_known", "is_plain", "listed"]
