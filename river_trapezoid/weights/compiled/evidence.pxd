# cython: language_level=3
cimport cython
from libc.math cimport copysign, erf, exp, log, sqrt

from river_trapezoid.weights.compiled._asked cimport Asked, open_asked, whole
from river_trapezoid.weights.compiled._exact_sum cimport nearest, nothing, plus
from river_trapezoid.weights.compiled._feature_table cimport FeatureTable, Held, Instance
from river_trapezoid.weights.compiled._pair_table cimport PAIR_WIDTH, PairTable
from river_trapezoid.weights.compiled.categories cimport (
    MOST_HEADS_OF_ALL,
    AtHand,
    Category,
    has_text,
)
from river_trapezoid.weights.compiled.link cimport log_loss, logistic, moderated
from river_trapezoid.weights.compiled.mixture cimport MOST_HEADS, Mixture

cdef double PRIOR_VARIANCE, EVIDENCE_MEAN, HALF_MEAN, HALF_EVIDENCE, LEAST_CURVATURE, LARGEST_SCORE
cdef double LARGEST_APART, LARGEST_VALUE, LEAST_STRENGTH, LEAD_MEMORY, LARGEST_UNIT, ROOT_HALF
cdef double LEAST_SHARE, LARGEST_SHARE

# The first numbers of a feature, as in the source.
cdef enum:
    NUMBER = 0
    PAIRED = 1
    N = 2
    MEAN = 3
    DEVIATIONS = 4
    UNIT = 5
    LABELS = 6
    WEIGHTS = 8
    PAIR_HEAD = 4


cdef inline Py_ssize_t n_categories(Asked asked) noexcept
cdef inline double clipped(double value, double bound) noexcept
cdef inline double between(
    const double *counts, Py_ssize_t place, Py_ssize_t row, double below, double right
) noexcept
@cython.locals(variance=double, gain=double)
cdef inline void move(
    double *numbers,
    Py_ssize_t at,
    Py_ssize_t to_variance,
    double value,
    double step,
    double shrinkage,
    double growth,
) noexcept


