# cython: language_level=3
"""Exactly rounded sums of doubles: the results of `exact_sum.exact_sum`, mostly at the cost of a
plain sum.

A QuickSum is a compensated sum with a running error bound: it adds up the rounding errors of the
additions, each of them exact, and knows whether what that has lost decides how the sum is rounded.
Where it does
(a sum half-way between two doubles, a cancellation), the errors of the errors are summed as well;
if these are not exact either, `math.fsum` has the last word.
"""

from libc.float cimport DBL_EPSILON
from libc.math cimport fabs


cdef extern from *:
    """
    #include <float.h>
    #if FLT_EVAL_METHOD != 0
    #error "Sums are exact only where doubles are computed with as doubles"
    #endif
    """


cdef struct QuickSum:
    double sum
    double error
    double size


cdef inline double two_sum(double *total, double term) noexcept nogil:
    """Add a term; return the rounding error of that, which is a double (Knuth's TwoSum)."""
    cdef double sum = total[0] + term
    cdef double added = sum - total[0]
    cdef double error = (total[0] - (sum - added)) + (term - added)
    total[0] = sum
    return error


cdef inline void quick_add(QuickSum *total, double term) noexcept nogil:
    total.error += two_sum(&total.sum, term)
    total.size += fabs(term)


cdef inline bint is_certain(const QuickSum *quick, Py_ssize_t n, double *nearest) noexcept nogil:
    """Whether the double nearest to the sum of n terms is known."""
    # No error is larger than half an epsilon of the size, nor is what is lost by adding it larger
    # than half an epsilon of all of them. This is more than four times that, so that it covers the
    # rounding of the size and of the lines below, too.
    cdef double share = <double>n * DBL_EPSILON
    cdef double doubt = share * share * quick.size
    nearest[0] = quick.sum + (quick.error - doubt)
    # Where partial sums might overflow, nothing is certain.
    return nearest[0] == quick.sum + (quick.error + doubt) and quick.size < 1e300


cdef inline double sum_of(const QuickSum *quick, const double *terms, Py_ssize_t n) except? -1.0:
    """The double nearest to the sum of n terms, of which `quick` is the sum."""
    cdef double nearest
    return nearest if is_certain(quick, n, &nearest) else sum_slowly(terms, n)


cdef double sum_slowly(const double *terms, Py_ssize_t n) except? -1.0


# The same for the rules, which are interpreted as well: there, a sum is taken from the terms.


cdef inline QuickSum nothing() noexcept:
    return QuickSum(0.0, 0.0, 0.0)


cdef inline QuickSum plus(QuickSum total, double term) noexcept:
    quick_add(&total, term)
    return total


cdef inline double nearest(QuickSum total, const double *terms, Py_ssize_t n) except? -1.0:
    return sum_of(&total, terms, n)
