# cython: language_level=3, binding=False, cdivision=True
"""`EvidenceWeights` in C: bit-identical to `evidence.EvidenceWeights`, which has the documentation.

The arithmetic is the same, in the same order.
"""

from libc.math cimport erf, exp, fabs, log, sqrt
from libc.string cimport memset

from cpython.mem cimport PyMem_Free, PyMem_Malloc

from river_trapezoid.weights._exact_sum cimport QuickSum, quick_add, sum_of
from river_trapezoid.weights._feature_table cimport (
    FeatureTable,
    Instance,
    instance_close,
    mark_seen,
    table_set,
)

from river_trapezoid._parameters import check_number
from river_trapezoid.weights import evidence

__all__ = ["EvidenceWeights"]

cdef double VALUE_VARIANCE = evidence.VALUE_VARIANCE
cdef double EVIDENCE_MEAN = evidence.EVIDENCE_MEAN
cdef double EVIDENCE_VARIANCE = evidence.EVIDENCE_VARIANCE
cdef double INTERCEPT_VARIANCE = evidence.INTERCEPT_VARIANCE
cdef double LEAST_CURVATURE = evidence.LEAST_CURVATURE
cdef double LARGEST_SCORE = evidence.LARGEST_SCORE
cdef double LARGEST_VALUE = evidence.LARGEST_VALUE
cdef double LEAST_STRENGTH = evidence.LEAST_STRENGTH

cdef extern from *:
    """
    #define PI 3.14159265358979323846
    #define ROOT_HALF 0.70710678118654757
    """
    const double PI
    const double ROOT_HALF

cdef enum:
    ON_STACK = 128


# What is known of a feature: the payload of its entry.
cdef struct Belief:
    double n
    double n_positive
    double mean
    double deviations
    double w
    double w_variance
    double v
    double v_variance
    # Of the bins, negative and positive by turns.
    double counts[1]


# What an instance says through one of its features.
cdef struct Input:
    Belief *belief
    double value
    double score
    double evidence
    Py_ssize_t left
    double right


cdef struct Inputs:
    Py_ssize_t n
    double total
    double variance
    Input *inputs
    double *terms
    double *variances
    void *memory
    Input inputs_on_stack[128]
    double terms_on_stack[4 * 128 + 2]


cdef int inputs_open(Inputs *all, Py_ssize_t n) except -1:
    """Make room for what `n` features say."""
    all.n = 0
    all.memory = NULL
    all.inputs = all.inputs_on_stack
    all.terms = all.terms_on_stack
    if n > ON_STACK:
        all.memory = PyMem_Malloc(n * sizeof(Input) + (4 * n + 2) * sizeof(double))
        if all.memory == NULL:
            raise MemoryError
        all.inputs = <Input *>all.memory
        all.terms = <double *>(all.inputs + n)
    all.variances = all.terms + 2 * n + 1
    return 0


cdef inline void inputs_close(Inputs *all) noexcept:
    if all.memory != NULL:
        PyMem_Free(all.memory)


cdef inline double clipped(double value, double bound) noexcept:
    if value > bound:
        return bound
    return -bound if value < -bound else value


cdef inline double logistic(double z) noexcept:
    cdef double small = exp(-fabs(z))
    return (1.0 if z > 0.0 else small) / (1.0 + small)


cdef inline double moderated(const Inputs *all) noexcept:
    return all.total / sqrt(1.0 + PI / 8.0 * all.variance)


cdef inline void count_value(
    Belief *belief, double value, Py_ssize_t left, double right, bint positive
) noexcept:
    cdef double change = value - belief.mean
    belief.n += 1.0
    belief.n_positive += positive
    belief.mean += change / belief.n
    belief.deviations += change * (value - belief.mean)
    belief.counts[left + positive] += 1.0 - right
    belief.counts[left + positive + 2] += right


cdef inline double strength_of(const Belief *belief) noexcept:
    cdef double strength = fabs(belief.w) + fabs(belief.v)
    return strength if strength > 0.0 else LEAST_STRENGTH


