# cython: language_level=3, binding=False, cdivision=True
"""A hash table from features to numbered entries: what all compiled weights are built on.

Entries lie in one array, in the order of their insertion. An index with open addressing (linear
probing, load factor of at most two thirds) holds their numbers. An entry is never removed on its
own: those that are neither kept nor marked as seen are left out when the table is rebuilt, so that
a slot, the number of an entry, is good until the next `reserve`.

While a mini-batch or a transaction is open, the table keeps a journal of what its entries were, and
does not move them, so that undoing it costs as much as what has changed.

The entry to drop is the one with the smallest |v|. About the smallest quarter of the entries, up to
a ceiling, lie in a sorted run, from whose front they are taken. An entry that changes later on and
is not above the ceiling is pushed on a heap beside it, and an item whose entry has changed since is
stale and passed over. Most entries that change are among the smallest, so that a short sorted buffer
in front of the heap takes the smallest of them.
"""

import secrets

from libc.float cimport DBL_EPSILON, DBL_MAX
from libc.math cimport INFINITY, fabs
from libc.string cimport memcmp, memcpy, memmove, memset

cimport cython

from cpython.dict cimport PyDict_Copy, PyDict_Next, PyDict_SetItem
from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport Py_EQ, Py_LT, PyObject_Hash, PyObject_RichCompareBool, PyTypeObject, visitproc
from cpython.ref cimport Py_DECREF, Py_INCREF

from river_trapezoid._instance import observed
from river_trapezoid._parameters import check_budget
from river_trapezoid.weights.key_order import rank


cdef extern from *:
    """
    #include <stdint.h>

    #if defined(PYPY_VERSION) || defined(Py_GIL_DISABLED)
    #error "The kernel relies on the global interpreter lock and the objects of CPython"
    #endif

    /* Cython does not know the keys in a table: show them to the garbage collector. */
    static traverseproc traverse_attributes;
    static inquiry clear_attributes;

    static void set_collector(PyTypeObject *type, traverseproc traverse, inquiry clear)
    {
        traverse_attributes = type->tp_traverse;
        clear_attributes = type->tp_clear;
        type->tp_traverse = traverse;
        type->tp_clear = clear;
    }
    """
    int traverse_attributes(PyObject *, visitproc, void *) noexcept
    int clear_attributes(PyObject *) noexcept
    void set_collector(
        PyTypeObject *,
        int (*)(PyObject *, visitproc, void *) noexcept,
        int (*)(PyObject *) noexcept,
    ) noexcept

cdef extern from "Python.h":
    ctypedef struct PyASCIIObject:
        Py_hash_t hash
    bint PyBool_Check(PyObject *) noexcept
    bint PyFloat_CheckExact(PyObject *) noexcept
    double PyFloat_AS_DOUBLE(PyObject *) noexcept
    bint PyLong_CheckExact(PyObject *) noexcept
    double PyLong_AsDouble(PyObject *) noexcept
    bint PyUnicode_CheckExact(PyObject *) noexcept
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *) noexcept
    int PyUnicode_KIND(PyObject *) noexcept
    const void *PyUnicode_DATA(PyObject *) noexcept
    int PyUnicode_Compare(PyObject *, PyObject *) except? -1
    bint PyBytes_CheckExact(PyObject *) noexcept
    bint PyTuple_CheckExact(PyObject *) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject *) noexcept
    PyObject *PyTuple_GET_ITEM(PyObject *, Py_ssize_t) noexcept
    Py_ssize_t PyDict_GET_SIZE(dict) noexcept

# Bits and sizes.
cdef enum:
    ON_STACK = 128
    MOST_ENTRIES = 0x7FFFFFFF
    SMALLEST_INDEX = 8
    BUFFER = 12
    SAMPLE = 32
    SELECTED_SHARE = 8
    SORTED_BY_INSERTION = 8
    RUN_AHEAD = 16
cdef uint64_t SEEN = 1ULL << 63
cdef uint64_t UNKNOWN_HASH = 0xFFFFFFFFFFFFFFFFULL
# All integers below are doubles; larger ones are left to `observed`, which rounds them.
cdef double END_OF_EXACT_INTEGERS = 2.0**53
# Nobody outside of the process can craft keys whose hashes differ but collide here.
cdef uint64_t SECRET = secrets.randbits(64)


cdef inline uint64_t mixed(Py_hash_t hash) noexcept:
    """Spread a hash over all bits but the highest, which is left to `SEEN`."""
    cdef uint64_t mix = (<uint64_t>hash ^ SECRET) * 0x9E3779B97F4A7C15ULL
    mix ^= mix >> 32
    return (mix * 0xD6E8FEB86659FD93ULL) & ~SEEN


cdef inline uint32_t home(FeatureTable t, uint64_t hash) noexcept:
    return <uint32_t>(hash >> 31) & t.mask


cdef inline uint64_t key_hash(PyObject *key) except? 0xFFFFFFFFFFFFFFFFULL:
    return mixed(PyObject_Hash(<object>key))


cdef inline int plain_kind(PyObject *key) noexcept:
    """The kind of a key, as `key_order.rank` has it, if it is of a plain type; else -1."""
    if PyUnicode_CheckExact(key):
        return 1
    if PyLong_CheckExact(key) or PyFloat_CheckExact(key) or PyBool_Check(key):
        return 0
    if PyBytes_CheckExact(key):
        return 2
    if key == <PyObject *>None:
        return 3
    return 4 if PyTuple_CheckExact(key) else -1


cdef bint is_ranked(PyObject *key) noexcept:
    """Whether a key is known to have a rank, as plain ones but NaN have."""
    cdef int kind = plain_kind(key)
    cdef Py_ssize_t i
    if kind == 0 and PyFloat_CheckExact(key):
        return PyFloat_AS_DOUBLE(key) == PyFloat_AS_DOUBLE(key)
    if kind == 4:
        for i in range(PyTuple_GET_SIZE(key)):
            if not is_ranked(PyTuple_GET_ITEM(key, i)):
                return False
    return kind >= 0


