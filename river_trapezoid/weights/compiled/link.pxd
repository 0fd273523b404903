# cython: language_level=3
from libc.math cimport exp, log1p, sqrt

cdef double EIGHTH_OF_PI

cpdef double logistic(double z) noexcept
cpdef double log_loss(double signed_margin) noexcept
cpdef double moderated(double mean, double variance) noexcept
