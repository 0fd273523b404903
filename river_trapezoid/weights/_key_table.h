/* A hash table from keys to numbered entries, each with the weight of a feature, and with a payload
of fixed size beside it, if there is one.

Entries lie in one array, in the order of their insertion; an index of entry numbers lies behind
it. An entry is never removed on its own: one that is neither a weight nor a feature to remember is
dropped when the table is rebuilt, so that a number is good until the next `table_reserve`. */

#ifndef RIVER_TRAPEZOID_KEY_TABLE_H
#define RIVER_TRAPEZOID_KEY_TABLE_H

#include <Python.h>
#include <stdint.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(PYPY_VERSION) || defined(Py_GIL_DISABLED)
#error "The kernel relies on the global lock and the objects of CPython"
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

#define SEEN ((uint64_t)1 << 63)
#define UNKNOWN_HASH UINT64_MAX
#define MOST_ENTRIES 0x7fffffff
#define SMALLEST_INDEX 8
#define LARGE ((size_t)1 << 22)

typedef struct {
    PyObject *key;
    uint64_t hash; /* without its highest bit, which says whether the feature has been seen */
    double v;
} Entry;

typedef struct {
    Entry *entries;
    /* An entry's number plus one in the low bits, bits of its hash in the others; 0 is empty. */
    uint32_t *index;
    uint32_t mask;
    int only_text; /* whether all keys are of type str, which compare without running any code */
    Py_ssize_t used, room;
    uint64_t version; /* changes whenever an entry may have moved */
    char *payload;
    size_t payload_size; /* per entry */
} KeyTable;

/* The hash of a key without its highest bit; UNKNOWN_HASH with an exception, if it has none. */
static inline uint64_t key_hash(PyObject *key)
{
    Py_hash_t hash = PyObject_Hash(key);
    return hash == -1 ? UNKNOWN_HASH : (uint64_t)hash & ~SEEN;
}

static inline uint64_t hash_mixed(uint64_t hash)
{
    return hash * UINT64_C(0x9E3779B97F4A7C15);
}

static inline uint32_t *index_home(const KeyTable *table, uint64_t hash)
{
    return &table->index[(hash_mixed(hash) >> 32) & table->mask];
}

/* 1 if the keys are equal, 0 if not, -1 with an exception. Runs code of keys other than str. */
static inline int keys_equal(PyObject *stored, PyObject *key)
{
    if (PyUnicode_CheckExact(stored) && PyUnicode_CheckExact(key)) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(stored);
        int kind = PyUnicode_KIND(stored);
        return PyUnicode_GET_LENGTH(key) == length && (int)PyUnicode_KIND(key) == kind
               && memcmp(PyUnicode_DATA(stored), PyUnicode_DATA(key), length * kind) == 0;
    }
    Py_INCREF(stored);
    int equal = PyObject_RichCompareBool(stored, key, Py_EQ);
    Py_DECREF(stored);
    return equal;
}

/* Whether `a` comes before `b`: naturally where they compare, by `repr` where they do not.
   -1 with an exception. */
static int key_less(PyObject *a, PyObject *b)
{
    if (a == b)
        return 0;
    if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b)) {
        if (PyUnicode_KIND(a) != PyUnicode_1BYTE_KIND || PyUnicode_KIND(b) != PyUnicode_1BYTE_KIND)
            return PyUnicode_Compare(a, b) < 0;
        Py_ssize_t n_a = PyUnicode_GET_LENGTH(a), n_b = PyUnicode_GET_LENGTH(b);
        int order = memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), n_a < n_b ? n_a : n_b);
        return order < 0 || (order == 0 && n_a < n_b);
    }
    int answer = -1;
    PyObject *text_a = NULL, *text_b = NULL;
    Py_INCREF(a);
    Py_INCREF(b);
    int less = PyObject_RichCompareBool(a, b, Py_LT);
    int greater = less == 0 ? PyObject_RichCompareBool(b, a, Py_LT) : 0;
    if (less < 0 || greater < 0) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            goto done;
        PyErr_Clear();
    }
    else if (less || greater) {
        answer = less;
        goto done;
    }
    text_a = PyObject_Repr(a);
    text_b = text_a == NULL ? NULL : PyObject_Repr(b);
    if (text_b != NULL)
        answer = PyUnicode_Compare(text_a, text_b) < 0;
