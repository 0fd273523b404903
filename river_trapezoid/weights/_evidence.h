/* The weights of values and of their evidence, with all that the evidence rests on. What the fields
   mean and why a step is taken as it is, `evidence.py` says; the arithmetic is the same, in the
   same order, as both have to agree to the last bit. */

#ifndef RIVER_TRAPEZOID_EVIDENCE_H
#define RIVER_TRAPEZOID_EVIDENCE_H

#include "_exact_sum.h"
#include "_instance.h"
#include "_key_table.h"
#include "_weight_heap.h"

#define VALUE_VARIANCE 0.1
#define EVIDENCE_MEAN 0.2
#define EVIDENCE_VARIANCE 0.1
#define INTERCEPT_VARIANCE 1.0
#define LEAST_CURVATURE 1e-4
#define LARGEST_SCORE 4.0
#define LARGEST_VALUE 1e140
#define LEAST_STRENGTH 0x1p-1074
#define PI 3.14159265358979323846
#define ROOT_HALF 0.70710678118654757

/* What is known of a feature; the payload of its entry. */
typedef struct {
    double n, n_positive;
    double mean, deviations;
    double w, w_variance;
    double v, v_variance;
    double counts[];
} Belief;

/* An entry with a weight v other than zero is a feature that is kept; v is its strength, or 1 as
   long as none is dropped. */
typedef struct {
    KeyTable table;
    WeightHeap heap;
    double intercept_variance;
    double n, n_positive;
    double smoothing, forgetting;
    Py_ssize_t n_bins;
    Py_ssize_t n_features;
    int drops;
} Evidence;

/* What an instance says through one of its features. */
typedef struct {
    Belief *belief;
    double value, score, evidence;
    Py_ssize_t left;
    double right;
} Input;

typedef struct {
    Py_ssize_t n;
    double total, variance;
    Input *inputs;
    double *terms, *variances;
    void *memory;
    Input input_space[ON_STACK];
    double sum_space[4 * ON_STACK + 2];
} Inputs;

static inline Belief *evidence_belief(const Evidence *e, Py_ssize_t number)
{
    return (Belief *)(e->table.payload + number * e->table.payload_size);
}

