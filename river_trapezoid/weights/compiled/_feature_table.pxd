# cython: language_level=3
cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t

from cpython.mem cimport PyMem_Free
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PREFETCH(address) ((void)(address))
    #endif
    """
    void PREFETCH(const void *) noexcept


cdef enum:
    # Entries of a table that the cache holds.
    FEW = 1000


cdef struct Entry:
    PyObject *key
    # The hash of the key, spread over all bits but the highest: whether the feature has been seen.
    uint64_t hash
    # A weight, or whatever features are ranked by; a feature is kept while it is not zero.
    double v


# What an entry was before a mini-batch or a transaction changed it.
cdef struct Change:
    Py_ssize_t slot
    double v
    int32_t seen
    # The number of the copy of its payload, -1 if there is none.
    int32_t payload


cdef struct HeapItem:
    double size
    uint32_t slot


# The features of one instance, read from a dict into arrays.
cdef struct Instance:
    Py_ssize_t n
    PyObject **keys
    double *values
    double *terms
    double *updated
    uint64_t *hashes
    # Numbers of the entries; -1 for a feature without one, or not found yet.
    Py_ssize_t *slots
    bint all_found
    bint all_seen
    bint owns_keys
    void *memory
    uint64_t on_stack[6 * 128]


cdef inline void instance_close(Instance *x) noexcept:
    cdef Py_ssize_t i
    if x.owns_keys:
        for i in range(x.n):
            Py_DECREF(<object>x.keys[i])
    if x.memory != NULL:
        PyMem_Free(x.memory)


cdef bint key_less(PyObject *a, PyObject *b) except -1


# An instance that has been read, and must be closed.
@cython.final
cdef class Held:
    cdef Instance *x
    cdef Instance instance
    cdef object features
    # The categories of an instance that has some.
    cdef object categories

    cdef dict result(self)
    cdef void close(self) noexcept


cdef class FeatureTable:
    cdef Entry *entries
    cdef Py_ssize_t used
    cdef Py_ssize_t room
    # Number of entries with a v other than zero, and of those that are marked as seen.
    cdef Py_ssize_t n_kept
    cdef Py_ssize_t n_marked
    cdef char *payloads
    cdef size_t payload_size
    # The payloads, where they are `width` doubles for each entry.
    cdef double *numbers
    cdef Py_ssize_t width
    # Numbers that a step has room for.
    cdef double *scratch
    cdef Py_ssize_t scratch_room

    # An entry's number plus one in the low bits, a tag from its hash in the others; 0 is empty.
    cdef uint32_t *index
    cdef uint32_t mask
    # Whether all keys are of type str, which compare without running any code.
    cdef bint only_text

    # The smallest entries, sorted, of which those before `run_at` have been taken.
    cdef HeapItem *run
    cdef Py_ssize_t run_at
    cdef Py_ssize_t run_end
    cdef HeapItem *heap
    cdef Py_ssize_t heap_size
    cdef Py_ssize_t heap_room
    cdef Py_ssize_t heap_limit
    cdef double ceiling
    cdef HeapItem buffer[12]
    cdef int n_buffered

    # While a mini-batch or a transaction is open, what the entries were before.
    cdef bint journaling
    # Whether the journal notes each feature that is entered, with its payload.
    cdef bint noting
    cdef Change *changes
    cdef Py_ssize_t n_changes
    cdef Py_ssize_t changes_room
    cdef Py_ssize_t changes_limit
    cdef char *old_payloads
    cdef Py_ssize_t n_old_payloads
    cdef Py_ssize_t old_payloads_room
    # Grows when entries may have moved to other slots; the slots of the columns of a frame.
    cdef uint64_t generation
    cdef object columns

    cdef object _budget
    cdef double share
    cdef Py_ssize_t count
    cdef Py_ssize_t users

    cdef int set_budget(self, budget) except -1
    cdef Py_ssize_t capacity_of(self, Py_ssize_t n_seen) noexcept
    cdef int acquire(self) except -1
    cdef object read(self, Instance *x, features, bint own)
    cdef Held open(self, features, bint own)
    cdef object key_at(self, Py_ssize_t slot)
    cdef dict values_of(self, const Instance *x)
    cdef double *room_for(self, Py_ssize_t n) except NULL
    cdef int find(self, Instance *x) except -1
    cdef int enter(self, Instance *x, bint skip_zeros) except -1
    cdef int reserve(self, Py_ssize_t more) except -1
    cdef int see(self, const Instance *x) except -1
    cdef uint64_t hash_of(self, key) except? 0xFFFFFFFFFFFFFFFFULL
    cdef void prefetch(self, uint64_t hash) noexcept
    cdef Py_ssize_t add_hashed(self, key, uint64_t hash) except -1
    cdef Py_ssize_t add(self, key) except -1
    cdef Py_ssize_t slot_hashed(self, key, uint64_t hash) except -2
    cdef Py_ssize_t slot(self, key) except -2
    cdef list kept(self)
    cdef list kept_values(self, double factor)
    cdef int add_values(self, list pairs) except -1
    cdef list seen(self)
    cdef bint ranks_lower(self, Py_ssize_t slot, Py_ssize_t other) except -1
    cdef Py_ssize_t *room_for_slots(self, Py_ssize_t n) except NULL
    cdef void prefetch_payloads(self, const Instance *x, Py_ssize_t at) noexcept
    cdef void see_all(self, const Instance *x) noexcept
    cdef Py_ssize_t drop_to(
        self, const Instance *x, bint skip_zeros, Py_ssize_t capacity, double *lost
    ) except -1
    cdef Py_ssize_t drop_slots(
        self, const Instance *x, Py_ssize_t capacity, Py_ssize_t *slots
    ) except -1
    cdef Py_ssize_t truncate(
        self,
        const Instance *x,
        bint skip_zeros,
        Py_ssize_t capacity,
        double *lost,
        Py_ssize_t *lost_slots,
    ) except -1
    cdef Py_ssize_t lose_up_to(
        self, double limit, Py_ssize_t n, double *lost, Py_ssize_t *lost_slots
    ) except -1
    cdef int open_journal(self, columns) except -1
    cdef int note(self, const Instance *x) except -1
    cdef int record_room(self, Py_ssize_t more) except -1
    cdef int record(self, Py_ssize_t slot) except -1
    cdef int forget_repeated_changes(self) except -1
    cdef void restore(self) noexcept
    cdef void forget_changes(self) noexcept
    cdef void drop_heap(self) noexcept
    cdef void clear(self) noexcept

    @cython.final
    cdef inline void put(self, Py_ssize_t slot, double v) noexcept:
        self.n_kept += (v != 0.0) - (self.entries[slot].v != 0.0)
        # Zero has no sign.
        self.entries[slot].v = v + 0.0

    @cython.final
    cdef inline bint is_seen(self, Py_ssize_t slot) noexcept:
        return self.entries[slot].hash >> 63

    @cython.final
    cdef inline void see_slot(self, Py_ssize_t slot) noexcept:
        self.n_marked += not self.is_seen(slot)
        self.entries[slot].hash |= 1ULL << 63


cdef inline bint is_seen(const Entry *entry) noexcept:
    return entry.hash >> 63


cdef inline Change change_of(FeatureTable t, Py_ssize_t slot) noexcept:
    return Change(slot, t.entries[slot].v, is_seen(&t.entries[slot]), -1)
