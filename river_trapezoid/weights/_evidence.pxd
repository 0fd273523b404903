from river_trapezoid.weights._native cimport *


cdef extern from "_evidence.h":
    ctypedef struct Belief:
        double n
        double n_positive
        double mean
        double deviations
        double w
        double w_variance
        double v
        double v_variance
        double counts[1]

    ctypedef struct Evidence:
        KeyTable table
        WeightHeap heap
        double intercept_variance
        double n
        double n_positive
        double smoothing
        double forgetting
        Py_ssize_t n_bins
        Py_ssize_t n_features
        bint drops

    ctypedef struct Input:
        double score
        double evidence

    ctypedef struct Inputs:
        Py_ssize_t n
        Input *inputs

    int inputs_open(Inputs *inputs, Py_ssize_t n) except -1
    void inputs_close(Inputs *inputs) noexcept

    int evidence_open(Evidence *e) except -1
    void evidence_set(
        Evidence *e, Py_ssize_t n_bins, double smoothing, double forgetting, bint drops
    ) noexcept
    void evidence_empty(Evidence *e)
    size_t evidence_size(const Evidence *e) noexcept
    int evidence_reserve(Evidence *e, Py_ssize_t more) except -1
    Belief *evidence_belief(const Evidence *e, Py_ssize_t number) noexcept
    double belief_strength(const Belief *belief) noexcept
    void evidence_read(const Evidence *e, const Instance *x, double intercept, Inputs *inputs) noexcept
    double evidence_margin(const Inputs *inputs) noexcept
    double evidence_step(
        Evidence *e, Instance *x, const Inputs *inputs, double intercept, bint positive
    ) noexcept
    int evidence_truncate(Evidence *e, const Instance *x, Py_ssize_t capacity) except -1
