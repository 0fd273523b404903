/* A heap over the small weights of a KeyTable, by size and key, that finds the smallest one.

It covers the weights up to a ceiling. A weight that changes is pushed once more; an item whose
weight has changed since is passed over. When it has run out or is too large, it is built anew. Most
weights that are pushed are so small that they are the next to go, so the smallest of those that
were pushed wait in a short sorted list beside the heap. */

#ifndef RIVER_TRAPEZOID_WEIGHT_HEAP_H
#define RIVER_TRAPEZOID_WEIGHT_HEAP_H

#include "_key_table.h"
#include <math.h>

#define SAMPLE 32
#define MOST_WAITING 12
#define CHUNK 256

typedef struct {
    double size;
    uint32_t number;
} HeapItem;

typedef struct {
    HeapItem *items;
    Py_ssize_t n, room;
    Py_ssize_t most; /* items, beyond which too many are out of date */
    double ceiling;  /* below zero while there is no heap */
    int n_waiting;
    HeapItem waiting[MOST_WAITING]; /* the smallest one last */
} WeightHeap;

static void heap_drop(WeightHeap *heap)
{
    PyMem_Free(heap->items);
    heap->items = NULL;
    heap->n = heap->room = heap->most = 0;
    heap->ceiling = -1.0;
    heap->n_waiting = 0;
}

/* Whether one item comes before another; -1 with an exception. */
static inline int item_less(const KeyTable *table, HeapItem a, HeapItem b)
{
    if (a.size != b.size)
        return a.size < b.size;
    return key_less(table->entries[a.number].key, table->entries[b.number].key);
}

/* Put an item into the hole at `place`, or above it, up to `top`; 0, or -1 with an exception. */
static inline int heap_rise(WeightHeap *heap, const KeyTable *table, Py_ssize_t place,
                            Py_ssize_t top, HeapItem item)
{
    HeapItem *items = heap->items;
    while (place > top) {
        Py_ssize_t parent = (place - 1) / 2;
        int less = item_less(table, item, items[parent]);
        if (less < 0)
            return -1;
        if (!less)
            break;
        items[place] = items[parent];
        place = parent;
    }
    items[place] = item;
    return 0;
}

/* Let the hole at `place` sink to the bottom and the item rise from there: an item that comes from
   the bottom belongs near it, which saves half of the comparisons. */
static inline int heap_fill(WeightHeap *heap, const KeyTable *table, Py_ssize_t place,
                            HeapItem item)
{
    HeapItem *items = heap->items;
    Py_ssize_t n = heap->n, top = place, child;
    while ((child = 2 * place + 1) < n) {
        if (child + 1 < n) {
            int less = item_less(table, items[child + 1], items[child]);
            if (less < 0)
                return -1;
            child += less;
        }
        items[place] = items[child];
        place = child;
    }
    return heap_rise(heap, table, place, top, item);
}

/* Set the room of a heap; 0, or -1 where there is no memory for it, and no heap any more. */
static int heap_resize(WeightHeap *heap, Py_ssize_t room)
{
    HeapItem *items = PyMem_Realloc(heap->items, room * sizeof(HeapItem));
    if (items == NULL) {
        heap_drop(heap);
        return -1;
    }
    heap->items = items;
    heap->room = room;
    return 0;
}

/* Add an item to the heap itself; 0, or -1 with an exception. Without memory there is no heap. */
static int heap_add(WeightHeap *heap, const KeyTable *table, HeapItem item)
{
    if (heap->n == heap->room && heap_resize(heap, heap->room + heap->room / 4 + 16) < 0)
        return 0;
    return heap_rise(heap, table, heap->n++, 0, item);
}

/* Push a weight that has changed; 0, or -1 with an exception. Without memory there is no heap. */
static inline int heap_push(WeightHeap *heap, const KeyTable *table, double size, uint32_t number)
{
    HeapItem item = {size, number}, *waiting = heap->waiting;
    int place;
    if (heap->n_waiting == MOST_WAITING) {
        if (heap_add(heap, table, waiting[0]) < 0)
            return -1;
        if (heap->ceiling < 0.0)
            return 0;
        memmove(waiting, waiting + 1, --heap->n_waiting * sizeof(HeapItem));
    }
    for (place = heap->n_waiting; place > 0; place--) {
        int less = item_less(table, waiting[place - 1], item);
        if (less < 0)
            return -1;
        if (!less)
            break;
        waiting[place] = waiting[place - 1];
    }
    waiting[place] = item;
    heap->n_waiting++;
    return 0;
}

