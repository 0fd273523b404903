# cython: language_level=3
cimport cython

from river_trapezoid.weights.compiled._exact_sum cimport nearest, nothing, plus
from river_trapezoid.weights.compiled._feature_table cimport Held, Instance
from river_trapezoid.weights.compiled._rows cimport SlotRows
from river_trapezoid.weights.compiled.sparse cimport SparseWeights

cdef double INFINITY

cpdef double step_size(double loss, double squared_norm, int mode, double C) noexcept

cdef class PassiveAggressive:
    cdef readonly SparseWeights weights
    cdef public double intercept
    cdef public int mode
    cdef public double C
    cdef double _radius
    cdef public bint learn_intercept
    cdef bint is_perceptron
    cdef bint on_mistake
    cdef public object rng
    # What was known when a transaction began, None if there is none.
    cdef tuple before

    @cython.final
    cdef int margins_of(self, SlotRows batch, double[::1] margins) except -1
    @cython.final
    cdef int learn_batch(
        self, SparseWeights weights, SlotRows batch, const signed char[::1] signs, const double[::1] w
    ) except -1
    @cython.final
    @cython.locals(tau=double)
    cdef int take_step(self, SparseWeights weights, Instance *x, int sign, double w) except -1
    @cython.final
    @cython.locals(i=Py_ssize_t)
    cdef double step_of(self, Instance *x, double loss, double C) except? -1.0
