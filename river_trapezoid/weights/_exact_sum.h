/* Exactly rounded sums of doubles: the results of `math.fsum`, mostly at the cost of a plain sum.

A QuickSum carries the rounding error of each addition along, exactly, and a bound on what adding
up these errors has lost. It knows whether that decides how the sum is rounded. Where it does not
(a sum half-way between two doubles, a cancellation, huge terms), PartialSums has the last word. */

#ifndef RIVER_TRAPEZOID_EXACT_SUM_H
#define RIVER_TRAPEZOID_EXACT_SUM_H

#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD != 0
#error "Sums are exact only where doubles are computed with as doubles"
#endif

typedef struct {
    double sum, error, error_size, size;
} QuickSum;

static const QuickSum EMPTY_SUM = {0.0, 0.0, 0.0, 0.0};

static inline void quick_add(QuickSum *total, double term)
{
    double sum = total->sum + term;
    double added = sum - total->sum;
    double error = (total->sum - (sum - added)) + (term - added);
    total->sum = sum;
    total->error += error;
    total->error_size += fabs(error);
    total->size += fabs(term);
}

/* Whether the sum of n terms is certain; if so, `*result` is the double nearest to it. */
static inline int quick_result(const QuickSum *total, Py_ssize_t n, double *result)
{
    /* Twice the bound on the rounding of n additions, so that it covers the one below, too. */
    double doubt = (double)n * DBL_EPSILON * total->error_size;
    double low = total->sum + (total->error - doubt);
    double high = total->sum + (total->error + doubt);
    *result = low;
    /* `math.fsum` gives up where a partial sum overflows; the decision on huge ones is not ours. */
    return low == high && total->size < 0x1p1000;
}

/* Doubles without a bit in common, by increasing size, whose sum is exact: Shewchuk's algorithm as
   in `math.fsum`. There are not more of them than a double has places for bits. */
typedef struct {
    int n, overflow;
    double parts[2100];
} PartialSums;

static inline void partial_start(PartialSums *total)
{
    total->n = 0;
    total->overflow = 0;
}

static void partial_add(PartialSums *total, double x)
{
    double *parts = total->parts;
    int kept = 0;
    for (int j = 0; j < total->n; j++) {
        double y = parts[j];
        if (fabs(x) < fabs(y)) {
            double swapped = x;
            x = y;
            y = swapped;
        }
        double high = x + y;
        double low = y - (high - x);
        if (low != 0.0)
            parts[kept++] = low;
        x = high;
    }
    if (!isfinite(x)) {
        total->overflow = 1;
        kept = 0;
    }
    else if (x != 0.0)
        parts[kept++] = x;
    total->n = kept;
}

/* The double nearest to the sum; NaN where a term or a partial sum is not finite. */
static double partial_result(const PartialSums *total)
{
    const double *parts = total->parts;
    int n = total->n;
    double high = 0.0, low = 0.0;
    if (total->overflow)
        return NAN;
    if (n == 0)
        return 0.0;
    high = parts[--n];
    while (n > 0) {
        double x = high, y = parts[--n];
        high = x + y;
        low = y - (high - x);
        if (low != 0.0)
            break;
    }
    /* Half-way between two doubles, the parts that follow decide. */
    if (n > 0 && ((low < 0.0 && parts[n - 1] < 0.0) || (low > 0.0 && parts[n - 1] > 0.0))) {
        double twice = low * 2.0;
        double x = high + twice;
        if (twice == x - high)
            high = x;
    }
    return high;
}

static double sum_exactly(const double *terms, Py_ssize_t n)
{
    PartialSums exact;
    partial_start(&exact);
    for (Py_ssize_t i = 0; i < n; i++)
        partial_add(&exact, terms[i]);
    return partial_result(&exact);
}

/* The double nearest to the sum of n terms, of which `quick` is the sum. */
static inline double sum_of(const QuickSum *quick, const double *terms, Py_ssize_t n)
{
    double result;
    return quick_result(quick, n, &result) ? result : sum_exactly(terms, n);
}

#endif
