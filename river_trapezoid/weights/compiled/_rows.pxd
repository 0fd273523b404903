# cython: language_level=3
from river_trapezoid.weights.compiled._feature_table cimport FeatureTable, Instance


cdef enum:
    # The number of rows of a batch between two looks for an interrupt.
    ROWS_WITHOUT_A_LOOK = 1024


cdef class SlotRows:
    cdef FeatureTable table
    cdef Py_ssize_t n
    cdef Py_ssize_t n_columns
    cdef const double[:, ::1] dense
    cdef const double[::1] values
    cdef const Py_ssize_t[::1] indices
    cdef const Py_ssize_t[::1] indptr
    cdef bint is_dense
    # Whether columns are added to the table where they are met.
    cdef bint adding
    cdef list names
    cdef object columns
    # The slot of each column that occurs; -1 for one that has none. They belong to `columns`.
    cdef Py_ssize_t *slots
    # Whether each column occurs.
    cdef char *wanted
    cdef void *memory
    # What the payloads of the columns were.
    cdef char *payloads
    cdef Instance instance

    cdef int open(self, FeatureTable table, rows) except -1
    cdef int find(self, bint add) except -1
    cdef void close(self) noexcept
    cdef Instance *row(self, Py_ssize_t i) except NULL
    cdef int enter(self, Py_ssize_t column) except -1
    cdef int record(self) except -1
    cdef int record_payloads(self) except -1
    cdef int look(self, Py_ssize_t i) except -1
    cdef void undo(self) noexcept
    cdef void end(self) noexcept
