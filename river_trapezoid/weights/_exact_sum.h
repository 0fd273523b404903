/* Exactly rounded sums of doubles: the results of `math.fsum`, mostly at the cost of a plain sum.

A QuickSum carries the rounding error of each addition along, exactly, and a bound on what adding
up these errors has lost. It knows whether that decides how the sum is rounded. Where it does not
(a sum half-way between two doubles, a cancellation, huge terms), the errors of the errors are
looked at, too, and if there are any, PartialSums has the last word. */

#ifndef RIVER_TRAPEZOID_EXACT_SUM_H
#define RIVER_TRAPEZOID_EXACT_SUM_H

#include <float.h>
#include <math.h>

#if FLT_EVAL_METHOD != 0
#error "Sums are exact only where doubles are computed with as doubles"
#endif

typedef struct {
    double sum, error, size;
} QuickSum;

static const QuickSum EMPTY_SUM = {0.0, 0.0, 0.0};

/* Add a term; return the rounding error of that, which is a double. */
static inline double add_exactly(double *total, double term)
{
    double sum = *total + term;
    double added = sum - *total;
    double error = (*total - (sum - added)) + (term - added);
    *total = sum;
    return error;
}

static inline void quick_add(QuickSum *total, double term)
{
    total->error += add_exactly(&total->sum, term);
    total->size += fabs(term);
}

/* `math.fsum` gives up where a partial sum overflows; the decision on huge ones is not ours. */
static inline int is_moderate(const QuickSum *total)
{
    return total->size < 0x1p1000;
}

/* Whether the sum of n terms is certain; if so, `*result` is the double nearest to it. */
static inline int quick_result(const QuickSum *total, Py_ssize_t n, double *result)
{
    /* No error is larger than half an epsilon of the size, nor is what is lost by adding it larger
       than half an epsilon of all of them. This is more than four times that, so that it covers
       the rounding of the size and of the lines below, too. */
    double share = (double)n * DBL_EPSILON;
    double doubt = share * share * total->size;
    double low = total->sum + (total->error - doubt);
    double high = total->sum + (total->error + doubt);
    *result = low;
    return low == high && is_moderate(total);
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

/* The same where the size of the sum is known to be moderate. */
static double sum_moderate(const double *terms, Py_ssize_t n)
{
    double sum = 0.0, error = 0.0, lost = 0.0;
    for (Py_ssize_t i = 0; i < n; i++)
        lost += fabs(add_exactly(&error, add_exactly(&sum, terms[i])));
    return lost == 0.0 ? sum + error : sum_exactly(terms, n);
}

/* The double nearest to the sum of n terms, of which `quick` is the sum. */
static inline double sum_of(const QuickSum *quick, const double *terms, Py_ssize_t n)
{
    double result;
    if (quick_result(quick, n, &result))
        return result;
    return is_moderate(quick) ? sum_moderate(terms, n) : sum_exactly(terms, n);
}

#endif
