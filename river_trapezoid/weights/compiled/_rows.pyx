# cython: language_level=3, binding=False, cdivision=True, boundscheck=False, wraparound=False
"""The rows of a mini-batch as instances of a table: each column is looked up once, not in each row.

The slots of the columns are remembered in the table, for the next batch with the same columns.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc

from river_trapezoid.weights.compiled._feature_table cimport FEW, PREFETCH, FeatureTable, Instance, change_of

import numpy as np

cdef extern from "Python.h":
    void *PyList_GET_ITEM(list, Py_ssize_t) noexcept


cdef class ColumnSlots:
    """The slots of columns, as long as the table leaves its entries where they are."""

    cdef list names
    cdef Py_ssize_t *slots
    cdef uint64_t *hashes
    cdef uint64_t generation

    def __cinit__(self, FeatureTable table, list names):
        cdef Py_ssize_t j, n = len(names)
        self.names = names
        self.slots = <Py_ssize_t *>PyMem_Malloc((n + 1) * sizeof(Py_ssize_t))
        self.hashes = <uint64_t *>PyMem_Malloc((n + 1) * sizeof(uint64_t))
        if self.slots == NULL or self.hashes == NULL:
            raise MemoryError
        # All at once, as most names lie in memory one after the other.
        for j in range(n):
            self.hashes[j] = table.hash_of(names[j])
        self.forget(table)

    def __dealloc__(self):
        PyMem_Free(self.slots)
        PyMem_Free(self.hashes)

    def __sizeof__(self):
        return object.__sizeof__(self) + len(self.names) * 3 * sizeof(uint64_t)

    cdef bint are_of(self, FeatureTable table, list names) except -1:
        """Whether these are the slots of columns of these names.

        Names are compared as in a dict, only where their hashes are the same: others may have no
        comparison with each other.
        """
        cdef Py_ssize_t j
        if len(names) != len(self.names):
            return False
        for j in range(len(names)):
            name, known = names[j], self.names[j]
            if name is not known and not (
                type(name) is type(known)
                and table.hash_of(name) == self.hashes[j]
                and name == known
            ):
                return False
        return True

    cdef void forget(self, FeatureTable table) noexcept:
        """Forget all slots, as the entries of the table have moved."""
        memset(self.slots, 0xFF, len(self.names) * sizeof(Py_ssize_t))
        self.generation = table.generation

    cdef Py_ssize_t n_unknown(self, const char *wanted) noexcept:
        """How many of the columns that are wanted have no slot yet."""
        cdef Py_ssize_t j, n = 0
        for j in range(len(self.names)):
            n += wanted[j] and self.slots[j] < 0
        return n


cdef class SlotRows:
    """The rows of a batch, with the slots of a table for names."""

    def __dealloc__(self):
        PyMem_Free(self.memory)
        PyMem_Free(self.payloads)

    cdef int open(self, FeatureTable table, rows) except -1:
        """Read the rows. This may let other threads have a turn: the table is not in use yet."""
        cdef Py_ssize_t widest = 0, i
        cdef ColumnSlots known = table.columns
        self.table = table
        self.names = list(rows.columns)
        if known is not None and known.are_of(table, self.names):
            self.names = known.names
        else:
            rows.check_columns()
        self.n = len(rows)
        self.n_columns = len(self.names)
        self.is_dense = rows.dense is not None
        if self.is_dense:
            self.dense = rows.dense
            widest = self.n_columns
        else:
            self.values = rows.values
            self.indices = np.ascontiguousarray(rows.indices, dtype=np.intp)
            self.indptr = np.ascontiguousarray(rows.indptr, dtype=np.intp)
            for i in range(self.n):
                widest = max(widest, self.indptr[i + 1] - self.indptr[i])
        self.memory = PyMem_Malloc(3 * (widest + 1) * sizeof(double) + self.n_columns)
        if self.memory == NULL:
            raise MemoryError
        self.instance.terms = <double *>self.memory
        self.instance.updated = self.instance.terms + widest + 1
        self.instance.slots = <Py_ssize_t *>(self.instance.updated + widest + 1)
        self.wanted = <char *>(self.instance.slots + widest + 1)
        self.instance.memory = NULL
        self.instance.owns_keys = False
        self.instance.all_found = True
        memset(self.wanted, self.is_dense and self.n > 0, self.n_columns)
        if not self.is_dense:
            for i in range(self.indices.shape[0]):
                self.wanted[self.indices[i]] = 1
        return 0

    cdef int find(self, bint add) except -1:
        """Find the slots of the columns that occur, which are added if asked for.

        Whoever adds columns has their slots for himself until `close`, as what others find out
        about them meanwhile would be missing from the journal.
        """
        cdef FeatureTable table = self.table
        cdef ColumnSlots known = table.columns
        cdef Py_ssize_t j
        if known is None or known.names is not self.names:
            known = ColumnSlots(table, self.names)
        if add:
            table.columns = None
        if known.generation != table.generation:
            known.forget(table)
        # Entries move here, if at all.
        while add and table.reserve(known.n_unknown(self.wanted)):
            known.forget(table)
        self.adding = add
        if self.is_dense or not add:
            for j in range(self.n_columns):
                if self.wanted[j] and known.slots[j] < 0:
                    name = known.names[j]
                    if add:
                        known.slots[j] = table.add_hashed(name, known.hashes[j])
                    else:
                        known.slots[j] = table.slot_hashed(name, known.hashes[j])
        self.columns = known
        self.slots = known.slots
        if not add:
            self.close()
        return 0

    cdef void close(self) noexcept:
        """Leave the slots to the next batch."""
        self.table.columns = self.columns

    cdef Instance *row(self, Py_ssize_t i) except NULL:
        """A row, as an instance whose features have been found. It is good until the next one."""
        cdef Py_ssize_t start, j, column
        cdef Instance *x = &self.instance
        cdef ColumnSlots known = self.columns
        if self.is_dense:
            x.n = self.n_columns
            if x.n:
                x.values = <double *>&self.dense[i, 0]
            x.slots = self.slots
            return x
        start = self.indptr[i]
        x.n = self.indptr[i + 1] - start
        if x.n:
            x.values = <double *>&self.values[start]
        for j in range(x.n):
            column = self.indices[start + j]
            if self.slots[column] < 0 and self.adding:
                self.enter(column)
            x.slots[j] = self.slots[column]
        if self.table.used > FEW and i + 1 < self.n:
            # While this row is looked at, the entries of the next one may be on their way.
            for j in range(self.indptr[i + 1], self.indptr[i + 2]):
                column = self.indices[j]
                if self.slots[column] >= 0:
                    PREFETCH(&self.table.entries[self.slots[column]])
                else:
                    PREFETCH(PyList_GET_ITEM(known.names, column))
                    self.table.prefetch(known.hashes[column])
        return x

    cdef int enter(self, Py_ssize_t column) except -1:
        """Add a column to the table when it is met first, as row by row: there is room for it."""
        cdef ColumnSlots known = self.columns
        cdef Py_ssize_t slot = self.table.add_hashed(known.names[column], known.hashes[column])
        self.table.record(slot)
        self.slots[column] = slot
        return 0

    cdef int record(self) except -1:
        """Let the table remember what the columns are now, so that they can be restored."""
        cdef FeatureTable table = self.table
        cdef Py_ssize_t j, n = table.n_changes
        table.record_room(self.n_columns)
        for j in range(self.n_columns):
            if self.wanted[j] and self.slots[j] >= 0:
                table.changes[n] = change_of(table, self.slots[j])
                n += 1
        table.n_changes = n
        # Where all entries have been noted, there is nothing to add.
        table.journaling = table.journaling or n < table.used
        return 0

    cdef int record_payloads(self) except -1:
        """As `record`, with all columns that occur entered, and their payloads."""
        cdef Py_ssize_t j
        cdef FeatureTable table = self.table
        cdef size_t size = table.payload_size
        self.payloads = <char *>PyMem_Malloc((self.n_columns + 1) * size)
        if self.payloads == NULL:
            raise MemoryError
        self.record()
        for j in range(self.n_columns):
            if self.wanted[j]:
                if self.slots[j] < 0:
                    self.enter(j)
                memcpy(self.payloads + j * size, table.payloads + self.slots[j] * size, size)
        return 0

    cdef int look(self, Py_ssize_t i) except -1:
        """Notice an interrupt, now and then, and after the last row, as long as all can be undone."""
        if i % ROWS_WITHOUT_A_LOOK == 0 or i == self.n - 1:
            PyErr_CheckSignals()
        return 0

    cdef void undo(self) noexcept:
        """Restore the columns to their recorded state."""
        cdef Py_ssize_t j
        cdef FeatureTable table = self.table
        cdef size_t size = table.payload_size
        table.restore()
        if self.payloads != NULL:
            for j in range(self.n_columns):
                if self.wanted[j] and self.slots[j] >= 0:
                    memcpy(table.payloads + self.slots[j] * size, self.payloads + j * size, size)

    cdef void end(self) noexcept:
        """Discard the saved state of the columns."""
        self.table.forget_changes()
        PyMem_Free(self.payloads)
        self.payloads = NULL
