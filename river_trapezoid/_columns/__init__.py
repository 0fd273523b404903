"""The kinds of cells and columns of a raw table."""

from .cells import MISSING, as_label, is_known, is_plain, plain_cells
from .column import KINDS, Column, ColumnReport
from .kinds import StringSample
from .names import listed
from .rows import learn_row, write_row

__all__ = [
    "KINDS",
    "MISSING",
    "Column",
    "ColumnReport",
    "StringSample",
    "as_label",
    "is_known",
    "is_plain",
    "learn_row",
    "listed",
    "plain_cells",
    "write_row",
]
