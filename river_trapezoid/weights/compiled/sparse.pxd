# cython: language_level=3
cimport cython
from libc.math cimport isfinite, sqrt

from river_trapezoid.weights.compiled._exact_sum cimport nearest, nothing, plus
from river_trapezoid.weights.compiled._feature_table cimport FeatureTable, Held, Instance

cdef double SMALLEST_SCALE, LARGEST_DRIFT, EPSILON, LARGEST, INFINITY

cdef inline double power(double v, int order) noexcept

cdef class SparseWeights(FeatureTable):
    cdef readonly int order
    cdef double scale
    # The sum of |v|^order, and a bound on the rounding error it has gathered.
    cdef double power_sum
    cdef double drift
    # What they were when a transaction began, None if there is none.
    cdef tuple before

    @cython.locals(v=double, i=Py_ssize_t)
    cdef double dot_found(self, Instance *x) except? -1.0
    cdef int enter_features(self, Instance *x) except -1
    cdef void observe_entered(self, Instance *x) noexcept
    @cython.locals(term=double, new=double, i=Py_ssize_t, n_lost=Py_ssize_t, slot=Py_ssize_t,
                   dropped=list, lost="double *", overflows=bint)
    cdef int move(self, Instance *x, double step, double radius, rng) except -1
    @cython.final
    cdef double norm_now(self) noexcept
    @cython.final
    cdef dict scaled(self, double factor)
    @cython.final
    cdef list draw_dropped(self, Instance *x, rng)
    @cython.final
    @cython.locals(i=Py_ssize_t)
    cdef int subtract(self, double *lost, Py_ssize_t n_lost) except -1
    @cython.final
    @cython.locals(i=Py_ssize_t)
    cdef int sum_anew(self) except -1
    @cython.final
    @cython.locals(i=Py_ssize_t)
    cdef int scale_down(self, double factor) except -1
