# cython: language_level=3

cdef enum:
    MOST_HEADS = 5
    # The heads, a constant, and two memories of labels.
    MOST_MIXED = 8


cdef class Mixture:
    cdef int n_heads
    cdef int n
    cdef double memories[4]
    cdef double shares[MOST_MIXED]
    cdef double covariance[MOST_MIXED][MOST_MIXED]

    cpdef int fill(self, list numbers) except -1
    cdef void start(self, int n_heads)
    cdef void read(self, const double *heads, double *inputs) noexcept
    cdef double margin(self, const double *inputs) noexcept
    cdef void learn(self, const double *inputs, bint positive, double weight) noexcept


cdef double logistic(double z) noexcept
cdef double moderated(double mean, double variance) noexcept