cdef inline int check_rank(PyObject *key) except -1:
    """Refuse a key without a rank."""
    if not PyUnicode_CheckExact(key) and not is_ranked(key):
        rank(<object>key)
    return 0


cdef inline bint keys_equal(PyObject *stored, PyObject *key) except -1:
    """Whether keys are equal. Runs code of keys other than str."""
    cdef Py_ssize_t length
    cdef int kind
    if PyUnicode_CheckExact(stored) and PyUnicode_CheckExact(key):
        length = PyUnicode_GET_LENGTH(stored)
        kind = PyUnicode_KIND(stored)
        return (
            PyUnicode_GET_LENGTH(key) == length
            and PyUnicode_KIND(key) == kind
            and memcmp(PyUnicode_DATA(stored), PyUnicode_DATA(key), length * kind) == 0
        )
    # Held on to, as the comparison may run any code.
    held, other = <object>stored, <object>key
    return PyObject_RichCompareBool(held, other, Py_EQ)


cdef int key_order(PyObject *a, PyObject *b) except -2:
    """-1, 0 or 1 as one key ranks lower than another, as high, or higher; 2 if not all is plain.

    Plain keys are compared without running any code of Python, so that no other thread gets a turn.
    """
    cdef Py_ssize_t n_a, n_b, i
    cdef int order, kind = plain_kind(a), other = plain_kind(b)
    if a == b:
        return 0
    if kind < 0 or other < 0:
        return 2
    if kind != other:
        return (kind > other) - (kind < other)
    if kind == 1:
        if PyUnicode_KIND(a) != 1 or PyUnicode_KIND(b) != 1:
            return PyUnicode_Compare(a, b)
        n_a, n_b = PyUnicode_GET_LENGTH(a), PyUnicode_GET_LENGTH(b)
        order = memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), min(n_a, n_b))
        return (order > 0) - (order < 0) if order else (n_a > n_b) - (n_a < n_b)
    if kind == 4:
        n_a, n_b = PyTuple_GET_SIZE(a), PyTuple_GET_SIZE(b)
        for i in range(min(n_a, n_b)):
            order = key_order(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))
            if order:
                return order
        return (n_a > n_b) - (n_a < n_b)
    if PyObject_RichCompareBool(<object>a, <object>b, Py_LT):
        return -1
    return not PyObject_RichCompareBool(<object>a, <object>b, Py_EQ)


cdef bint key_less(PyObject *a, PyObject *b) except -1:
    """Whether a key ranks lower than another."""
    cdef int order = key_order(a, b)
    if order < 2:
        return order < 0
    # Held on to, as the comparison may run any code.
    first, second = <object>a, <object>b
    return rank(first) < rank(second)


cdef inline void index_insert(FeatureTable t, uint64_t hash, uint32_t slot) noexcept:
    cdef uint32_t place = home(t, hash)
    while t.index[place]:
        place = (place + 1) & t.mask
    t.index[place] = (<uint32_t>hash & ~t.mask) | (slot + 1)


cdef inline Py_ssize_t find_same(
    const Entry *entries, const uint32_t *index, uint32_t mask, PyObject *key, uint64_t hash
) noexcept:
    """The slot of a key that is met as the same object in its home or next to it; else -1."""
    cdef uint32_t place = <uint32_t>(hash >> 31) & mask
    cdef uint32_t word = index[place], following = index[(place + 1) & mask]
    # Which of the two it is cannot be predicted, so that there is no branch.
    word ^= (word ^ following) & -<uint32_t>(((word ^ <uint32_t>hash) & ~mask) != 0)
    cdef Py_ssize_t slot = <Py_ssize_t>(word & mask) - 1
    return slot if slot >= 0 and entries[slot].key == key else -1


cdef Py_ssize_t search(FeatureTable t, PyObject *key, uint64_t hash) except -2:
    """The slot of a key; -1 if it has none. The caller holds the key, and the table is in use."""
    cdef uint32_t place = home(t, hash), word = t.index[place]
    cdef Py_ssize_t slot
    cdef Entry *entry
    while word:
        if ((word ^ <uint32_t>hash) & ~t.mask) == 0:
            slot = <Py_ssize_t>(word & t.mask) - 1
            entry = &t.entries[slot]
            if entry.key == key:
                return slot
            if (entry.hash & ~SEEN) == hash and keys_equal(entry.key, key):
                return slot
        place = (place + 1) & t.mask
        word = t.index[place]
    return -1


cdef inline Py_ssize_t find_key(FeatureTable t, PyObject *key, uint64_t hash, bint add) except -2:
    """The slot of a key, which is added if asked for; -1 if it has none."""
    cdef Py_ssize_t slot = find_same(t.entries, t.index, t.mask, key, hash)
    if slot >= 0:
        return slot
    if t.index[home(t, hash)]:
        slot = search(t, key, hash)
    if not add:
        return slot
    if slot >= 0:
        # What equals a key need not have a rank, as a complex number.
        check_rank(key)
        return slot
    return insert(t, key, hash)


cdef Py_ssize_t insert(FeatureTable t, PyObject *key, uint64_t hash) except -2:
    """Add a key, for which there is room; return its slot."""
    cdef Py_ssize_t slot = t.used
    if not PyUnicode_CheckExact(key):
        check_rank(key)
        t.only_text = False
    Py_INCREF(<object>key)
    t.entries[slot] = Entry(key, hash, 0.0)
    t.used += 1
    index_insert(t, hash, <uint32_t>slot)
    return slot


cdef inline bint is_alive(const Entry *entry) noexcept:
    return entry.v != 0.0 or (entry.hash & SEEN) != 0


