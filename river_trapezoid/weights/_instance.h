/* The features of one instance, read once from its dict into arrays. */

#ifndef RIVER_TRAPEZOID_INSTANCE_H
#define RIVER_TRAPEZOID_INSTANCE_H

#include "_exact_sum.h"
#include "_key_table.h"

#define ON_STACK 128
/* Integers below are doubles, and their squares are rounded once, as those of doubles. */
#define END_OF_EXACT_INTEGERS 0x1p53
/* Entries of a table that a cache holds. */
#define FEW 1000

typedef struct {
    Py_ssize_t n;
    PyObject **keys;
    double *values;
    double *terms;
    double *moved;
    uint64_t *hashes;
    Py_ssize_t *numbers; /* of the entries, -1 for what has none, or is not found yet */
    uint64_t version;    /* of the table, when entries were found while the instance was read */
    int complete;        /* whether all of them were */
    int seen;            /* whether it is known that all features have been seen */
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
    x->version = 0;
    x->complete = x->seen = 0;
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

/* Forget the entries that were found. */
static void instance_forget(Instance *x)
{
    for (Py_ssize_t i = 0; i < x->n; i++)
        x->numbers[i] = -1;
    x->complete = 0;
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
    int only_text = table->only_text, few = table->used <= FEW;
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
        x->numbers[n] = -1;
        if (PyUnicode_CheckExact(key)) {
            /* A str that is a key has its hash at hand, and its entry may be on its way. */
            hash = ((PyASCIIObject *)key)->hash;
            if (few)
                x->numbers[n] = table_find_same(table, key, (uint64_t)hash & ~SEEN);
            else
                PREFETCH(index_home(table, (uint64_t)hash & ~SEEN));
        }
        else
            only_text = 0;
        x->hashes[n] = hash == -1 ? UNKNOWN_HASH : (uint64_t)hash & ~SEEN;
        x->keys[n] = key;
        x->values[n++] = number;
    }
    x->n = n;
    x->complete = few;
    for (Py_ssize_t i = 0; i < n && x->complete; i++)
        x->complete = x->numbers[i] >= 0;
    x->version = table->version;
    /* Keys other than text may run code when they are compared, and entries move. */
    if (own || !only_text) {
        for (Py_ssize_t i = 0; i < n; i++)
            Py_INCREF(x->keys[i]);
        x->owns_keys = 1;
    }
    if (!only_text)
        instance_forget(x);
    return 1;
unfit:
    instance_close(x);
    return 0;
}

/* Bring a table near in which features are to be found; say whether that is left to do. */
static inline int instance_approach(Instance *x, const KeyTable *table)
{
    if (x->version != table->version)
        instance_forget(x);
    /* Where no cache holds it, all entries are on their way before the first is looked at. */
    if (table->used > FEW)
        for (Py_ssize_t i = 0; i < x->n; i++)
            if (x->hashes[i] != UNKNOWN_HASH)
                table_prefetch(table, x->hashes[i]);
    return !x->complete;
}

/* Find the entry of a feature: its number, -1 if it has none, -2 with an exception. With `add`, it
   is given one; the table has room for it. */
static inline Py_ssize_t instance_find_one(Instance *x, Py_ssize_t i, KeyTable *table, int add)
{
    if (x->numbers[i] >= 0)
        return x->numbers[i];
    uint64_t hash = x->hashes[i] == UNKNOWN_HASH ? key_hash(x->keys[i]) : x->hashes[i];
    if (hash == UNKNOWN_HASH)
        return -2;
    return x->numbers[i] = add ? table_find_or_add(table, x->keys[i], hash)
                               : table_find(table, x->keys[i], hash);
}

/* Find the entries of all features, -1 for those without; 0, or -1 with an exception. */
static inline int instance_find(Instance *x, KeyTable *table)
{
    if (instance_approach(x, table))
        for (Py_ssize_t i = 0; i < x->n; i++)
            if (instance_find_one(x, i, table, 0) == -2)
                return -1;
    return 0;
}

/* Give all features an entry, but those of zero if `sparing`; 0, or -1 with an exception. The
   table has room for them. */
static inline int instance_enter(Instance *x, KeyTable *table, int sparing)
{
    if (instance_approach(x, table) || sparing)
        for (Py_ssize_t i = 0; i < x->n; i++) {
            if (sparing && x->values[i] == 0.0)
                x->numbers[i] = -1;
            else if (instance_find_one(x, i, table, 1) == -2)
                return -1;
        }
    return 0;
}

/* The inner product of v and an instance whose features have entries, exactly rounded; NaN where it
   overflows. */
static inline double instance_dot_entered(Instance *x, const KeyTable *table)
{
    QuickSum total = EMPTY_SUM;
    uint64_t marks = SEEN;
    for (Py_ssize_t i = 0; i < x->n; i++) {
        const Entry *entry = &table->entries[x->numbers[i]];
        marks &= entry->hash;
        x->moved[i] = entry->v;
        x->terms[i] = entry->v * x->values[i];
        quick_add(&total, x->terms[i]);
    }
    x->seen = marks != 0;
    return sum_of(&total, x->terms, x->n);
}

/* The inner product of v and any instance; 0, or -1 with an exception. */
static inline int instance_dot(Instance *x, KeyTable *table, double *product)
{
    QuickSum total = EMPTY_SUM;
    if (!instance_approach(x, table)) {
        *product = instance_dot_entered(x, table);
        return 0;
    }
    for (Py_ssize_t i = 0; i < x->n; i++) {
        Py_ssize_t number = instance_find_one(x, i, table, 0);
        if (number == -2)
            return -1;
        x->moved[i] = number < 0 ? 0.0 : table->entries[number].v;
        x->terms[i] = x->moved[i] * x->values[i];
        quick_add(&total, x->terms[i]);
    }
    *product = sum_of(&total, x->terms, x->n);
    return 0;
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