done:
    Py_XDECREF(text_a);
    Py_XDECREF(text_b);
    Py_DECREF(a);
    Py_DECREF(b);
    return answer;
}

static inline void index_insert(KeyTable *table, uint64_t hash, uint32_t number)
{
    uint64_t mixed = hash_mixed(hash);
    uint32_t mask = table->mask, place = (uint32_t)(mixed >> 32) & mask;
    while (table->index[place])
        place = (place + 1) & mask;
    table->index[place] = ((uint32_t)mixed & ~mask) | (number + 1);
}

/* The number of a key's entry; -1 if it has none, -2 with an exception. The caller holds `key`. */
static Py_ssize_t table_search(KeyTable *table, PyObject *key, uint64_t hash)
{
    uint64_t mixed = hash_mixed(hash);
restart:;
    uint64_t version = table->version;
    uint32_t mask = table->mask, word, place = (uint32_t)(mixed >> 32) & mask;
    while ((word = table->index[place])) {
        if (((word ^ (uint32_t)mixed) & ~mask) == 0) {
            Py_ssize_t number = (Py_ssize_t)(word & mask) - 1;
            const Entry *entry = &table->entries[number];
            if (entry->key == key)
                return number;
            if ((entry->hash & ~SEEN) == hash) {
                int equal = keys_equal(entry->key, key);
                if (equal < 0)
                    return -2;
                if (table->version != version)
                    goto restart;
                if (equal)
                    return number;
            }
        }
        place = (place + 1) & mask;
    }
    return -1;
}

/* Have the processor fetch the entry that a key belongs to. */
static inline void table_prefetch(const KeyTable *table, uint64_t hash)
{
    uint32_t number = *index_home(table, hash) & table->mask;
    if (number) {
        /* An entry may lie in two lines of a cache. */
        PREFETCH(&table->entries[number - 1].key);
        PREFETCH(&table->entries[number - 1].v);
    }
}

/* The number of the entry of a key that is met as the same object in the place it belongs to, or in
   the next one; -1 if it is not. */
static inline Py_ssize_t table_find_same(const KeyTable *table, PyObject *key, uint64_t hash)
{
    uint64_t mixed = hash_mixed(hash);
    uint32_t mask = table->mask, place = (uint32_t)(mixed >> 32) & mask;
    uint32_t word = table->index[place], next = table->index[(place + 1) & mask];
    /* Which of both it is cannot be foretold, so there is no branch to go wrong. */
    word ^= (word ^ next) & -(uint32_t)(((word ^ (uint32_t)mixed) & ~mask) != 0);
    Py_ssize_t number = (Py_ssize_t)(word & mask) - 1;
    return number >= 0 && table->entries[number].key == key ? number : -1;
}

/* The same as `table_search`, at once for a key that is met as the same object. */
static inline Py_ssize_t table_find(KeyTable *table, PyObject *key, uint64_t hash)
{
    Py_ssize_t number = table_find_same(table, key, hash);
    if (number >= 0)
        return number;
    return *index_home(table, hash) ? table_search(table, key, hash) : -1;
}

/* The number of a key's entry, which is added if need be; -2 with an exception. The place for it
   is reserved, and nothing else changes the table meanwhile. */
static inline Py_ssize_t table_find_or_add(KeyTable *table, PyObject *key, uint64_t hash)
{
    Py_ssize_t number = table_find(table, key, hash);
    if (number != -1)
        return number;
    number = table->used++;
    Py_INCREF(key);
    table->entries[number] = (Entry){key, hash, 0.0};
    table->only_text &= PyUnicode_CheckExact(key);
    index_insert(table, hash, (uint32_t)number);
    return number;
}

/* Have a large block of memory lie on large pages, where the system has a choice. It is read at
   random, and the way to each of many small pages takes as long as the reading. */
static void spread_out(void *memory, size_t size)
{
#if defined(MADV_HUGEPAGE)
    if (memory != NULL && size >= LARGE) {
        uintptr_t start = ((uintptr_t)memory + 4095) & ~(uintptr_t)4095;
        madvise((void *)start, (uintptr_t)memory + size - start, MADV_HUGEPAGE);
    }
#else
    (void)memory;
    (void)size;
#endif
}

