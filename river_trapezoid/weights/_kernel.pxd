from libc.stdint cimport uint64_t

from cpython.object cimport PyObject, PyTypeObject, visitproc


cdef extern from "_weights.h":
    const uint64_t SEEN
    const uint64_t UNKNOWN_HASH

    ctypedef struct Entry:
        PyObject *key
        uint64_t hash
        double v

    ctypedef struct KeyTable:
        Entry *entries
        void *index
        Py_ssize_t used

    ctypedef struct WeightHeap:
        pass

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

    ctypedef struct Instance:
        Py_ssize_t n
        PyObject **keys
        double *values
        double *terms
        double *moved
        uint64_t *hashes

    uint64_t key_hash(object key) except? UNKNOWN_HASH
    Py_ssize_t table_find(KeyTable *table, object key, uint64_t hash) except -2
    Py_ssize_t table_find_or_add(KeyTable *table, object key, uint64_t hash) except -2
    int table_visit(const KeyTable *table, visitproc visit, void *arg) noexcept
    void heap_drop(WeightHeap *heap) noexcept

    int instance_open(Instance *x, Py_ssize_t most) except -1
    int instance_read(Instance *x, object dict, const KeyTable *table, bint clean) except -1
    void instance_close(Instance *x)
    int instance_dot(Instance *x, KeyTable *table, double *product) except -1
    int instance_enter(Instance *x, KeyTable *table, bint sparing) except -1
    double instance_dot_entered(Instance *x, const KeyTable *table) noexcept

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

    ctypedef struct Collected:
        int (*traverse)(PyObject *, visitproc, void *) noexcept
        int (*clear)(PyObject *) noexcept

    Collected collected
    void collect(
        PyTypeObject *type,
        int (*traverse)(PyObject *, visitproc, void *) noexcept,
        int (*clear)(PyObject *) noexcept,
    ) noexcept
