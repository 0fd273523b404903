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