cdef int instance_open(Instance *x, Py_ssize_t most) except -1:
    """Make room for this number of features."""
    cdef uint64_t *space = x.on_stack
    x.n = 0
    x.all_found = x.all_seen = x.owns_keys = False
    x.memory = NULL
    if most > ON_STACK:
        space = <uint64_t *>PyMem_Malloc(6 * most * sizeof(uint64_t))
        if space == NULL:
            raise MemoryError
        x.memory = space
    x.keys = <PyObject **>space
    x.values = <double *>(space + most)
    x.terms = <double *>(space + 2 * most)
    x.updated = <double *>(space + 3 * most)
    x.hashes = space + 4 * most
    x.slots = <Py_ssize_t *>(space + 5 * most)
    return 0


cdef void forget_slots(Instance *x) noexcept:
    cdef Py_ssize_t i
    for i in range(x.n):
        x.slots[i] = -1
    x.all_found = False


cdef bint read_dict(FeatureTable t, Instance *x, dict features, bint own) except -1:
    """Read a dict whose values are all numbers, None or NaN; return whether they are.

    Infinite values and integers that are not doubles are left to `observed` as well.
    """
    cdef Py_ssize_t position = 0, n = 0, n_found = 0, i
    cdef PyObject *key = NULL
    cdef PyObject *value = NULL
    cdef bint only_text = t.only_text, few = t.used <= FEW
    cdef double number
    cdef uint64_t hash
    cdef Py_ssize_t slot
    instance_open(x, PyDict_GET_SIZE(features))
    # In local variables, which no store through another pointer can change.
    cdef const Entry *entries = t.entries
    cdef const uint32_t *index = t.index
    cdef uint32_t mask = t.mask
    cdef PyObject **keys = x.keys
    cdef double *values = x.values
    cdef uint64_t *hashes = x.hashes
    cdef Py_ssize_t *slots = x.slots
    while PyDict_Next(features, &position, &key, &value):
        if PyFloat_CheckExact(value):
            number = PyFloat_AS_DOUBLE(value)
            if not fabs(number) <= DBL_MAX:
                if number != number:
                    continue
                break
        elif PyLong_CheckExact(value) or PyBool_Check(value):
            number = PyLong_AsDouble(value)
            if not fabs(number) < END_OF_EXACT_INTEGERS or (number == -1.0 and PyErr_Occurred()):
                PyErr_Clear()
                break
        elif value == <PyObject *>None:
            continue
        else:
            break
        slot = -1
        hash = UNKNOWN_HASH
        # A str that is a key of a dict has its hash at hand.
        if PyUnicode_CheckExact(key) and (<PyASCIIObject *>key).hash != -1:
            hash = mixed((<PyASCIIObject *>key).hash)
            if few:
                slot = find_same(entries, index, mask, key, hash)
                if slot < 0 and t.only_text:
                    slot = search(t, key, hash)
                n_found += slot >= 0
            else:
                PREFETCH(&index[<uint32_t>(hash >> 31) & mask])
        else:
            only_text = False
        keys[n] = key
        values[n] = number
        hashes[n] = hash
        slots[n] = slot
        n += 1
    else:
        x.n = n
        x.all_found = n_found == n
        # Keys other than text may run code when they are compared.
        if own or not only_text:
            for i in range(n):
                Py_INCREF(<object>keys[i])
            x.owns_keys = True
        return True
    instance_close(x)
    return False


cdef void prefetch_entries(FeatureTable t, Instance *x) noexcept:
    """Prefetch all entries of an instance before the first is looked at."""
    cdef Py_ssize_t i
    cdef uint32_t slot
    if t.used <= FEW:
        return
    for i in range(x.n):
        if x.hashes[i] != UNKNOWN_HASH:
            slot = t.index[home(t, x.hashes[i])] & t.mask
            if slot:
                # An entry may straddle two cache lines.
                PREFETCH(&t.entries[slot - 1].key)
                PREFETCH(&t.entries[slot - 1].v)


cdef inline Py_ssize_t find_one(FeatureTable t, Instance *x, Py_ssize_t i, bint add) except -2:
    if x.slots[i] < 0:
        if x.hashes[i] == UNKNOWN_HASH:
            x.hashes[i] = key_hash(x.keys[i])
        x.slots[i] = find_key(t, x.keys[i], x.hashes[i], add)
    return x.slots[i]


# An instance is large: one that has been closed is used again.
cdef Held SPARE = None


@cython.final
cdef class Held:
    """An instance that has been read."""

    def __cinit__(self):
        self.x = &self.instance

    def __dealloc__(self):
        if self.features is not None:
            instance_close(&self.instance)

    cdef dict result(self):
        """The features with the numbers in `terms`."""
        cdef Instance *x = self.x
        cdef Py_ssize_t i
        cdef dict result
        # A copy has its room already, and text as keys can have changed nothing meanwhile.
        if not x.owns_keys and x.n == len(<dict>self.features):
            result = PyDict_Copy(<dict>self.features)
        else:
            result = {}
        for i in range(x.n):
            PyDict_SetItem(result, <object>x.keys[i], x.terms[i])
        return result

    cdef void close(self) noexcept:
        global SPARE
        if self.features is not None:
            instance_close(&self.instance)
            self.features = self.categories = None
            SPARE = self


