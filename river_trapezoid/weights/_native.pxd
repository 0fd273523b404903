from libc.stdint cimport uint64_t

from cpython.object cimport PyObject, PyTypeObject, visitproc


cdef extern from "_instance.h":
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
        size_t payload_size

    ctypedef struct Instance:
        Py_ssize_t n
        PyObject **keys
        double *values
        double *terms
        double *moved
        uint64_t *hashes
        Py_ssize_t *numbers

    uint64_t key_hash(object key) except? UNKNOWN_HASH
    Py_ssize_t table_find(KeyTable *table, object key, uint64_t hash) except -2
    Py_ssize_t table_find_or_add(KeyTable *table, object key, uint64_t hash) except -2
    int table_visit(const KeyTable *table, visitproc visit, void *arg) noexcept

    int instance_open(Instance *x, Py_ssize_t most) except -1
    int instance_read(
        Instance *x, object dict, const KeyTable *table, bint clean, bint own
    ) except -1
    void instance_close(Instance *x)
    int instance_find(Instance *x, KeyTable *table) except -1
    int instance_dot(Instance *x, KeyTable *table, double *product) except -1
    int instance_enter(Instance *x, KeyTable *table, bint sparing) except -1
    double instance_dot_entered(Instance *x, const KeyTable *table) noexcept


cdef extern from "_weight_heap.h":
    ctypedef struct WeightHeap:
        pass

    void heap_drop(WeightHeap *heap) noexcept


cdef extern from "_collected.h":
    ctypedef struct Collected:
        int (*traverse)(PyObject *, visitproc, void *) noexcept
        int (*clear)(PyObject *) noexcept

    Collected collected
    void collect(
        PyTypeObject *type,
        int (*traverse)(PyObject *, visitproc, void *) noexcept,
        int (*clear)(PyObject *) noexcept,
    ) noexcept


cdef inline list read_items(Instance *instance, x):
    """Read the features of any mapping. Hold on to what is returned: it owns the keys."""
    cdef double value
    cdef list items = []
    for key, number in x.items():
        value = number
        items.append((key, value))
    instance_open(instance, len(items))
    for key, number in items:
        instance.keys[instance.n] = <PyObject *>key
        instance.hashes[instance.n] = UNKNOWN_HASH
        instance.numbers[instance.n] = -1
        instance.values[instance.n] = number
        instance.n += 1
    return items