static inline int is_alive(const Entry *entry)
{
    return entry->v != 0.0 || (entry->hash & SEEN);
}

/* Make room for more entries. Where a third of them is of no use any more, drop these instead of
   growing. 1 if entries have changed their numbers, 0 if not, -1 with an exception and nothing
   changed. */
static int table_reserve(KeyTable *table, Py_ssize_t more)
{
    Py_ssize_t needed = table->used + more, alive = 0;
    int compact = 0;
    if (needed <= table->room)
        return 0;
    for (Py_ssize_t i = 0; i < table->used; i++)
        alive += is_alive(&table->entries[i]);
    if (3 * alive <= 2 * table->used && table->used > SMALLEST_INDEX) {
        compact = 1;
        needed = alive + alive / 2 + more + SMALLEST_INDEX;
    }
    else
        needed += needed / 4 + SMALLEST_INDEX;
    if (needed > MOST_ENTRIES
        || (size_t)needed > PY_SSIZE_T_MAX / (sizeof(Entry) + table->payload_size)) {
        PyErr_SetString(PyExc_MemoryError, "too many features");
        return -1;
    }
    uint64_t size = SMALLEST_INDEX;
    while (2 * size < 3 * (uint64_t)needed)
        size *= 2;
    uint32_t *index = PyMem_Calloc(size, sizeof(uint32_t));
    Entry *entries = PyMem_Malloc(needed * sizeof(Entry));
    size_t size_of_payload = table->payload_size;
    char *payload = size_of_payload ? PyMem_Malloc(needed * size_of_payload) : NULL;
    if (index == NULL || entries == NULL || (size_of_payload && payload == NULL)) {
        PyMem_Free(index);
        PyMem_Free(entries);
        PyMem_Free(payload);
        PyErr_NoMemory();
        return -1;
    }
    spread_out(index, size * sizeof(uint32_t));
    spread_out(entries, needed * sizeof(Entry));
    spread_out(payload, needed * size_of_payload);
    Entry *old = table->entries;
    uint32_t *old_index = table->index;
    Py_ssize_t n_old = table->used, n = 0;
    table->index = index;
    table->mask = (uint32_t)(size - 1);
    for (Py_ssize_t i = 0; i < n_old; i++) {
        if (compact && !is_alive(&old[i]))
            continue;
        entries[n] = old[i];
        if (size_of_payload)
            memcpy(payload + n * size_of_payload, table->payload + i * size_of_payload,
                   size_of_payload);
        index_insert(table, old[i].hash & ~SEEN, (uint32_t)n++);
    }
    table->entries = entries;
    table->used = n;
    table->room = needed;
    table->version++;
    PyMem_Free(old_index);
    PyMem_Free(table->payload);
    table->payload = payload;
    /* A key may run code when it goes, so it goes when all is in order. */
    for (Py_ssize_t i = 0; compact && i < n_old; i++)
        if (!is_alive(&old[i]))
            Py_DECREF(old[i].key);
    PyMem_Free(old);
    return compact;
}

/* Start with no entries; 0, or -1 with an exception. */
static int table_open(KeyTable *table)
{
    table->only_text = 1;
    table->mask = SMALLEST_INDEX - 1;
    table->index = PyMem_Calloc(SMALLEST_INDEX, sizeof(uint32_t));
    if (table->index == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static size_t table_size(const KeyTable *table)
{
    return table->room * (sizeof(Entry) + table->payload_size)
           + ((size_t)table->mask + 1) * sizeof(uint32_t);
}

/* Forget all entries. */
static void table_empty(KeyTable *table)
{
    Entry *entries = table->entries;
    Py_ssize_t used = table->used;
    PyMem_Free(table->payload);
    table->payload = NULL;
    table->entries = NULL;
    table->used = table->room = 0;
    table->version++;
    if (table->index != NULL)
        memset(table->index, 0, ((size_t)table->mask + 1) * sizeof(uint32_t));
    for (Py_ssize_t i = 0; i < used; i++)
        Py_DECREF(entries[i].key);
    PyMem_Free(entries);
}

static inline int table_visit(const KeyTable *table, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < table->used; i++)
        Py_VISIT(table->entries[i].key);
    return 0;
}

#endif