cdef class EvidenceWeights(FeatureTable):
    """Weights of values and evidence: `evidence.EvidenceWeights`, which has the documentation, in C."""

    cdef double intercept_variance
    cdef double n
    cdef double n_positive
    cdef double smoothing
    cdef double forgetting
    cdef Py_ssize_t n_bins
    cdef bint drops
    # The features seen where a share of them is kept: in a table of their own, as those that have
    # been dropped have no payload.
    cdef FeatureTable seen_table

    def __cinit__(self, *args, **kwargs):
        start_anew(self, 10)
        self.smoothing = 2.0

    def __init__(self, n_bins=10, double smoothing=2.0, double forgetting=0.0, budget=1.0):
        n_bins = check_number(
            "n_bins", n_bins, integer=True, at_least=2, at_most=evidence.MOST_BINS
        )
        self.acquire()
        try:
            self.set_budget(budget)
            start_anew(self, n_bins)
            self.smoothing = smoothing
            self.forgetting = forgetting
            self.drops = self.count or self.share < 1.0
            self.seen_table = FeatureTable() if self.drops and not self.count else None
        finally:
            self.users -= 1

    def __reduce__(self):
        from river_trapezoid.weights import restore

        arguments = self.n_bins, self.smoothing, self.forgetting, self.budget
        return restore, ("EvidenceWeights", *arguments), self.__getstate__()

    def __getstate__(self):
        cdef Py_ssize_t slot, i
        cdef double *numbers
        cdef list pairs = []
        self.users += 1
        try:
            for key, slot in self.kept():
                numbers = <double *>belief_at(self, slot)
                pairs.append((key, [numbers[i] for i in range(8 + 2 * self.n_bins)]))
        finally:
            self.users -= 1
        seen = None if self.seen_table is None else self.seen_table.seen()
        return self.intercept_variance, self.n, self.n_positive, dict(pairs), seen

    def __setstate__(self, state):
        cdef Py_ssize_t slot, i
        cdef double *numbers
        cdef list values
        intercept_variance, n, n_positive, features, seen = state
        cdef list pairs = list(features.items()), names = [] if seen is None else list(seen)
        self.acquire()
        try:
            start_anew(self, self.n_bins)
            self.reserve(len(pairs))
            for key, values in pairs:
                slot = self.add(key)
                numbers = <double *>belief_at(self, slot)
                for i in range(8 + 2 * self.n_bins):
                    numbers[i] = values[i]
                table_set(self, slot, strength_of(belief_at(self, slot)) if self.drops else 1.0)
            if self.seen_table is not None:
                self.seen_table.clear()
                self.seen_table.reserve(len(names))
                for key in names:
                    mark_seen(self.seen_table, self.seen_table.add(key))
            self.intercept_variance, self.n, self.n_positive = intercept_variance, n, n_positive
        finally:
            self.users -= 1

    def __sizeof__(self):
        seen = 0 if self.seen_table is None else self.seen_table.__sizeof__()
        return FeatureTable.__sizeof__(self) + seen

    def __repr__(self):
        return f"EvidenceWeights(budget={self.budget!r}) with {len(self)} features"

    @property
    def n_seen(self):
        """Number of distinct features learned from; None if the budget is a count."""
        if self.count:
            return None
        return self.n_kept if self.seen_table is None else self.seen_table.n_marked

    def to_dict(self):
        """The weights of value and evidence of each feature, as a new dict."""
        cdef Py_ssize_t slot
        self.users += 1
        try:
            pairs = [
                (key, (belief_at(self, slot).w, belief_at(self, slot).v))
                for key, slot in self.kept()
            ]
        finally:
            self.users -= 1
        return dict(pairs)

    def inputs(self, x):
        """Key, z-score, its weight, evidence and its weight, of the features of `x` that are kept."""
        cdef Instance instance
        cdef Inputs inputs
        cdef Input input
        cdef Belief *belief
        cdef Py_ssize_t i
        cdef list result = []
        held = self.read(&instance, x, True)
        self.users += 1
        try:
            read_inputs(self, &instance, 0.0, &inputs)
            try:
                for i in range(instance.n):
                    if is_kept(self, instance.slots[i]):
                        key, input = <object>instance.keys[i], inputs.inputs[len(result)]
                        belief = input.belief
                        result.append((key, input.score, belief.w, input.evidence, belief.v))
            finally:
                inputs_close(&inputs)
        finally:
            self.users -= 1
            instance_close(&instance)
        return result

    def margin(self, x, double intercept):
        """Log-odds of the positive class, averaged over what the weights may be."""
        cdef Instance instance
        cdef Inputs inputs
        held = self.read(&instance, x, False)
        try:
            read_inputs(self, &instance, intercept, &inputs)
            inputs_close(&inputs)
            return moderated(&inputs)
        finally:
            instance_close(&instance)

    def step(self, x, int sign, double intercept):
        """Learn from the features of `x` and a label of -1 or +1; return the new intercept."""
        cdef Instance instance
        cdef Inputs inputs
        cdef Py_ssize_t capacity = self.count
        held = self.read(&instance, x, self.seen_table is not None)
        try:
            self.acquire()
            try:
                self.enter(&instance, False)
                instance.all_found = True
                read_inputs(self, &instance, intercept, &inputs)
                try:
                    if self.seen_table is not None:
                        self.seen_table.see(&instance)
                        capacity = self.capacity_of(self.seen_table.n_marked)
                    intercept = learn(self, &instance, &inputs, intercept, sign == 1)
                finally:
                    inputs_close(&inputs)
                if self.drops:
                    self.truncate(&instance, False, capacity, NULL)
            finally:
                self.users -= 1
        finally:
            instance_close(&instance)
        return intercept


