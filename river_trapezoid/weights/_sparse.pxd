from river_trapezoid.weights._native cimport *


cdef extern from "_weights.h":
    ctypedef struct Weights:
        KeyTable table
        WeightHeap heap
        double scale
        double power_sum
        double drift
        int order
        bint counts_features
        Py_ssize_t n_weights
        Py_ssize_t n_seen

    int weights_open(Weights *w) except -1
    void weights_empty(Weights *w)
    size_t weights_size(const Weights *w) noexcept
    int weights_reserve(Weights *w, Py_ssize_t more) except -1
    void weights_see(Weights *w, Py_ssize_t number) noexcept
    void weights_see_instance(Weights *w, const Instance *x) noexcept
    void weights_set(Weights *w, Py_ssize_t number, double v) noexcept
    double weights_norm(const Weights *w) noexcept
    void weights_sum_anew(Weights *w) noexcept
    void weights_scale_by(Weights *w, double factor) noexcept
    double weights_try(const Weights *w, Instance *x, double step) noexcept
    void weights_commit(Weights *w, const Instance *x, double power_sum) noexcept
    Py_ssize_t weights_truncate(
        Weights *w, const Instance *x, Py_ssize_t capacity, double *lost
    ) except -1
    void weights_settle(Weights *w, double *lost, Py_ssize_t n_lost) noexcept
    double pa_step_size(
        Instance *x, double loss, int mode, double C, bint learn_intercept
    ) noexcept


cdef class SparseWeights:
    cdef Weights _w
    # How many are at work with the weights. Keys may run any code when they are compared, but none
    # that changes these weights meanwhile.
    cdef Py_ssize_t _busy
    cdef object _budget
    # The budget if it is a plain float or an integer; 0 if not.
    cdef double _share
    cdef Py_ssize_t _count

    cpdef object pa_step(
        self,
        x,
        int sign,
        intercept,
        int mode,
        double C,
        radius,
        bint learn_intercept,
        step,
        update_on,
        rng,
    )

    cdef int _check_idle(self) except -1
    cdef list _read(self, Instance *instance, x, bint own)
    cdef list _enter(self, list keys, Py_ssize_t more=*)
    cdef double _v(self, key) except? -1.0
    cdef dict _times(self, double factor)
    cdef double _margin(self, x) except? -1.0
    cdef double _dot(self, Instance *x) except? -1.0
    cdef double _scaled(self, Instance *x, double product) except? -1.0
    cdef Py_ssize_t _capacity(self) except -1
    cdef int _move(self, Instance *x, double step, radius, rng, features, list seen) except -1
    cdef Py_ssize_t _keep_random(self, rng, double *lost) except -1