cdef class FeatureTable:
    """Features with a number each, of which the largest are kept: the base of compiled weights.

    Parameters
    ----------
    budget
        How many features are kept: an integer is a count, a float a share of the features seen.

    """

    def __cinit__(self, *args, **kwargs):
        self.only_text = True
        self.ceiling = -1.0
        self.changes_limit = 1024
        self._budget, self.share = 1.0, 1.0
        self.mask = SMALLEST_INDEX - 1
        self.index = <uint32_t *>PyMem_Calloc(SMALLEST_INDEX, sizeof(uint32_t))
        if self.index == NULL:
            raise MemoryError

    def __dealloc__(self):
        self.clear()
        self.forget_changes()
        PyMem_Free(self.scratch)
        PyMem_Free(self.index)

    def __sizeof__(self):
        return (
            object.__sizeof__(self)
            + self.room * (sizeof(Entry) + self.payload_size)
            + (<size_t>self.mask + 1) * sizeof(uint32_t)
            + (self.heap_room + self.run_end) * sizeof(HeapItem)
            + (0 if self.columns is None else self.columns.__sizeof__())
        )

    def __len__(self):
        return self.n_kept

    @property
    def budget(self):
        """How many features are kept. It may change, but a count stays a count."""
        return self._budget

    @budget.setter
    def budget(self, value):
        value = check_budget("budget", value, like=self._budget)
        self.acquire()
        try:
            self.set_budget(value)
        finally:
            self.users -= 1

    cdef int set_budget(self, budget) except -1:
        """Set a budget that has been checked."""
        # No table has more entries.
        self.count = min(budget, MOST_ENTRIES) if type(budget) is int else 0
        self.share = 0.0 if self.count else budget
        self._budget = budget
        return 0

    cdef Py_ssize_t capacity_of(self, Py_ssize_t n_seen) noexcept:
        # As `_parameters.share_of`.
        if self.count:
            return self.count
        return max(1, <Py_ssize_t>(self.share * <double>n_seen * (1.0 + 4.0 * DBL_EPSILON)))

    cdef int acquire(self) except -1:
        """Have the table for oneself, until `users` is decreased again.

        Keys may run any code when they are compared, but none that changes the table meanwhile.
        """
        if self.users:
            raise RuntimeError(
                "the weights are being read or changed: neither a key that is being compared nor "
                "another thread may change them meanwhile"
            )
        self.users = 1
        return 0

    cdef object read(self, Instance *x, features, bint own):
        """Read the observed features. Hold on to what is returned: it may own the keys.

        The instance owns its keys on request, where any code may run before it is closed.
        """
        if type(features) is dict and read_dict(self, x, features, own):
            return features
        features = observed(features)
        if not read_dict(self, x, features, own):
            raise TypeError("values of features must be numbers; they changed while they were read")
        return features

    cdef Held open(self, features, bint own):
        """As `read`, with an instance that can be held on to."""
        global SPARE
        cdef Held held = SPARE
        if held is None:
            held = Held.__new__(Held)
        SPARE = None
        held.features = self.read(&held.instance, features, own)
        return held

    cdef object key_at(self, Py_ssize_t slot):
        return <object>self.entries[slot].key

    cdef dict values_of(self, const Instance *x):
        """The values of an instance whose features are entered, but for those of zero."""
        cdef Py_ssize_t i
        return {
            <object>self.entries[x.slots[i]].key: x.values[i]
            for i in range(x.n)
            if x.values[i] != 0.0
        }

    cdef double *room_for(self, Py_ssize_t n) except NULL:
        """Room for n numbers, until the next call."""
        cdef double *scratch
        if n > self.scratch_room or self.scratch == NULL or self.scratch_room > 1024 + 8 * n:
            scratch = <double *>PyMem_Realloc(self.scratch, (n + n // 4 + 8) * sizeof(double))
            if scratch == NULL:
                raise MemoryError
            self.scratch, self.scratch_room = scratch, n + n // 4 + 8
        return self.scratch

    cdef int find(self, Instance *x) except -1:
        """Find the slots of all features that have one, if that has not been done in reading."""
        cdef Py_ssize_t i
        prefetch_entries(self, x)
        self.users += 1
        try:
            for i in range(x.n):
                find_one(self, x, i, False)
        finally:
            self.users -= 1
        return 0

    cdef int enter(self, Instance *x, bint skip_zeros) except -1:
        """Find the slots of all features, which are added if need be, but for values of zero."""
        cdef Py_ssize_t i
        if self.reserve(x.n):
            forget_slots(x)
        if skip_zeros or not x.all_found:
            prefetch_entries(self, x)
            for i in range(x.n):
                if skip_zeros and x.values[i] == 0.0:
                    x.slots[i] = -1
                    check_rank(x.keys[i])
                else:
                    find_one(self, x, i, True)
        if self.noting:
            self.note(x)
        return 0

    cdef int see(self, const Instance *x) except -1:
        """Count the features of an instance as seen that was read for another table."""
        cdef Instance names
        cdef Py_ssize_t i
        instance_open(&names, x.n)
        for i in range(x.n):
            names.keys[i] = x.keys[i]
            names.hashes[i] = x.hashes[i]
            names.slots[i] = -1
        names.n = x.n
        try:
            self.enter(&names, False)
            self.see_all(&names)
        finally:
            instance_close(&names)
        return 0

    cdef uint64_t hash_of(self, key) except? 0xFFFFFFFFFFFFFFFFULL:
        """The hash of a key, as the table has it."""
        return key_hash(<PyObject *>key)

    cdef void prefetch(self, uint64_t hash) noexcept:
        """Prefetch the place in the index where a key of this hash belongs."""
        PREFETCH(&self.index[home(self, hash)])

    cdef Py_ssize_t add_hashed(self, key, uint64_t hash) except -1:
        """The slot of a key of a hash, which is added if need be; there is room for it."""
        return find_key(self, <PyObject *>key, hash, True)

    cdef Py_ssize_t add(self, key) except -1:
        """The slot of a key, which is added if need be; there is room for it."""
        return self.add_hashed(key, key_hash(<PyObject *>key))

    cdef Py_ssize_t slot_hashed(self, key, uint64_t hash) except -2:
        """The slot of a key of a hash; -1 if it has none."""
        self.users += 1
        try:
            return find_key(self, <PyObject *>key, hash, False)
        finally:
            self.users -= 1

    cdef Py_ssize_t slot(self, key) except -2:
        """The slot of a key; -1 if it has none."""
        return self.slot_hashed(key, key_hash(<PyObject *>key))

    cdef list kept(self):
        """Key and slot of the features kept."""
        cdef Py_ssize_t i
        self.users += 1
        try:
            return [
                (<object>self.entries[i].key, i)
                for i in range(self.used)
                if self.entries[i].v != 0.0
            ]
        finally:
            self.users -= 1

    cdef list kept_values(self, double factor):
        """Key and v of the features kept, times a factor."""
        cdef Py_ssize_t i
        self.users += 1
        try:
            return [
                (<object>self.entries[i].key, factor * self.entries[i].v)
                for i in range(self.used)
                if self.entries[i].v != 0.0
            ]
        finally:
            self.users -= 1

    cdef int add_values(self, list pairs) except -1:
        """Add features by key and v; there is room for them."""
        cdef double v
        for key, v in pairs:
            self.put(self.add(key), v)
        return 0

    cdef list seen(self):
        """The features seen; None if the budget is a count."""
        cdef Py_ssize_t i
        if self.count:
            return None
        self.users += 1
        try:
            return [
                <object>self.entries[i].key
                for i in range(self.used)
                if self.entries[i].hash & SEEN
            ]
        finally:
            self.users -= 1

    cdef int reserve(self, Py_ssize_t more) except -1:
        """Make room for more entries; return whether slots have changed.

        Where a third of the entries is dead, they are left out instead of growing. A table that has
        become far too large shrinks.
        """
        cdef Py_ssize_t needed = self.used + more, alive = self.n_kept + self.n_marked, n_old, n, i
        cdef bint compact
        cdef uint64_t size
        cdef size_t per_entry
        cdef uint32_t *index
        cdef uint32_t *old_index = self.index
        cdef Entry *entries
        cdef Entry *old = self.entries
        cdef char *payloads = NULL
        if self.width:
            self.payload_size = self.width * sizeof(double)
        per_entry = self.payload_size
        if needed <= self.room and (
            self.journaling or self.room <= FEW or self.room <= 8 * (alive + more)
        ):
            return 0
        alive = 0
        for i in range(self.used):
            alive += is_alive(&old[i])
        compact = 3 * alive <= 2 * self.used and not self.journaling
        if compact:
            needed = alive + alive // 2 + more + SMALLEST_INDEX
        else:
            needed += needed // 4 + SMALLEST_INDEX
        if needed > MOST_ENTRIES:
            raise MemoryError("too many features")
        size = SMALLEST_INDEX
        while 2 * size < 3 * <uint64_t>needed:
            size *= 2
        index = <uint32_t *>PyMem_Calloc(size, sizeof(uint32_t))
        entries = <Entry *>PyMem_Malloc(needed * sizeof(Entry))
        if per_entry:
            payloads = <char *>PyMem_Malloc(needed * per_entry)
        if index == NULL or entries == NULL or (per_entry and payloads == NULL):
            PyMem_Free(index)
            PyMem_Free(entries)
            PyMem_Free(payloads)
            raise MemoryError
        self.index = index
        self.mask = <uint32_t>(size - 1)
        n_old, n = self.used, 0
        for i in range(n_old):
            if compact and not is_alive(&old[i]):
                continue
            entries[n] = old[i]
            if per_entry:
                memcpy(payloads + n * per_entry, self.payloads + i * per_entry, per_entry)
            index_insert(self, old[i].hash & ~SEEN, <uint32_t>n)
            n += 1
        self.entries = entries
        self.used = n
        self.room = needed
        PyMem_Free(old_index)
        PyMem_Free(self.payloads)
        self.payloads = payloads
        self.numbers = <double *>payloads
        if compact:
            self.generation += 1
            self.drop_heap()
            # A key may run code when it is freed, so that it is when all is in order.
            for i in range(n_old):
                if not is_alive(&old[i]):
                    Py_DECREF(<object>old[i].key)
        PyMem_Free(old)
        return compact

    cdef void clear(self) noexcept:
        """Forget all features."""
        cdef Entry *entries = self.entries
        cdef Py_ssize_t used = self.used, i
        self.drop_heap()
        self.forget_changes()
        PyMem_Free(self.payloads)
        self.payloads = NULL
        self.numbers = NULL
        self.entries = NULL
        self.used = self.room = self.n_kept = self.n_marked = 0
        self.generation += 1
        if self.index != NULL:
            memset(self.index, 0, (<size_t>self.mask + 1) * sizeof(uint32_t))
        for i in range(used):
            Py_DECREF(<object>entries[i].key)
        PyMem_Free(entries)

    cdef bint ranks_lower(self, Py_ssize_t slot, Py_ssize_t other) except -1:
        """Whether the key of an entry ranks lower than that of another."""
        return key_less(self.entries[slot].key, self.entries[other].key)

    cdef Py_ssize_t *room_for_slots(self, Py_ssize_t n) except NULL:
        """Room for n slots, until the next call of this or of `room_for`."""
        return <Py_ssize_t *>self.room_for(n)

    cdef void prefetch_payloads(self, const Instance *x, Py_ssize_t at) noexcept:
        """Prefetch the payloads of an instance: their beginning, and what is at a place."""
        cdef Py_ssize_t i
        cdef const double *numbers
        if self.used > FEW:
            for i in range(x.n):
                if x.slots[i] >= 0:
                    numbers = self.numbers + self.width * x.slots[i]
                    PREFETCH(numbers)
                    PREFETCH(numbers + 8)
                    PREFETCH(numbers + 16)
                    PREFETCH(numbers + at)

    cdef void see_all(self, const Instance *x) noexcept:
        """Count the features of an instance as seen."""
        cdef Py_ssize_t i
        if not x.all_seen:
            for i in range(x.n):
                self.see_slot(x.slots[i])

    cdef Py_ssize_t drop_to(
        self, const Instance *x, bint skip_zeros, Py_ssize_t capacity, double *lost
    ) except -1:
        """Drop all but the largest features; store the dropped sizes, and return their number."""
        return self.truncate(x, skip_zeros, capacity, lost, NULL)

    cdef Py_ssize_t drop_slots(
        self, const Instance *x, Py_ssize_t capacity, Py_ssize_t *slots
    ) except -1:
        """Drop all but the largest features; store the dropped slots, and return their number."""
        return self.truncate(x, False, capacity, NULL, slots)

    cdef Py_ssize_t truncate(
        self,
        const Instance *x,
        bint skip_zeros,
        Py_ssize_t capacity,
        double *lost,
        Py_ssize_t *lost_slots,
    ) except -1:
        """Drop all but the largest features, after those of an instance have changed.

        Sizes and slots of the lost are written down, if there is a place for them. Return their
        number.
        """
        cdef Py_ssize_t i, n_lost = 0, n_larger = 0, excess = self.n_kept - capacity
        cdef double size, limit = -1.0
        cdef HeapItem item
        cdef bint done = False
        try:
            if SELECTED_SHARE * excess > self.used and not self.noting:
                # Where much has to go, one look at all of them is less work than an order.
                limit = size_at(self, excess - 1)
                for i in range(self.used):
                    n_larger += fabs(self.entries[i].v) > limit
                # Ties are left to the order, which minds the keys.
                if n_larger == capacity:
                    n_lost = self.lose_up_to(limit, excess, lost, lost_slots)
            elif self.ceiling >= 0.0:
                for i in range(x.n):
                    if skip_zeros and x.values[i] == 0.0:
                        continue
                    size = fabs(self.entries[x.slots[i]].v)
                    if size != 0.0 and size <= self.ceiling:
                        heap_push(self, HeapItem(size, <uint32_t>x.slots[i]))
            while self.n_kept > capacity:
                item = smallest(self)
                if self.entries[item.slot].v == 0.0:
                    # Nothing is left but what is not a number.
                    break
                if lost != NULL:
                    lost[n_lost] = item.size
                if lost_slots != NULL:
                    lost_slots[n_lost] = item.slot
                n_lost += 1
                if self.journaling:
                    self.record(item.slot)
                self.put(item.slot, 0.0)
            done = self.heap_size <= self.heap_limit
        finally:
            # Too many stale items, or a key that has raised while the heap was changing.
            if not done:
                self.drop_heap()
        return n_lost

    cdef Py_ssize_t lose_up_to(
        self, double limit, Py_ssize_t n, double *lost, Py_ssize_t *lost_slots
    ) except -1:
        """Drop the n entries whose size is not above a limit; return their number."""
        cdef Py_ssize_t i, n_lost = 0
        cdef double size, nowhere
        cdef Py_ssize_t no_slot
        cdef bint gone
        # Which of them go cannot be predicted, so that there is no branch, and what stays is written
        # down, too, in a place that the next one overwrites.
        cdef Py_ssize_t next_size = 1, next_slot = 1
        if lost == NULL:
            lost, next_size = &nowhere, 0
        if lost_slots == NULL:
            lost_slots, next_slot = &no_slot, 0
        if self.journaling:
            self.record_room(n)
        for i in range(self.used):
            if n_lost == n:
                break
            size = fabs(self.entries[i].v)
            gone = (size > 0.0) & (size <= limit)
            lost[n_lost * next_size] = size
            lost_slots[n_lost * next_slot] = i
            if self.journaling:
                self.changes[self.n_changes + n_lost] = change_of(self, i)
            n_lost += gone
            self.entries[i].v = 0.0 if gone else self.entries[i].v
        self.n_changes += n_lost if self.journaling else 0
        self.n_kept -= n_lost
        return n_lost

    cdef int open_journal(self, columns) except -1:
        """Note what the entries of features are: of these, or if None, of each that is entered."""
        self.journaling = True
        try:
            if columns is None:
                self.noting = True
            else:
                self.reserve(len(columns))
                for key in columns:
                    self.record(self.add(key))
        except BaseException:
            self.forget_changes()
            raise
        return 0

    cdef int note(self, const Instance *x) except -1:
        """Note what the entries of an instance are."""
        cdef Py_ssize_t i
        if self.n_changes > self.changes_limit:
            self.forget_repeated_changes()
        self.record_room(x.n)
        for i in range(x.n):
            if x.slots[i] >= 0:
                self.record(x.slots[i])
        return 0

    cdef int record_room(self, Py_ssize_t more) except -1:
        """Make room for more changes."""
        cdef Py_ssize_t room
        cdef Change *changes
        cdef char *payloads
        if self.n_changes + more > self.changes_room:
            room = 2 * (self.n_changes + more) + 64
            changes = <Change *>PyMem_Realloc(self.changes, room * sizeof(Change))
            if changes == NULL:
                raise MemoryError
            self.changes = changes
            self.changes_room = room
        if self.noting and self.payload_size and self.n_old_payloads + more > self.old_payloads_room:
            room = 2 * (self.n_old_payloads + more) + 8
            payloads = <char *>PyMem_Realloc(self.old_payloads, room * self.payload_size)
            if payloads == NULL:
                raise MemoryError
            self.old_payloads = payloads
            self.old_payloads_room = room
        return 0

    cdef int record(self, Py_ssize_t slot) except -1:
        """Note what an entry is, before it changes."""
        cdef Change change = change_of(self, slot)
        cdef size_t size = self.payload_size
        self.record_room(1)
        if self.noting and size:
            change.payload = self.n_old_payloads
            memcpy(self.old_payloads + change.payload * size, self.payloads + slot * size, size)
            self.n_old_payloads += 1
        self.changes[self.n_changes] = change
        self.n_changes += 1
        return 0

    cdef int forget_repeated_changes(self) except -1:
        """Keep the first note of each entry only, so that the journal stays as small as the table."""
        cdef Py_ssize_t i, n = 0, n_payloads = 0
        cdef Change change
        cdef size_t size = self.payload_size
        cdef char *noted = <char *>PyMem_Calloc(self.used, 1)
        if noted == NULL:
            raise MemoryError
        for i in range(self.n_changes):
            change = self.changes[i]
            if noted[change.slot]:
                continue
            noted[change.slot] = 1
            if change.payload >= 0:
                memmove(
                    self.old_payloads + n_payloads * size,
                    self.old_payloads + change.payload * size,
                    size,
                )
                change.payload = n_payloads
                n_payloads += 1
            self.changes[n] = change
            n += 1
        PyMem_Free(noted)
        self.n_changes, self.n_old_payloads = n, n_payloads
        self.changes_limit = 2 * n + 1024
        return 0

    cdef void restore(self) noexcept:
        """Restore all entries to their state when they were first noted."""
        cdef Change change
        cdef Entry *entry
        cdef Py_ssize_t i
        cdef size_t size = self.payload_size
        for i in range(self.n_changes - 1, -1, -1):
            change = self.changes[i]
            entry = &self.entries[change.slot]
            self.put(change.slot, change.v)
            self.n_marked += change.seen - is_seen(entry)
            entry.hash = (entry.hash & ~SEEN) | (SEEN if change.seen else 0)
            if change.payload >= 0:
                memcpy(
                    self.payloads + change.slot * size,
                    self.old_payloads + change.payload * size,
                    size,
                )
        self.drop_heap()

    cdef void forget_changes(self) noexcept:
        PyMem_Free(self.changes)
        PyMem_Free(self.old_payloads)
        self.changes, self.old_payloads = NULL, NULL
        self.n_changes = self.changes_room = 0
        self.n_old_payloads = self.old_payloads_room = 0
        self.changes_limit = 1024
        self.journaling = self.noting = False

    cdef void drop_heap(self) noexcept:
        PyMem_Free(self.heap)
        PyMem_Free(self.run)
        self.heap = self.run = NULL
        self.heap_size = self.heap_room = self.heap_limit = 0
        self.run_at = self.run_end = 0
        self.ceiling = -1.0
        self.n_buffered = 0


cdef inline bint item_less(FeatureTable t, HeapItem a, HeapItem b) except -1:
    if a.size != b.size:
        return a.size < b.size
    return key_less(t.entries[a.slot].key, t.entries[b.slot].key)


cdef inline int sift_up(
    FeatureTable t, Py_ssize_t place, Py_ssize_t top, HeapItem item
) except -1:
    """Put an item into the hole at `place`, or above it, up to `top`."""
    cdef HeapItem *items = t.heap
    cdef Py_ssize_t parent
    while place > top:
        parent = (place - 1) // 2
        if not item_less(t, item, items[parent]):
            break
        items[place] = items[parent]
        place = parent
    items[place] = item
    return 0


cdef inline int sift_down(FeatureTable t, Py_ssize_t place, HeapItem item) except -1:
    """Put an item into the hole at `place`, or below it.

    The hole sinks to the bottom and the item rises from there: an item that comes from the bottom
    belongs near it, which saves half of the comparisons.
    """
    cdef HeapItem *items = t.heap
    cdef Py_ssize_t top = place, child = 2 * place + 1
    while child < t.heap_size:
        if child + 1 < t.heap_size:
            child += item_less(t, items[child + 1], items[child])
        items[place] = items[child]
        place = child
        child = 2 * place + 1
    return sift_up(t, place, top, item)


cdef bint heap_resize(FeatureTable t, Py_ssize_t room) noexcept:
    """Set the room of the heap; where there is no memory for it, there is no heap any more."""
    cdef HeapItem *items = <HeapItem *>PyMem_Realloc(t.heap, room * sizeof(HeapItem))
    if items == NULL:
        t.drop_heap()
        return False
    t.heap = items
    t.heap_room = room
    return True


cdef inline int heap_push(FeatureTable t, HeapItem item) except -1:
    """Push an entry that has changed. Without memory there is no heap."""
    cdef int place
    if t.n_buffered == BUFFER:
        # The largest of the buffer moves on.
        if t.heap_size == t.heap_room and not heap_resize(t, t.heap_room + t.heap_room // 4 + 16):
            return 0
        t.heap_size += 1
        sift_up(t, t.heap_size - 1, 0, t.buffer[0])
        t.n_buffered -= 1
        memmove(t.buffer, t.buffer + 1, t.n_buffered * sizeof(HeapItem))
    place = t.n_buffered
    while place > 0 and item_less(t, t.buffer[place - 1], item):
        t.buffer[place] = t.buffer[place - 1]
        place -= 1
    t.buffer[place] = item
    t.n_buffered += 1
    return 0


cdef inline HeapItem pop(FeatureTable t) except *:
    """Take out the smallest item of the run, the heap and the buffer, which has at least one."""
    cdef HeapItem item
    cdef bint buffered = t.n_buffered > 0
    if buffered:
        item = t.buffer[t.n_buffered - 1]
        buffered = not t.heap_size or not item_less(t, t.heap[0], item)
    if not buffered and t.heap_size:
        item = t.heap[0]
    if t.run_at < t.run_end and (
        not (buffered or t.heap_size) or item_less(t, t.run[t.run_at], item)
    ):
        if t.run_at + RUN_AHEAD < t.run_end:
            PREFETCH(&t.entries[t.run[t.run_at + RUN_AHEAD].slot])
        t.run_at += 1
        return t.run[t.run_at - 1]
    if buffered:
        t.n_buffered -= 1
        return item
    t.heap_size -= 1
    if t.heap_size:
        sift_down(t, 0, t.heap[t.heap_size])
    return item


cdef double sampled_quartile(FeatureTable t) noexcept:
    """A size that about a quarter of the entries do not exceed, judged by some of them."""
    cdef double sample[2 * SAMPLE]
    cdef Py_ssize_t stride = t.n_kept // SAMPLE + 1, i = 0, n = 0, j
    cdef double size
    while i < t.used and n < 2 * SAMPLE:
        size = fabs(t.entries[i].v)
        if size != 0.0:
            j = n
            while j > 0 and sample[j - 1] > size:
                sample[j] = sample[j - 1]
                j -= 1
            sample[j] = size
            n += 1
        i += stride
    return sample[n // 4] if n else INFINITY


cdef int run_build(FeatureTable t) except -1:
    """Sort about the smallest quarter of the entries into a run. Without memory there is none."""
    cdef double ceiling = sampled_quartile(t), size
    cdef Py_ssize_t n = 0, i, start
    cdef HeapItem *items
    t.drop_heap()
    for i in range(t.used):
        size = fabs(t.entries[i].v)
        n += (0.0 < size) & (size <= ceiling)
    # As much again for the sorting.
    items = <HeapItem *>PyMem_Malloc((2 * n + 1) * sizeof(HeapItem))
    if items == NULL:
        return 0
    n = 0
    for i in range(t.used):
        size = fabs(t.entries[i].v)
        # What does not belong here is overwritten by the next one: a branch could not be predicted.
        items[n] = HeapItem(size, <uint32_t>i)
        n += (0.0 < size) & (size <= ceiling)
    t.run = items
    sort_by_size(items, items + n, n)
    # Ties are broken by the keys.
    start = 0
    for i in range(1, n + 1):
        if i == n or items[i].size != items[start].size:
            sort_items(t, items + start, items + n, i - start)
            start = i
    t.run_end = n
    t.ceiling = ceiling
    t.heap_limit = t.n_kept // 4 + 64
    return 0


cdef void sort_by_size(HeapItem *items, HeapItem *spare, Py_ssize_t n) noexcept:
    """Sort items by their sizes, which are not negative, with spare room for all of them.

    The bits of such doubles sort as they do. A radix sort does not branch by them, which would be
    mispredicted half of the time.
    """
    cdef Py_ssize_t counts[8][256]
    cdef Py_ssize_t i, digit, place, next_place
    cdef int byte
    cdef uint64_t bits
    cdef HeapItem *source = items
    cdef HeapItem *target = spare
    memset(counts, 0, sizeof(counts))
    for i in range(n):
        memcpy(&bits, &items[i].size, sizeof(bits))
        for byte in range(8):
            counts[byte][(bits >> (8 * byte)) & 255] += 1
    for byte in range(8):
        place = 0
        for digit in range(256):
            if counts[byte][digit] == n:
                break
            next_place = place + counts[byte][digit]
            counts[byte][digit] = place
            place = next_place
        else:
            for i in range(n):
                memcpy(&bits, &source[i].size, sizeof(bits))
                digit = (bits >> (8 * byte)) & 255
                target[counts[byte][digit]] = source[i]
                counts[byte][digit] += 1
            source, target = target, source
    if source != items:
        memcpy(items, source, n * sizeof(HeapItem))


cdef int sort_items(FeatureTable t, HeapItem *items, HeapItem *spare, Py_ssize_t n) except -1:
    """Sort items by merging, with spare room for half of them."""
    cdef Py_ssize_t half = n // 2, i, j, k
    cdef HeapItem item
    if n <= SORTED_BY_INSERTION:
        for i in range(1, n):
            item = items[i]
            j = i
            while j > 0 and item_less(t, item, items[j - 1]):
                items[j] = items[j - 1]
                j -= 1
            items[j] = item
        return 0
    sort_items(t, items, spare, half)
    sort_items(t, items + half, spare, n - half)
    memcpy(spare, items, half * sizeof(HeapItem))
    i, j, k = 0, half, 0
    while i < half and j < n:
        if item_less(t, items[j], spare[i]):
            items[k] = items[j]
            j += 1
        else:
            items[k] = spare[i]
            i += 1
        k += 1
    memcpy(items + k, spare + i, (half - i) * sizeof(HeapItem))
    return 0


cdef double size_at(FeatureTable t, Py_ssize_t place) noexcept:
    """The size at a place among the sizes in their order, from zero on (quickselect).

    -1 without memory, or where the pivots are bad time and again. The heap is empty afterwards, as
    its memory is used.
    """
    cdef Py_ssize_t n = 0, n_below, n_above, i, rounds
    cdef double pivot, size
    cdef double *sizes
    cdef double *below
    cdef double *above
    t.heap_size = t.heap_limit = t.n_buffered = 0
    t.run_at = t.run_end
    t.ceiling = -1.0
    if t.heap_room < 2 * t.n_kept and not heap_resize(t, 2 * t.n_kept):
        return -1.0
    sizes = <double *>t.heap
    below = sizes + t.n_kept
    above = below + t.n_kept
    for i in range(t.used):
        size = fabs(t.entries[i].v)
        if size > 0.0 and n < t.n_kept:
            sizes[n] = size
            n += 1
    for rounds in range(64):
        if place >= n:
            break
        pivot = max(
            min(sizes[0], sizes[n - 1]), min(max(sizes[0], sizes[n - 1]), sizes[n // 2])
        )
        # Which side a size belongs to cannot be predicted, so that there is no branch.
        n_below = n_above = 0
        for i in range(n):
            size = sizes[i]
            below[n_below] = above[n_above] = size
            n_below += size < pivot
            n_above += size > pivot
        if place < n_below:
            sizes, below, n = below, sizes, n_below
        elif place < n - n_above:
            return pivot
        else:
            place -= n - n_above
            sizes, above, n = above, sizes, n_above
    return -1.0


cdef HeapItem smallest(FeatureTable t) except *:
    """The smallest of the entries kept, of which there is at least one, in order or without."""
    cdef HeapItem item, other
    cdef Py_ssize_t i
    while True:
        if t.run_at == t.run_end and t.heap_size + t.n_buffered == 0:
            run_build(t)
        if t.run_at == t.run_end and t.heap_size + t.n_buffered == 0:
            break
        item = pop(t)
        if fabs(t.entries[item.slot].v) == item.size:
            return item
    item = HeapItem(INFINITY, 0)
    for i in range(t.used):
        other = HeapItem(fabs(t.entries[i].v), <uint32_t>i)
        if other.size != 0.0 and item_less(t, other, item):
            item = other
    return item


cdef int _traverse(PyObject *self, visitproc visit, void *arg) noexcept:
    cdef FeatureTable t = <FeatureTable>self
    cdef Py_ssize_t i
    cdef int result
    for i in range(t.used):
        result = visit(t.entries[i].key, arg)
        if result:
            return result
    return traverse_attributes(self, visit, arg)


cdef int _clear(PyObject *self) noexcept:
    (<FeatureTable>self).clear()
    return clear_attributes(self)


set_collector(<PyTypeObject *>FeatureTable, _traverse, _clear)