cdef inline Belief *belief_at(EvidenceWeights w, Py_ssize_t slot) noexcept:
    return <Belief *>(w.payloads + slot * w.payload_size)


cdef inline bint is_kept(EvidenceWeights w, Py_ssize_t slot) noexcept:
    return slot >= 0 and w.entries[slot].v != 0.0


cdef int start_anew(EvidenceWeights w, Py_ssize_t n_bins) except -1:
    w.clear()
    w.n_bins = n_bins
    w.payload_size = (8 + 2 * n_bins) * sizeof(double)
    w.intercept_variance = INTERCEPT_VARIANCE
    w.n = w.n_positive = 0.0
    return 0


cdef int read_inputs(EvidenceWeights w, Instance *x, double intercept, Inputs *all) except -1:
    """Find the features of an instance, and what those that are kept say."""
    cdef double smoothing = w.smoothing
    cdef double positives = w.n_positive + 1.0
    cdef double negatives = w.n - w.n_positive + 1.0
    cdef double log_odds = log(positives / negatives)
    cdef double prior_positive = smoothing * positives / (positives + negatives)
    cdef double prior_negative = smoothing * negatives / (positives + negatives)
    cdef double middle = <double>(w.n_bins - 1) / 2.0
    cdef Py_ssize_t last = w.n_bins - 2, n_inputs = 0, n_terms = 1, i, left
    cdef double n, value, change, deviation, variance, score, position, right, back_off
    cdef double negative, positive, term, spread, evidence
    cdef const double *counts
    cdef Belief *belief
    cdef QuickSum total = QuickSum(0.0, 0.0, 0.0), total_variance = QuickSum(0.0, 0.0, 0.0)
    if not x.all_found:
        w.find(x)
    inputs_open(all, x.n)
    cdef Input *inputs = all.inputs
    cdef double *terms = all.terms
    cdef double *variances = all.variances
    terms[0] = intercept
    variances[0] = w.intercept_variance
    quick_add(&total, intercept)
    quick_add(&total_variance, w.intercept_variance)

    # One loop after the other, as divisions, roots and the functions of the mathematical library
    # have a long latency, but overlap where nothing depends on them.
    for i in range(x.n):
        if not is_kept(w, x.slots[i]):
            continue
        belief = belief_at(w, x.slots[i])
        value = clipped(x.values[i], LARGEST_VALUE)
        n = belief.n
        change = value - belief.mean
        deviation = change * n / (n + 1.0)
        variance = (belief.deviations + change * deviation) / (n + 1.0)
        score = deviation / sqrt(variance) if variance != 0.0 else 0.0
        inputs[n_inputs].belief = belief
        inputs[n_inputs].value = value
        inputs[n_inputs].score = clipped(score, LARGEST_SCORE)
        n_inputs += 1
    for i in range(n_inputs):
        inputs[i].right = middle + middle * erf(inputs[i].score * ROOT_HALF)
    for i in range(n_inputs):
        belief = inputs[i].belief
        position = inputs[i].right
        left = <Py_ssize_t>position if position >= 0.0 else 0
        if left > last:
            left = last
        right = inputs[i].right = position - <double>left
        left *= 2
        inputs[i].left = left
        counts = &belief.counts[left]
        n = belief.n
        back_off = smoothing / (n + smoothing)
        negative = counts[0]
        positive = counts[1]
        negative += right * (counts[2] - negative)
        negative += back_off * (n - belief.n_positive + prior_negative)
        positive += right * (counts[3] - positive)
        positive += back_off * (belief.n_positive + prior_positive)
        inputs[i].evidence = positive / negative
    for i in range(n_inputs):
        inputs[i].evidence = log(inputs[i].evidence) - log_odds
    for i in range(n_inputs):
        belief = inputs[i].belief
        score = inputs[i].score
        evidence = inputs[i].evidence
        term = belief.w * score
        spread = belief.w_variance * score * score
        terms[n_terms] = term
        variances[n_terms] = spread
        quick_add(&total, term)
        quick_add(&total_variance, spread)
        term = belief.v * evidence
        spread = belief.v_variance * evidence * evidence
        terms[n_terms + 1] = term
        variances[n_terms + 1] = spread
        quick_add(&total, term)
        quick_add(&total_variance, spread)
        n_terms += 2
    all.n = n_inputs
    all.total = sum_of(&total, terms, n_terms)
    all.variance = sum_of(&total_variance, variances, n_terms)
    return 0


