# cython: language_level=3, binding=False, cdivision=True
"""`Mixture` in C: bit-identical to `mixture.Mixture`, which has the documentation."""

from libc.math cimport exp, fabs, log, sqrt
from libc.string cimport memset

from river_trapezoid.weights import evidence, mixture

cdef double PRIOR_VARIANCE = mixture.PRIOR_VARIANCE
cdef double LARGEST_HEAD = mixture.LARGEST_HEAD
cdef double CONSTANT = mixture.CONSTANT
cdef double LEAST_CURVATURE = mixture.LEAST_CURVATURE
cdef double GROWTH = mixture.GROWTH
cdef double MEMORIES[2]
MEMORIES[0], MEMORIES[1] = mixture.MEMORIES

cdef extern from *:
    """
    #define PI 3.14159265358979323846
    """
    const double PI


cdef double logistic(double z) noexcept:
    cdef double small = exp(-fabs(z))
    return (1.0 if z > 0.0 else small) / (1.0 + small)


cdef double moderated(double mean, double variance) noexcept:
    return mean / sqrt(1.0 + PI / 8.0 * variance)


cdef class Mixture:
    """What mixes the heads: `mixture.Mixture`, in C."""

    cdef void start(self, int n_heads):
        """Forget everything, and expect so many heads."""
        cdef int i
        self.n_heads, self.n = n_heads, n_heads + 3
        memset(self.memories, 0, sizeof(self.memories))
        memset(self.shares, 0, sizeof(self.shares))
        memset(self.covariance, 0, sizeof(self.covariance))
        for i in range(n_heads):
            self.shares[i] = evidence.HEADS[i].share
        for i in range(self.n):
            self.covariance[i][i] = PRIOR_VARIANCE

    def to_list(self):
        """All that it knows, as numbers."""
        cdef int i, j
        return (
            [self.memories[i] for i in range(4)]
            + [self.shares[i] for i in range(self.n)]
            + [self.covariance[i][j] for i in range(self.n) for j in range(self.n)]
        )

    cpdef int fill(self, list numbers) except -1:
        """Take the place of the one that `to_list` was called of."""
        cdef int i, j
        for i in range(4):
            self.memories[i] = numbers[i]
        for i in range(self.n):
            self.shares[i] = numbers[4 + i]
            for j in range(self.n):
                self.covariance[i][j] = numbers[4 + self.n + i * self.n + j]
        return 0

    cdef void read(self, const double *heads, double *inputs) noexcept:
        """The inputs, given the moderated margins of the heads."""
        cdef int h
        for h in range(self.n_heads):
            inputs[h] = max(-LARGEST_HEAD, min(LARGEST_HEAD, heads[h]))
        inputs[self.n_heads] = CONSTANT
        inputs[self.n_heads + 1] = log((self.memories[1] + 1.0) / (self.memories[0] + 1.0))
        inputs[self.n_heads + 2] = log((self.memories[3] + 1.0) / (self.memories[2] + 1.0))

    cdef double margin(self, const double *inputs) noexcept:
        """Log-odds of the positive label."""
        cdef double gain[MOST_MIXED]
        return moderated(total(self, inputs), find_gain(self, inputs, gain))

    cdef void learn(self, const double *inputs, bint positive, double weight) noexcept:
        """Move the shares of the heads, and remember the label."""
        cdef double gain[MOST_MIXED]
        cdef double variance = find_gain(self, inputs, gain)
        cdef double p = logistic(moderated(total(self, inputs), variance))
        cdef double curvature = weight * max(p * (1.0 - p), LEAST_CURVATURE)
        cdef double shrinkage = curvature / (1.0 + curvature * variance)
        cdef double step = weight * (<double>positive - p) / (1.0 + curvature * variance)
        cdef double shrunk
        cdef int i, j
        for i in range(self.n):
            self.shares[i] += gain[i] * step
            shrunk = shrinkage * gain[i]
            for j in range(self.n):
                self.covariance[i][j] -= shrunk * gain[j]
            self.covariance[i][i] = min(self.covariance[i][i] + GROWTH, PRIOR_VARIANCE)
        for i in range(2):
            self.memories[2 * i] *= MEMORIES[i]
            self.memories[2 * i + 1] *= MEMORIES[i]
            self.memories[2 * i + positive] += weight


cdef inline double total(Mixture m, const double *inputs) noexcept:
    cdef double result = 0.0
    cdef int i
    for i in range(m.n):
        result += m.shares[i] * inputs[i]
    return result


cdef inline double find_gain(Mixture m, const double *inputs, double *gain) noexcept:
    """The covariance of each share with the margin; return the variance of the margin."""
    cdef double variance = 0.0
    cdef int i, j
    for i in range(m.n):
        gain[i] = 0.0
        for j in range(m.n):
            gain[i] += m.covariance[i][j] * inputs[j]
    for i in range(m.n):
        variance += gain[i] * inputs[i]
    return variance
