# cython: language_level=3
cimport cython

from river_trapezoid.weights.compiled.categories cimport AtHand

cdef enum:
    MOST_ASKED = 5
    MOST_PAIRED = 100


# The contribution of a feature: where it is in the table, and what follows from its value.
cdef struct Input:
    Py_ssize_t slot
    # Where its numbers are, and its number in the table of pairs.
    Py_ssize_t at
    Py_ssize_t number
    double value
    double score
    # By how much the value moves the log-odds, that with the doubt of the first labels, and the odds
    # by this feature alone.
    double shift
    double evidence
    double odds
    # The place of the left bin's counts, and the share of the right one.
    Py_ssize_t left
    double right
    # The place of a category among those of the instance.
    Py_ssize_t category


# The contribution of a pair.
cdef struct PairInput:
    # The inputs of the two features, the one whose key ranks lower first.
    Py_ssize_t a
    Py_ssize_t b
    # The number of the pair, -1 if it is not known.
    Py_ssize_t pair
    double evidence


@cython.final
cdef class Asked:
    # The inputs of numbers come first, then those of categories.
    cdef Py_ssize_t n
    cdef Py_ssize_t n_numbers
    cdef Py_ssize_t n_pairs
    cdef AtHand categories
    cdef Input *inputs
    cdef PairInput *pairs
    cdef double *terms
    cdef double *variance_terms
    cdef double totals[MOST_ASKED]
    cdef double variances[MOST_ASKED]
    cdef double mixed[MOST_ASKED + 3]
    cdef Py_ssize_t strongest[MOST_PAIRED + 1]
    cdef double strengths[MOST_PAIRED + 1]
    cdef void *memory
    cdef size_t room

    cdef void close(self) noexcept


cdef Asked open_asked(Py_ssize_t n, Py_ssize_t n_paired, int n_heads)


cdef inline Py_ssize_t whole(double position) noexcept:
    return <Py_ssize_t>position