cdef inline double forgotten(double variance, double growth, double prior) noexcept:
    cdef double grown = growth * variance
    return grown if grown < prior else prior


cdef double learn(
    EvidenceWeights w, Instance *x, const Inputs *all, double intercept, bint positive
) noexcept:
    """Move the weights, count the values, and take new features in; return the new intercept."""
    cdef double p = logistic(moderated(all))
    cdef double curvature = max(p * (1.0 - p), LEAST_CURVATURE)
    cdef double shrinkage = curvature / (1.0 + curvature * all.variance)
    cdef double step = (<double>positive - p) / (1.0 + curvature * all.variance)
    cdef double spread = w.intercept_variance, growth = 1.0 + w.forgetting
    cdef Input *input
    cdef Belief *belief
    cdef Py_ssize_t i, slot
    intercept += spread * step
    w.intercept_variance = spread - shrinkage * spread * spread
    for i in range(all.n):
        input = &all.inputs[i]
        belief = input.belief
        spread = belief.w_variance * input.score
        belief.w += spread * step
        belief.w_variance -= shrinkage * spread * spread
        spread = belief.v_variance * input.evidence
        belief.v += spread * step
        belief.v_variance -= shrinkage * spread * spread
        count_value(belief, input.value, input.left, input.right, positive)
    if w.forgetting != 0.0:
        w.intercept_variance = forgotten(w.intercept_variance, growth, INTERCEPT_VARIANCE)
        for i in range(all.n):
            belief = all.inputs[i].belief
            belief.w_variance = forgotten(belief.w_variance, growth, VALUE_VARIANCE)
            belief.v_variance = forgotten(belief.v_variance, growth, EVIDENCE_VARIANCE)

    w.n += 1.0
    w.n_positive += positive
    if all.n == x.n and not w.drops:
        return intercept
    for i in range(x.n):
        slot = x.slots[i]
        belief = belief_at(w, slot)
        if w.entries[slot].v == 0.0:
            memset(belief, 0, w.payload_size)
            belief.w_variance = VALUE_VARIANCE
            belief.v = EVIDENCE_MEAN
            belief.v_variance = EVIDENCE_VARIANCE
            count_value(
                belief,
                clipped(x.values[i], LARGEST_VALUE),
                (w.n_bins - 1) // 2 * 2,
                (w.n_bins - 1) % 2 / 2.0,
                positive,
            )
        table_set(w, slot, strength_of(belief) if w.drops else 1.0)
    return intercept