/* Make room for what `n` features say; 0, or -1 with an exception. */
static inline int inputs_open(Inputs *all, Py_ssize_t n)
{
    all->n = 0;
    all->memory = NULL;
    all->inputs = all->input_space;
    all->terms = all->sum_space;
    if (n > ON_STACK) {
        all->memory = PyMem_Malloc(n * sizeof(Input) + (4 * n + 2) * sizeof(double));
        if (all->memory == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        all->inputs = all->memory;
        all->terms = (double *)(all->inputs + n);
    }
    all->variances = all->terms + 2 * n + 1;
    return 0;
}

static inline void inputs_close(Inputs *all)
{
    PyMem_Free(all->memory);
}

static inline double value_cut(double value)
{
    if (value > LARGEST_VALUE)
        return LARGEST_VALUE;
    return value < -LARGEST_VALUE ? -LARGEST_VALUE : value;
}

/* Find out what the features of `x` that are kept say, given the numbers of their entries. */
static inline void evidence_read(const Evidence *e, const Instance *x, double intercept,
                                 Inputs *all)
{
    double smoothing = e->smoothing;
    double positives = e->n_positive + 1.0;
    double negatives = e->n - e->n_positive + 1.0;
    double log_odds = log(positives / negatives);
    double prior_positive = smoothing * positives / (positives + negatives);
    double prior_negative = smoothing * negatives / (positives + negatives);
    double middle = (double)(e->n_bins - 1) / 2.0;
    Py_ssize_t last = e->n_bins - 2;
    QuickSum total = EMPTY_SUM, total_variance = EMPTY_SUM;
    Py_ssize_t n_inputs = 0, n_terms = 1;
    Input *inputs = all->inputs;
    all->terms[0] = intercept;
    all->variances[0] = e->intercept_variance;
    quick_add(&total, intercept);
    quick_add(&total_variance, e->intercept_variance);

    if (e->table.used > 200)
        for (Py_ssize_t i = 0; i < x->n; i++)
            if (x->numbers[i] >= 0) {
                PREFETCH(&evidence_belief(e, x->numbers[i])->n);
                PREFETCH(&evidence_belief(e, x->numbers[i])->v_variance);
            }
    /* One loop after the other, as divisions, roots and the functions of the mathematical library
       take long, but less so side by side than in a row. */
    for (Py_ssize_t i = 0; i < x->n; i++) {
        if (x->numbers[i] < 0 || e->table.entries[x->numbers[i]].v == 0.0)
            continue;
        Belief *belief = evidence_belief(e, x->numbers[i]);
        double value = value_cut(x->values[i]);
        double n = belief->n;
        double change = value - belief->mean;
        double deviation = change * n / (n + 1.0);
        double variance = (belief->deviations + change * deviation) / (n + 1.0);
        double score = variance != 0.0 ? deviation / sqrt(variance) : 0.0;
        if (score > LARGEST_SCORE)
            score = LARGEST_SCORE;
        else if (score < -LARGEST_SCORE)
            score = -LARGEST_SCORE;
        inputs[n_inputs++] = (Input){belief, value, score, 0.0, 0, 0.0};
    }
    for (Py_ssize_t i = 0; i < n_inputs; i++)
        inputs[i].right = middle + middle * erf(inputs[i].score * ROOT_HALF);
    for (Py_ssize_t i = 0; i < n_inputs; i++) {
        const Belief *belief = inputs[i].belief;
        double position = inputs[i].right;
        Py_ssize_t left = position >= 0.0 ? (Py_ssize_t)position : 0;
        if (left > last)
            left = last;
        double right = inputs[i].right = position - (double)left;
        inputs[i].left = left *= 2;
        const double *counts = &belief->counts[left];
        double n = belief->n;
        double back_off = smoothing / (n + smoothing);
        double negative = counts[0], positive = counts[1];
        negative += right * (counts[2] - negative);
        negative += back_off * (n - belief->n_positive + prior_negative);
        positive += right * (counts[3] - positive);
        positive += back_off * (belief->n_positive + prior_positive);
        inputs[i].evidence = positive / negative;
    }
    for (Py_ssize_t i = 0; i < n_inputs; i++)
        inputs[i].evidence = log(inputs[i].evidence) - log_odds;
    for (Py_ssize_t i = 0; i < n_inputs; i++) {
        const Belief *belief = inputs[i].belief;
        double score = inputs[i].score, evidence = inputs[i].evidence;
        double term = belief->w * score, spread = belief->w_variance * score * score;
        all->terms[n_terms] = term;
        all->variances[n_terms++] = spread;
        quick_add(&total, term);
        quick_add(&total_variance, spread);
        term = belief->v * evidence;
        spread = belief->v_variance * evidence * evidence;
        all->terms[n_terms] = term;
        all->variances[n_terms++] = spread;
        quick_add(&total, term);
        quick_add(&total_variance, spread);
    }
    all->n = n_inputs;
    all->total = sum_of(&total, all->terms, n_terms);
    all->variance = sum_of(&total_variance, all->variances, n_terms);
}

static inline double evidence_margin(const Inputs *all)
{
    return all->total / sqrt(1.0 + PI / 8.0 * all->variance);
}

static inline void belief_observe(Belief *belief, double value, Py_ssize_t left, double right,
                                  int positive)
{
    belief->n += 1.0;
    belief->n_positive += positive;
    double change = value - belief->mean;
    belief->mean += change / belief->n;
    belief->deviations += change * (value - belief->mean);
    belief->counts[left + positive] += 1.0 - right;
    belief->counts[left + positive + 2] += right;
}

/* Never zero, which would be no feature at all. */
static inline double belief_strength(const Belief *belief)
{
    double strength = fabs(belief->w) + fabs(belief->v);
    return strength > 0.0 ? strength : LEAST_STRENGTH;
}

static inline double forgotten(double variance, double growth, double prior)
{
    double grown = growth * variance;
    return grown < prior ? grown : prior;
}

/* Move the weights of an instance that has been read, count its values, and take its new features
   in; all of them have entries. Return the new intercept. */
static inline double evidence_step(Evidence *e, Instance *x, const Inputs *all, double intercept,
                                   int positive)
{
    double margin = evidence_margin(all), small = exp(-fabs(margin));
    double p = (margin > 0.0 ? 1.0 : small) / (1.0 + small);
    double curvature = p * (1.0 - p);
    if (curvature < LEAST_CURVATURE)
        curvature = LEAST_CURVATURE;
    double shrinkage = curvature / (1.0 + curvature * all->variance);
    double step = ((double)positive - p) / (1.0 + curvature * all->variance);

    double spread = e->intercept_variance;
    intercept += spread * step;
    e->intercept_variance = spread - shrinkage * spread * spread;
    for (Py_ssize_t i = 0; i < all->n; i++) {
        const Input *input = &all->inputs[i];
        Belief *belief = input->belief;
        spread = belief->w_variance * input->score;
        belief->w += spread * step;
        belief->w_variance -= shrinkage * spread * spread;
        spread = belief->v_variance * input->evidence;
        belief->v += spread * step;
        belief->v_variance -= shrinkage * spread * spread;
        belief_observe(belief, input->value, input->left, input->right, positive);
    }
    if (e->forgetting != 0.0) {
        double growth = 1.0 + e->forgetting;
        e->intercept_variance = forgotten(e->intercept_variance, growth, INTERCEPT_VARIANCE);
        for (Py_ssize_t i = 0; i < all->n; i++) {
            Belief *belief = all->inputs[i].belief;
            belief->w_variance = forgotten(belief->w_variance, growth, VALUE_VARIANCE);
            belief->v_variance = forgotten(belief->v_variance, growth, EVIDENCE_VARIANCE);
        }
    }

    e->n += 1.0;
    e->n_positive += positive;
    for (Py_ssize_t i = 0; i < x->n; i++) {
        Entry *entry = &e->table.entries[x->numbers[i]];
        Belief *belief = evidence_belief(e, x->numbers[i]);
        if (entry->v == 0.0) {
            memset(belief, 0, e->table.payload_size);
            belief->w_variance = VALUE_VARIANCE;
            belief->v = EVIDENCE_MEAN;
            belief->v_variance = EVIDENCE_VARIANCE;
            belief_observe(belief, value_cut(x->values[i]), (e->n_bins - 1) / 2 * 2,
                           (e->n_bins - 1) % 2 / 2.0, positive);
            entry->v = 1.0;
            e->n_features++;
        }
        if (e->drops)
            x->moved[i] = entry->v = belief_strength(belief);
    }
    return intercept;
}

/* Drop all but the `capacity` strongest features, after those of `x` have changed; 0, or -1 with
   an exception. */
static int evidence_truncate(Evidence *e, const Instance *x, Py_ssize_t capacity)
{
    WeightHeap *heap = &e->heap;
    HeapItem item;
    for (Py_ssize_t i = 0; heap->ceiling >= 0.0 && i < x->n; i++)
        if (x->moved[i] <= heap->ceiling
            && heap_push(heap, &e->table, x->moved[i], (uint32_t)x->numbers[i]) < 0) {
            heap_drop(heap);
            return -1;
        }
    while (e->n_features > capacity) {
        if (smallest_weight(heap, &e->table, e->n_features, &item) < 0) {
            heap_drop(heap);
            return -1;
        }
        /* Only strengths that are no numbers are left, if any. */
        if (e->table.entries[item.number].v == 0.0)
            break;
        e->table.entries[item.number].v = 0.0;
        e->n_features--;
    }
    if (heap->n > heap->most)
        heap_drop(heap);
    return 0;
}

/* Make room for more entries; 0, or -1 with an exception. */
static inline int evidence_reserve(Evidence *e, Py_ssize_t more)
{
    int renumbered = table_reserve(&e->table, more);
    if (renumbered > 0)
        heap_drop(&e->heap);
    return renumbered < 0 ? -1 : 0;
}

/* Start with no features; 0, or -1 with an exception. */
static int evidence_open(Evidence *e)
{
    memset(e, 0, sizeof(Evidence));
    e->heap.ceiling = -1.0;
    return table_open(&e->table);
}

/* Start anew, with the settings given; there are no features left. */
static void evidence_set(Evidence *e, Py_ssize_t n_bins, double smoothing, double forgetting,
                         int drops)
{
    e->intercept_variance = INTERCEPT_VARIANCE;
    e->n = e->n_positive = 0.0;
    e->n_bins = n_bins;
    e->smoothing = smoothing;
    e->forgetting = forgetting;
    e->drops = drops;
    e->table.payload_size = sizeof(Belief) + 2 * n_bins * sizeof(double);
}

static void evidence_empty(Evidence *e)
{
    heap_drop(&e->heap);
    e->n_features = 0;
    table_empty(&e->table);
}

static size_t evidence_size(const Evidence *e)
{
    return table_size(&e->table) + e->heap.room * sizeof(HeapItem);
}

#endif
