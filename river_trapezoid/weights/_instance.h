/* The features of one instance, read once from its dict into arrays. */

#ifndef RIVER_TRAPEZOID_INSTANCE_H
#define RIVER_TRAPEZOID_INSTANCE_H

#include "_exact_sum.h"
#include "_key_table.h"

#define ON_STACK 128
/* Integers below are doubles, and their squares are rounded once, as those of doubles. */
#define END_OF_EXACT_INTEGERS 0x1p53

typedef struct {
    Py_ssize_t n;
    PyObject **keys;
    double *values;
    double *terms;
    double *moved;
    uint64_t *hashes;
    Py_ssize_t *numbers;
    int owns_keys;
    void *memory;
    uint64_t space[6 * ON_STACK];
} Instance;

static void instance_close(Instance *x)
{
    if (x->owns_keys)
        for (Py_ssize_t i = 0; i < x->n; i++)
            Py_DECREF(x->keys[i]);
    PyMem_Free(x->memory);
}

/* Make room for at most `most` features; 0, or -1 with an exception. */
static inline int instance_open(Instance *x, Py_ssize_t most)
{
    uint64_t *space = x->space;
    x->n = 0;
    x->owns_keys = 0;
    x->memory = NULL;
    if (most > ON_STACK) {
        space = x->memory = PyMem_New(uint64_t, 6 * (size_t)most);
        if (space == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    x->keys = (PyObject **)space;
    x->values = (double *)(space + most);
    x->terms = (double *)(space + 2 * most);
    x->moved = (double *)(space + 3 * most);
    x->hashes = space + 4 * most;
    x->numbers = (Py_ssize_t *)(space + 5 * most);
    return 0;
}

/* Read a dict whose values are all of type float or int: 1 if so, 0 if not, -1 with an exception.
   With `clean`, None and NaN are left out, and infinities and huge integers count as unfit. With
   `own`, the instance holds on to its keys, for where any code may run before they are of no use
   any more; such code might empty the dict. */
static inline int instance_read(Instance *x, PyObject *dict, const KeyTable *table, int clean,
                                int own)
{
    Py_ssize_t position = 0, n = 0;
    PyObject *key, *value;
    int only_text = table->only_text;
    if (instance_open(x, PyDict_GET_SIZE(dict)) < 0)
        return -1;
    while (PyDict_Next(dict, &position, &key, &value)) {
        double number;
        if (PyFloat_CheckExact(value)) {
            number = PyFloat_AS_DOUBLE(value);
            if (clean && !(fabs(number) <= DBL_MAX)) {
                if (number != number)
                    continue;
                goto unfit;
            }
        }
        else if (PyLong_CheckExact(value) || PyBool_Check(value)) {
            number = PyLong_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                goto unfit;
            }
            if (clean && fabs(number) >= END_OF_EXACT_INTEGERS)
                goto unfit;
        }
        else if (clean && value == Py_None)
            continue;
        else
            goto unfit;
        Py_hash_t hash = -1;
        if (PyUnicode_CheckExact(key)) {
            /* A str that is a key has its hash at hand, and its entry may be on its way. */
            hash = ((PyASCIIObject *)key)->hash;
            PREFETCH(index_home(table, (uint64_t)hash & ~SEEN));
        }
        else
            only_text = 0;
        x->hashes[n] = hash == -1 ? UNKNOWN_HASH : (uint64_t)hash & ~SEEN;
        x->keys[n] = key;
        x->values[n++] = number;
    }
    x->n = n;
    /* Keys other than text may run code when they are compared. */
    if (own || !only_text) {
        for (Py_ssize_t i = 0; i < n; i++)
            Py_INCREF(x->keys[i]);
        x->owns_keys = 1;
    }
    return 1;
unfit:
    instance_close(x);
    return 0;
}

/* The hash of a feature's key; UNKNOWN_HASH with an exception. */
static inline uint64_t instance_hash(const Instance *x, Py_ssize_t i)
{
    return x->hashes[i] == UNKNOWN_HASH ? key_hash(x->keys[i]) : x->hashes[i];
}

/* In a table that no cache holds, all entries are on their way before the first is looked at. */
static inline void instance_prefetch(const Instance *x, const KeyTable *table)
{
    if (table->used > 1000)
        for (Py_ssize_t i = 0; i < x->n; i++)
            if (x->hashes[i] != UNKNOWN_HASH)
                table_prefetch(table, x->hashes[i]);
}

/* Find the entries of all features, -1 for those without; 0, or -1 with an exception. */
static inline int instance_find(Instance *x, KeyTable *table)
{
    instance_prefetch(x, table);
    for (Py_ssize_t i = 0; i < x->n; i++) {
        uint64_t hash = instance_hash(x, i);
        x->numbers[i] = hash == UNKNOWN_HASH ? -2 : table_find(table, x->keys[i], hash);
        if (x->numbers[i] == -2)
            return -1;
    }
    return 0;
}

/* The inner product of v and the instance, exactly rounded, or NaN where it overflows; 0, or -1 with
   an exception. */
static inline int instance_dot(Instance *x, KeyTable *table, double *product)
{
    QuickSum total = EMPTY_SUM;
    instance_prefetch(x, table);
    for (Py_ssize_t i = 0; i < x->n; i++) {
        uint64_t hash = instance_hash(x, i);
        Py_ssize_t number = hash == UNKNOWN_HASH ? -2 : table_find(table, x->keys[i], hash);
        if (number == -2)
            return -1;
        double v = x->moved[i] = number < 0 ? 0.0 : table->entries[number].v;
        x->numbers[i] = number;
        x->terms[i] = v * x->values[i];
        quick_add(&total, x->terms[i]);
    }
    *product = sum_of(&total, x->terms, x->n);
    return 0;
}

/* Give all features an entry, but those of zero if `sparing`; 0, or -1 with an exception. The
   table has room for them. */
static inline int instance_enter(Instance *x, KeyTable *table, int sparing)
{
    instance_prefetch(x, table);
    for (Py_ssize_t i = 0; i < x->n; i++) {
        x->numbers[i] = -1;
        if (sparing && x->values[i] == 0.0)
            continue;
        uint64_t hash = instance_hash(x, i);
        x->numbers[i] = hash == UNKNOWN_HASH ? -2 : table_find_or_add(table, x->keys[i], hash);
        if (x->numbers[i] == -2)
            return -1;
    }
    return 0;
}

/* The inner product of v and an instance whose features have entries; NaN where it overflows. */
static inline double instance_dot_entered(Instance *x, const KeyTable *table)
{
    QuickSum total = EMPTY_SUM;
    for (Py_ssize_t i = 0; i < x->n; i++) {
        double v = x->moved[i] = x->numbers[i] < 0 ? 0.0 : table->entries[x->numbers[i]].v;
        x->terms[i] = v * x->values[i];
        quick_add(&total, x->terms[i]);
    }
    return sum_of(&total, x->terms, x->n);
}

/* The sum of the squared values; NaN where it overflows. */
static inline double instance_squared_norm(Instance *x)
{
    QuickSum total = EMPTY_SUM;
    for (Py_ssize_t i = 0; i < x->n; i++) {
        x->terms[i] = x->values[i] * x->values[i];
        quick_add(&total, x->terms[i]);
    }
    return sum_of(&total, x->terms, x->n);
}

#endif
