# cython: language_level=3
from river_trapezoid.weights._feature_table cimport FeatureTable, Instance


cdef class SparseWeights(FeatureTable):
    cdef readonly int order
    cdef double scale
    # The sum of |v|^order, and a bound on the rounding error it has gathered.
    cdef double power_sum
    cdef double drift
    # What they were when a transaction began, None if there is none.
    cdef tuple before

    cdef double dot_found(self, Instance *x) except? -1.0
    cdef int enter_features(self, Instance *x) except -1
    cdef int move(self, Instance *x, double step, double radius, rng) except -1
    cdef void observe_entered(self, const Instance *x) noexcept
