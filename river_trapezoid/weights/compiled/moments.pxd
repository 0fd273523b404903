# cython: language_level=3
cimport cython
from libc.math cimport copysign, sqrt

from river_trapezoid.weights.compiled._feature_table cimport FeatureTable, Held, Instance
from river_trapezoid.weights.compiled._rows cimport SlotRows

cdef enum:
    WIDTH = 3
cdef double LARGEST


@cython.final
cdef class FeatureMoments(FeatureTable):
    cdef readonly bint centred
    cdef readonly bint scaled
    cdef double clock

    cdef list rows(self)
    @cython.locals(i=Py_ssize_t)
    cdef int learn_entered(self, Instance *x) except -1
    @cython.locals(i=Py_ssize_t, j=Py_ssize_t)
    cdef int learn_batch(self, SlotRows batch) except -1
    cdef inline bint update(self, Instance *x, Py_ssize_t i) noexcept
    cdef inline void keep(self, Instance *x, Py_ssize_t i) noexcept
    cdef inline double transformed(self, Py_ssize_t slot, double value) noexcept
    @cython.locals(flat="double[::1]", i=Py_ssize_t, j=Py_ssize_t, n=Py_ssize_t, x="Instance *")
    cdef int transform_batch(self, SlotRows batch, double[::1] flat) except -1