/* Take out the smallest item, of which there is at least one; 0, or -1 with an exception. */
static inline int heap_pop(WeightHeap *heap, const KeyTable *table, HeapItem *smallest)
{
    if (heap->n_waiting) {
        *smallest = heap->waiting[heap->n_waiting - 1];
        int less = heap->n ? item_less(table, heap->items[0], *smallest) : 0;
        if (less <= 0) {
            heap->n_waiting -= less == 0;
            return less;
        }
    }
    *smallest = heap->items[0];
    HeapItem last = heap->items[--heap->n];
    return heap->n == 0 ? 0 : heap_fill(heap, table, 0, last);
}

static inline void insert_sorted(double *sorted, Py_ssize_t n, double size)
{
    for (; n > 0 && sorted[n - 1] > size; n--)
        sorted[n] = sorted[n - 1];
    sorted[n] = size;
}

/* A size that about a quarter of the weights do not exceed, judged by some of them. */
static double small_size(const KeyTable *table, Py_ssize_t n_weights)
{
    double sample[2 * SAMPLE];
    Py_ssize_t stride = n_weights / SAMPLE + 1, n = 0;
    for (Py_ssize_t i = 0; i < table->used && n < 2 * SAMPLE; i += stride)
        if (table->entries[i].v != 0.0)
            insert_sorted(sample, n++, fabs(table->entries[i].v));
    return n ? sample[n / 4] : INFINITY;
}

/* Build the heap from about the smallest quarter of the weights, of which there is at least one;
   0, or -1 with an exception. Without memory there is no heap. */
static int heap_build(WeightHeap *heap, const KeyTable *table, Py_ssize_t n_weights)
{
    double ceiling = small_size(table, n_weights);
    Py_ssize_t n = 0;
    heap_drop(heap);
    for (Py_ssize_t start = 0; start < table->used; start += CHUNK) {
        Py_ssize_t end = start + CHUNK < table->used ? start + CHUNK : table->used;
        if (heap->room < n + CHUNK && heap_resize(heap, 2 * n + CHUNK) < 0)
            return 0;
        HeapItem *items = heap->items;
        for (Py_ssize_t i = start; i < end; i++) {
            double size = fabs(table->entries[i].v);
            items[n] = (HeapItem){size, (uint32_t)i};
            n += size > 0.0 && size <= ceiling;
        }
    }
    if (heap_resize(heap, n + n / 4 + 16) < 0)
        return 0;
    heap->n = n;
    heap->ceiling = ceiling;
    heap->most = n + n_weights / 4 + 64;
    for (Py_ssize_t place = n / 2; place-- > 0;)
        if (heap_fill(heap, table, place, heap->items[place]) < 0)
            return -1;
    return 0;
}

/* Find the smallest of the weights, of which there is at least one, with a heap or without; 0, or
   -1 with an exception. */
static int smallest_weight(WeightHeap *heap, const KeyTable *table, Py_ssize_t n_weights,
                           HeapItem *smallest)
{
    do {
        if (heap->n + heap->n_waiting == 0 && heap_build(heap, table, n_weights) < 0)
            return -1;
        if (heap->n + heap->n_waiting == 0) {
            *smallest = (HeapItem){INFINITY, 0};
            for (Py_ssize_t i = 0; i < table->used; i++) {
                HeapItem item = {fabs(table->entries[i].v), (uint32_t)i};
                int less = item.size == 0.0 ? 0 : item_less(table, item, *smallest);
                if (less < 0)
                    return -1;
                if (less)
                    *smallest = item;
            }
            return 0;
        }
        if (heap_pop(heap, table, smallest) < 0)
            return -1;
    } while (fabs(table->entries[smallest->number].v) != smallest->size);
    return 0;
}

#endif
