"""What a cell and a column of a raw table hold."""

from .cells import MISSING, as_label, is_known, is_plain
from .kinds import StringSample
from .names import listed

__all__ = ["MISSING", "StringSample", "as_label", "is_known", "is_plain", "listed"]
