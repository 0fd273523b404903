# cython: language_level=3
from libc.stdint cimport uint32_t, uint64_t


cdef struct Pair:
    # The features by the numbers given to them, the one whose key ranks lower first.
    Py_ssize_t a
    Py_ssize_t b
    # Neighbours in the order of learning, by their numbers; -1 at the ends.
    Py_ssize_t older
    Py_ssize_t newer


cdef enum:
    # Numbers of a pair beside its counts: its weight, the variance of that, the unit of the counts.
    PAIR_WIDTH = 3


cdef class PairTable:
    cdef readonly Py_ssize_t most
    cdef readonly Py_ssize_t n_bins
    # Numbers that have been given, pairs that are known, and numbers that there is room for.
    cdef Py_ssize_t used
    cdef Py_ssize_t n_known
    cdef Py_ssize_t room
    # The ends of the list of known pairs, and the first number that may be given again.
    cdef Py_ssize_t oldest
    cdef Py_ssize_t newest
    cdef Py_ssize_t vacant
    cdef Pair *pairs
    # `PAIR_WIDTH` numbers for each pair, and the counts of its cells: negative and positive by turns,
    # row by row, in units of `unit`, which grows instead of the counts decaying.
    cdef double *numbers
    cdef double *counts
    # Number of counts of a pair.
    cdef Py_ssize_t cells
    # An index of numbers plus one, with open addressing; 0 is empty.
    cdef uint32_t *index
    cdef uint64_t mask
    # While a transaction is open: the pairs at its beginning, and the counts of those that have
    # been learned from since, which are noted before they change.
    cdef Pair *old_pairs
    cdef double *old_pair_numbers
    cdef char *noted
    cdef double *old_counts
    cdef Py_ssize_t *old_numbers
    cdef Py_ssize_t n_old_counts
    cdef Py_ssize_t old_counts_room
    cdef Py_ssize_t old_used
    cdef Py_ssize_t old_n_known
    cdef Py_ssize_t old_oldest
    cdef Py_ssize_t old_newest
    cdef Py_ssize_t old_vacant

    cdef list order(self)
    cdef tuple features_of(self, Py_ssize_t number)
    cdef void prefetch(self, Py_ssize_t number, Py_ssize_t place) noexcept
    cdef int begin(self) except -1
    cdef int note_room(self, Py_ssize_t more) except -1
    cdef void note(self, Py_ssize_t number) noexcept
    cdef void commit(self) noexcept
    cdef void rollback(self) noexcept
    cdef int reserve(self, Py_ssize_t more) except -1
    cdef Py_ssize_t find(self, Py_ssize_t a, Py_ssize_t b) noexcept
    cdef Py_ssize_t touch(self, Py_ssize_t a, Py_ssize_t b) noexcept
    cdef void drop(self, const Py_ssize_t *features, Py_ssize_t n) noexcept
    cdef void truncate(self) noexcept
    cdef void clear(self) noexcept
