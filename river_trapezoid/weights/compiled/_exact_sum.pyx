# cython: language_level=3
from libc.math cimport fabs

from river_trapezoid.weights.exact_sum import exact_sum


cdef double sum_slowly(const double *terms, Py_ssize_t n) except? -1.0:
    cdef double sum = 0.0, error = 0.0, size = 0.0, lost = 0.0
    cdef Py_ssize_t i
    for i in range(n):
        size += fabs(terms[i])
        lost += fabs(two_sum(&error, two_sum(&sum, terms[i])))
    if lost == 0.0 and size < 1e300:
        return sum + error
    return exact_sum([terms[i] for i in range(n)])
