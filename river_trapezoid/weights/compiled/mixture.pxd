# cython: language_level=3
cimport cython
from libc.math cimport log

from river_trapezoid.weights.compiled.link cimport logistic, moderated

cdef double PRIOR_VARIANCE, LARGEST_HEAD, CONSTANT, LEAST_CURVATURE, GROWTH, MEMORY, LONGER_MEMORY

cdef enum:
    MOST_HEADS = 5
    # The heads, a constant, and two memories of labels.
    MOST_MIXED = 8


@cython.final
cdef class Mixture:
    cdef int n_heads
    cdef int n
    cdef double memories[4]
    cdef double shares[MOST_MIXED]
    cdef double gain[MOST_MIXED]
    cdef double covariance[MOST_MIXED][MOST_MIXED]

    @cython.locals(i=int, j=int, n=int)
    cpdef void start(self, tuple prior)
    @cython.locals(i=int, j=int, n=int)
    cpdef list to_list(self)
    @cython.locals(i=int, j=int, n=int)
    cpdef int fill(self, list numbers) except -1
    @cython.locals(h=int)
    cdef void read(self, double *inputs) noexcept
    cdef double margin(self, double *inputs) noexcept
    @cython.locals(i=int, j=int, n=int)
    cdef void learn(self, double *inputs, bint positive, double weight) noexcept
    @cython.locals(i=int)
    cdef double total(self, const double *inputs) noexcept
    @cython.locals(i=int, j=int)
    cdef double find_gain(self, const double *inputs) noexcept
