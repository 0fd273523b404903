/* A sparse weight vector w = scale * v and what is done with it, one instance at a time. */

#ifndef RIVER_TRAPEZOID_WEIGHTS_H
#define RIVER_TRAPEZOID_WEIGHTS_H

#include "_exact_sum.h"
#include "_instance.h"
#include "_key_table.h"
#include "_weight_heap.h"

/* The scale is folded into the weights below this value, long before it could underflow. */
#define SMALLEST_SCALE 0x1p-200
/* The norm is summed anew before its accumulated rounding error can exceed this share of it. */
#define LARGEST_DRIFT 1e-12

typedef struct {
    KeyTable table;
    WeightHeap heap;
    double scale;
    double power_sum, drift; /* the sum of |v|^order, and a bound on its rounding error */
    int order;
    int counts_features;
    Py_ssize_t n_weights, n_seen;
} Weights;

/* Start with no weights; 0, or -1 with an exception. */
static inline int weights_open(Weights *w)
{
    memset(w, 0, sizeof(Weights));
    w->heap.ceiling = -1.0;
    w->scale = 1.0;
    return table_open(&w->table);
}

static inline void weights_empty(Weights *w)
{
    heap_drop(&w->heap);
    w->n_weights = w->n_seen = 0;
    w->power_sum = w->drift = 0.0;
    table_empty(&w->table);
}

static inline size_t weights_size(const Weights *w)
{
    return table_size(&w->table) + w->heap.room * sizeof(HeapItem);
}

/* Make room for more entries; 0, or -1 with an exception. */
static inline int weights_reserve(Weights *w, Py_ssize_t more)
{
    int renumbered = table_reserve(&w->table, more);
    if (renumbered > 0)
        heap_drop(&w->heap);
    return renumbered < 0 ? -1 : 0;
}

static inline void weights_see(Weights *w, Py_ssize_t number)
{
    Entry *entry = &w->table.entries[number];
    if (w->counts_features && !(entry->hash & SEEN)) {
        entry->hash |= SEEN;
        w->n_seen++;
    }
}

static inline void weights_see_instance(Weights *w, const Instance *x)
{
    if (w->counts_features && !x->seen)
        for (Py_ssize_t i = 0; i < x->n; i++)
            weights_see(w, x->numbers[i]);
}

static inline void weights_set(Weights *w, Py_ssize_t number, double v)
{
    Entry *entry = &w->table.entries[number];
    w->n_weights += (v != 0.0) - (entry->v != 0.0);
    entry->v = v;
}

static inline double weights_norm(const Weights *w)
{
    double power_sum = w->power_sum > 0.0 ? w->power_sum : 0.0;
    return w->scale * (w->order == 2 ? sqrt(power_sum) : power_sum);
}

static inline double power(double v, int order)
{
    return order == 2 ? v * v : fabs(v);
}

static inline void weights_sum_anew(Weights *w)
{
    const Entry *entries = w->table.entries;
    Py_ssize_t used = w->table.used;
    QuickSum quick = EMPTY_SUM;
    if (w->order == 0)
        return;
    for (Py_ssize_t i = 0; i < used; i++)
        quick_add(&quick, power(entries[i].v, w->order));
    if (!quick_result(&quick, used, &w->power_sum)) {
        PartialSums exact;
        partial_start(&exact);
        for (Py_ssize_t i = 0; i < used; i++)
            partial_add(&exact, power(entries[i].v, w->order));
        w->power_sum = partial_result(&exact);
    }
    w->drift = DBL_EPSILON * w->power_sum;
}

static inline void weights_scale_by(Weights *w, double factor)
{
    w->scale *= factor;
    if (w->scale < SMALLEST_SCALE) {
        for (Py_ssize_t i = 0; i < w->table.used; i++)
            weights_set(w, i, w->scale * w->table.entries[i].v);
        w->scale = 1.0;
        heap_drop(&w->heap);
        weights_sum_anew(w);
    }
}

/* Compute where a step takes the features of an entered instance: the sum of powers afterwards,
   which is infinite or NaN if a weight overflows. */
static inline double weights_try(const Weights *w, Instance *x, double step)
{
    double rate = step / w->scale;
    QuickSum total = EMPTY_SUM;
    for (Py_ssize_t i = 0; i < x->n; i++) {
        x->terms[i] = 0.0;
        if (x->values[i] == 0.0)
            continue;
        double old = w->table.entries[x->numbers[i]].v;
        double new = x->moved[i] = old + rate * x->values[i];
        if (w->order == 1)
            x->terms[i] = fabs(new) - fabs(old);
        else
            x->terms[i] = w->order == 2 ? new * new - old * old : new;
        quick_add(&total, x->terms[i]);
    }
    double growth = sum_of(&total, x->terms, x->n);
    return w->power_sum + (w->order ? growth : 0.0 * growth);
}

/* Make the move that `weights_try` has computed. */
static inline void weights_commit(Weights *w, const Instance *x, double power_sum)
{
    w->power_sum = power_sum;
    for (Py_ssize_t i = 0; i < x->n; i++)
        if (x->values[i] != 0.0)
            weights_set(w, x->numbers[i], x->moved[i]);
}

/* Zero all but the `capacity` largest weights, after those of `x` have moved. The sizes of
   the lost are written down; return how many they are, or -1 with an exception. */
static inline Py_ssize_t weights_truncate(Weights *w, const Instance *x, Py_ssize_t capacity,
                                   double *lost)
{
    WeightHeap *heap = &w->heap;
    Py_ssize_t n_lost = 0;
    HeapItem item;
    for (Py_ssize_t i = 0; heap->ceiling >= 0.0 && i < x->n; i++) {
        double size = fabs(x->moved[i]);
        if (x->values[i] != 0.0 && size != 0.0 && size <= heap->ceiling
            && heap_push(heap, &w->table, size, (uint32_t)x->numbers[i]) < 0)
            return -1;
    }
    while (w->n_weights > capacity) {
        if (smallest_weight(heap, &w->table, w->n_weights, &item) < 0)
            return -1;
        /* Only weights that are no numbers are left, if any. */
        if (w->table.entries[item.number].v == 0.0)
            break;
        lost[n_lost++] = item.size;
        weights_set(w, item.number, 0.0);
    }
    if (heap->n > heap->most)
        heap_drop(heap);
    return n_lost;
}

/* Take the lost weights off the sum of powers, and mind its rounding error. */
static inline void weights_settle(Weights *w, double *lost, Py_ssize_t n_lost)
{
    if (w->order == 0)
        return;
    /* No sum so far rounds by more than this, as each is exact but for its terms and result. */
    w->drift += 4.0 * DBL_EPSILON * w->power_sum;
    if (n_lost) {
        QuickSum total = EMPTY_SUM;
        for (Py_ssize_t i = 0; i < n_lost; i++) {
            lost[i] = power(lost[i], w->order);
            quick_add(&total, lost[i]);
        }
        w->power_sum -= sum_of(&total, lost, n_lost);
    }
    if (w->drift > LARGEST_DRIFT * w->power_sum)
        weights_sum_anew(w);
}

/* As `passive_aggressive._step_size`. */
static inline double pa_step_size(Instance *x, double loss, int mode, double C, int learn_intercept)
{
    double squared_norm = instance_squared_norm(x);
    if (learn_intercept)
        squared_norm += 1.0;
    if (!(squared_norm > 0.0))
        return 0.0;
    if (mode == 2)
        return loss / (squared_norm + 0.5 / C);
    double tau = loss / squared_norm;
    if (mode == 1)
        return tau < C ? tau : C;
    return tau < INFINITY ? tau : 0.0;
}

#endif