cdef class EvidenceWeights(FeatureTable):
    cdef readonly Py_ssize_t n_bins
    cdef readonly double smoothing
    cdef readonly double decay
    cdef readonly Py_ssize_t n_paired
    cdef readonly bint mixture
    cdef readonly Py_ssize_t max_categories
    cdef dict categories
    cdef list changed_categories
    cdef int n_heads
    cdef Py_ssize_t counts_at
    cdef bint drops
    cdef double n
    cdef double labels[2]
    cdef double lead
    cdef double intercept_numbers[2 * MOST_HEADS]
    cdef bint has_values[MOST_HEADS]
    cdef bint has_evidence[MOST_HEADS]
    cdef double growth[MOST_HEADS]
    cdef Mixture mixed_heads
    # The number of the next feature that is new.
    cdef double next_number
    cdef PairTable pair_table
    cdef FeatureTable seen_table
    # What was known when a transaction began, None if there is none.
    cdef tuple before

    @cython.locals(h=int)
    cpdef start(self)
    cdef list numbers_of_all(self)
    @cython.locals(i=Py_ssize_t)
    cdef int set_numbers(self, list numbers) except -1
    @cython.final
    cdef double evidence_mean(self) noexcept
    @cython.final
    cdef double strength(self, Py_ssize_t at) noexcept
    @cython.locals(i=Py_ssize_t, h=int)
    @cython.final
    cdef void start_feature(self, Py_ssize_t at) noexcept
    @cython.final
    cdef Asked ask_only(self, x)
    @cython.locals(h=int, asked=Asked, has_pairs=bint)
    @cython.final
    cdef Asked ask(self, Instance *x, AtHand categories)
    @cython.locals(i=Py_ssize_t, n=Py_ssize_t, slot=Py_ssize_t, at=Py_ssize_t, left=Py_ssize_t,
                   last=Py_ssize_t, cell=Py_ssize_t, middle=double, right=double)
    @cython.final
    cdef void read_inputs(self, const Instance *x, Asked asked) noexcept
    @cython.locals(i=Py_ssize_t, n=Py_ssize_t, slot=Py_ssize_t, at=Py_ssize_t, first=Py_ssize_t,
                   last=Py_ssize_t, place=Py_ssize_t, category=Category, score=double, share=double)
    @cython.final
    cdef int read_categories(self, const Instance *x, Asked asked, AtHand categories) except -1
    @cython.locals(category=Category)
    @cython.final
    cdef double category_weight(self, Asked asked, Py_ssize_t i, int head) except? -1.0
    @cython.locals(at=Py_ssize_t, own=double, strength=double)
    @cython.final
    cdef double category_strength(self, Asked asked, Py_ssize_t i) except? -1.0
    cdef Held open(self, features, bint own)
    @cython.final
    cdef object name_of(self, key)
    @cython.locals(i=Py_ssize_t, first=Py_ssize_t, at=Py_ssize_t, slot=Py_ssize_t, unit=double,
                   added=list, victims=list, n_numeric=list)
    @cython.final
    cdef int enter_categories(self, const Instance *x, AtHand categories) except -1
    @cython.final
    cdef void count_category(
        self, Py_ssize_t at, Category category, bint positive, double decay, double weight
    ) noexcept
    @cython.locals(i=Py_ssize_t, j=Py_ssize_t, k=Py_ssize_t, n=Py_ssize_t, input=Py_ssize_t,
                   n_pairs=Py_ssize_t, n_numbers=Py_ssize_t, strength=double)
    @cython.final
    cdef int choose_strongest(self, Asked asked) except -1
    @cython.locals(i=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, number=Py_ssize_t, row=Py_ssize_t,
                   place=Py_ssize_t, apart=double, odds=double)
    @cython.final
    cdef void read_pairs(self, Asked asked) noexcept
    @cython.locals(i=Py_ssize_t, n=Py_ssize_t, at=Py_ssize_t, value=double, mean=double,
                   category=Category, has_values=bint, has_evidence=bint)
    @cython.final
    cdef int ask_head(self, Asked asked, int h) except -1
    @cython.locals(h=int)
    @cython.final
    cdef void read_heads(self, Asked asked) noexcept
    @cython.locals(capacity=Py_ssize_t)
    @cython.final
    cdef int learn_entered(self, Instance *x, Asked asked, bint positive, double weight) except -1
    @cython.locals(i=Py_ssize_t, h=int, slot=Py_ssize_t, at=Py_ssize_t, left=Py_ssize_t,
                   right=double, value=double, sign=double, decay=double,
                   category=Category, first_category=Py_ssize_t)
    @cython.final
    cdef void take_step(self, const Instance *x, Asked asked, bint positive, double weight) noexcept
    @cython.locals(i=Py_ssize_t, at=Py_ssize_t, n_heads=Py_ssize_t, p=double, value=double,
                   category=Category, has_values=bint, has_evidence=bint)
    @cython.final
    cdef void step_head(self, Asked asked, int h, bint positive, double weight) noexcept
    @cython.locals(i=Py_ssize_t, cell=Py_ssize_t, unit=double)
    @cython.final
    cdef void count_value(
        self,
        Py_ssize_t at,
        double value,
        Py_ssize_t left,
        double right,
        bint positive,
        double decay,
        double weight,
    ) noexcept
    @cython.locals(k=Py_ssize_t, a=Py_ssize_t, b=Py_ssize_t, number=Py_ssize_t, row=Py_ssize_t,
                   cell=Py_ssize_t, start=Py_ssize_t, unit=double)
    @cython.final
    cdef void count_pair(
        self, Asked asked, Py_ssize_t i, bint positive, double decay, double weight
    ) noexcept
    @cython.locals(i=Py_ssize_t, at=Py_ssize_t, n_paired=Py_ssize_t)
    @cython.final
    cdef void drop(self, Py_ssize_t *lost, Py_ssize_t n) noexcept
