# cython: language_level=3, binding=False, cdivision=True
"""`EvidenceWeights` in C: bit-identical to `evidence.EvidenceWeights`, which has the documentation.

The arithmetic is the same, in the same order.
"""

from libc.math cimport copysign, erf, exp, fabs, log, log1p, sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memset

from cpython.mem cimport PyMem_Free, PyMem_Malloc

from river_trapezoid.weights.compiled._exact_sum cimport QuickSum, is_certain, quick_add, sum_slowly
from river_trapezoid.weights.compiled._feature_table cimport (
    FEW,
    PREFETCH,
    FeatureTable,
    Instance,
    instance_close,
    key_less,
)
from river_trapezoid.weights.compiled.mixture cimport (
    MOST_HEADS,
    MOST_MIXED,
    Mixture,
    logistic,
    moderated,
)
from river_trapezoid.weights.compiled.pairs cimport Pair, PairTable, counts_of

from river_trapezoid.weights import evidence, pairs

__all__ = ["EvidenceWeights"]

cdef double PRIOR_VARIANCE = evidence.PRIOR_VARIANCE
cdef double EVIDENCE_MEAN = evidence.EVIDENCE_MEAN
cdef double HALF_MEAN = evidence.HALF_MEAN
cdef double HALF_EVIDENCE = evidence.HALF_EVIDENCE
cdef double LEAST_CURVATURE = evidence.LEAST_CURVATURE
cdef double LARGEST_SCORE = evidence.LARGEST_SCORE
cdef double LARGEST_APART = evidence.LARGEST_APART
cdef double LARGEST_VALUE = evidence.LARGEST_VALUE
cdef double LEAST_STRENGTH = evidence.LEAST_STRENGTH
cdef double LEAD_MEMORY = evidence.LEAD_MEMORY
cdef double LARGEST_UNIT = pairs.LARGEST_UNIT
cdef extern from *:
    """
    #define ROOT_HALF 0.70710678118654757
    """
    const double ROOT_HALF

cdef enum:
    ON_STACK = 128
    PAIRS_ON_STACK = 48

# What each head looks at, and how much the variances of its weights grow with a label.
cdef bint HAS_VALUES[MOST_HEADS]
cdef bint HAS_EVIDENCE[MOST_HEADS]
cdef double HEAD_GROWTH[MOST_HEADS]
for _h, _head in enumerate(evidence.HEADS):
    HAS_VALUES[_h], HAS_EVIDENCE[_h] = _head.values, _head.evidence
    HEAD_GROWTH[_h] = PRIOR_VARIANCE * _head.forgetting


# What is known of a feature: the payload of its entry.
cdef struct Belief:
    # Given once, for the pairs that it is in, if there are any.
    uint64_t number
    bint paired
    double n
    double mean
    double deviations
    double unit
    double labels[2]
    # The weights of its value in each head and their variances, those of its evidence, the counts.
    double numbers[1]


# What an instance says through one of its features.
cdef struct Input:
    Belief *belief
    Py_ssize_t slot
    double value
    double score
    double evidence
    double says
    double odds
    Py_ssize_t left
    double right


cdef struct PairInput:
    Input *a
    Input *b
    # The number of the pair, -1 if it is not known.
    Py_ssize_t pair
    double evidence


cdef struct Asked:
    Py_ssize_t n
    Input *inputs
    Py_ssize_t n_pairs
    PairInput *pairs
    double totals[MOST_HEADS]
    double variances[MOST_HEADS]
    void *memory
    Input inputs_on_stack[ON_STACK]
    PairInput pairs_on_stack[PAIRS_ON_STACK]


cdef int asked_open(Asked *a, Py_ssize_t n, Py_ssize_t n_pairs) except -1:
    """Make room for what so many features and pairs say."""
    a.n = a.n_pairs = 0
    a.memory = NULL
    a.inputs = a.inputs_on_stack
    a.pairs = a.pairs_on_stack
    if n > ON_STACK or n_pairs > PAIRS_ON_STACK:
        a.memory = PyMem_Malloc(n * sizeof(Input) + n_pairs * sizeof(PairInput))
        if a.memory == NULL:
            raise MemoryError
        a.inputs = <Input *>a.memory
        a.pairs = <PairInput *>(a.inputs + n)
    return 0


cdef inline void asked_close(Asked *a) noexcept:
    if a.memory != NULL:
        PyMem_Free(a.memory)


cdef inline double clipped(double value, double bound) noexcept:
    if value > bound:
        return bound
    return -bound if value < -bound else value


cdef inline double loss(double signed_margin) noexcept:
    return (-signed_margin if signed_margin < 0.0 else 0.0) + log1p(exp(-fabs(signed_margin)))


cdef inline void move(
    double *mean, double *variance, double value, double step, double shrinkage, double growth
) noexcept:
    """Take a step with a weight, of which mean and variance are known."""
    cdef double gain = variance[0] * value
    cdef double shrunk = variance[0] - shrinkage * gain * gain + growth
    mean[0] += gain * step
    variance[0] = shrunk if shrunk < PRIOR_VARIANCE else PRIOR_VARIANCE


cdef inline double between(
    const double *counts, Py_ssize_t row, double below, double right
) noexcept:
    cdef double above = counts[0] + right * (counts[2] - counts[0])
    cdef double under = counts[row] + right * (counts[row + 2] - counts[row])
    return above + below * (under - above)


cdef class EvidenceWeights(FeatureTable):
    """The heads of an evidence learner: `evidence.EvidenceWeights`, with the documentation, in C."""

    cdef readonly Py_ssize_t n_bins
    cdef readonly double smoothing
    cdef readonly double decay
    cdef readonly Py_ssize_t n_paired
    cdef readonly bint mixture
    cdef int n_heads
    cdef bint drops
    cdef double n
    cdef double labels[2]
    cdef double lead
    cdef double intercept_means[MOST_HEADS]
    cdef double intercept_variances[MOST_HEADS]
    cdef Mixture mixed_heads
    # The number of the next feature that is new.
    cdef uint64_t next_number
    cdef PairTable pair_table
    # The features seen where a share of them is kept: in a table of their own, as those that have
    # been dropped have no payload.
    cdef FeatureTable seen_table
    # What was known beside features and pairs when a transaction began, None if there is none.
    cdef tuple before

    def __cinit__(self, *args, **kwargs):
        self.n_bins = self.n_paired = 10
        self.smoothing, self.decay, self.mixture = 2.0, 0.997, True
        self.mixed_heads, self.pair_table = Mixture(), PairTable()
        start_anew(self)

    def __init__(
        self,
        n_bins=10,
        smoothing=2.0,
        decay=0.997,
        n_paired=10,
        max_pairs=1000,
        mixture=True,
        budget=1.0,
    ):
        # The one that checks.
        checked = evidence.EvidenceWeights(
            n_bins, smoothing, decay, n_paired, max_pairs, mixture, budget
        )
        self.acquire()
        try:
            self.set_budget(checked.budget)
            self.n_bins, self.n_paired = checked.n_bins, checked.n_paired
            self.smoothing, self.decay = checked.smoothing, checked.decay
            self.mixture = checked.mixture
            self.pair_table = PairTable(checked.max_pairs, checked.n_bins)
            self.drops = self.count or self.share < 1.0
            self.seen_table = FeatureTable() if self.drops and not self.count else None
            start_anew(self)
        finally:
            self.users -= 1

    def __reduce__(self):
        from river_trapezoid.weights import restore

        arguments = {name: getattr(self, name) for name in evidence.ARGUMENTS}
        return restore, ("EvidenceWeights", arguments), self.__getstate__()

    def __getstate__(self):
        cdef Py_ssize_t slot, i, number = self.pair_table.oldest
        cdef Py_ssize_t cells = 2 * self.n_bins * self.n_bins
        cdef double *numbers
        cdef Pair *pair
        cdef list features = [], known = []
        cdef dict names = {}
        self.users += 1
        try:
            for key, slot in self.kept():
                numbers = &belief_at(self, slot).n
                names[belief_at(self, slot).number] = key
                features.append((key, [numbers[i] for i in range(n_numbers(self))]))
            while number >= 0:
                pair = &self.pair_table.pairs[number]
                numbers = counts_of(self.pair_table, number)
                counts = [numbers[i] for i in range(cells)]
                known.append((names[pair.a], names[pair.b], [pair.w, pair.variance, pair.unit, *counts]))
                number = pair.newer
        finally:
            self.users -= 1
        seen = None if self.seen_table is None else self.seen_table.seen()
        return numbers_of(self), self.mixed_heads.to_list(), dict(features), seen, known

    def __setstate__(self, state):
        cdef Py_ssize_t slot, i, j, number
        cdef double *numbers
        cdef list values
        cdef Pair *pair
        numbers_of_all, mixed, features, seen, known = evidence.checked_state(
            state, self.n_heads, self.n_bins
        )
        cdef list items = list(features.items()), names = [] if seen is None else list(seen)
        numbers_of_all, mixed = list(numbers_of_all), list(mixed)
        self.acquire()
        try:
            start_anew(self)
            self.reserve(len(items))
            for key, values in items:
                slot = self.add(key)
                numbers = &belief_at(self, slot).n
                for i in range(n_numbers(self)):
                    numbers[i] = values[i]
                start_belief(self, belief_at(self, slot))
                self.put(slot, strength_of(self, belief_at(self, slot)) if self.drops else 1.0)
            if self.seen_table is not None:
                self.seen_table.clear()
                self.seen_table.reserve(len(names))
                for key in names:
                    self.seen_table.see_slot(self.seen_table.add(key))
            self.pair_table.reserve(len(known))
            for a, b, values in known:
                i, j = self.slot(a), self.slot(b)
                if i < 0 or j < 0:
                    raise ValueError(f"the pair of {a!r} and {b!r} has a feature that is not known")
                belief_at(self, i).paired = belief_at(self, j).paired = True
                number = self.pair_table.touch(belief_at(self, i).number, belief_at(self, j).number)
                pair = &self.pair_table.pairs[number]
                pair.w, pair.variance, pair.unit = values[:3]
                numbers = counts_of(self.pair_table, number)
                for i in range(2 * self.n_bins * self.n_bins):
                    numbers[i] = values[3 + i]
            set_numbers(self, numbers_of_all)
            self.mixed_heads.fill(mixed)
        finally:
            self.users -= 1

    def begin(self, columns):
        """Remember what is known until `commit` or `rollback`; return whether nobody else does yet."""
        if self.before is not None:
            return False
        self.acquire()
        try:
            # Whatever the columns are, only the features of the rows need room for what is known.
            self.open_journal(None)
            try:
                if self.seen_table is not None:
                    self.seen_table.open_journal(None)
                self.pair_table.begin()
                self.before = (
                    *(self._budget, self.count, self.share, self.next_number),
                    *(numbers_of(self), self.mixed_heads.to_list()),
                )
            except BaseException:
                forget_begin(self)
                raise
        finally:
            self.users -= 1
        return True

    def commit(self):
        """Forget what was known."""
        forget_begin(self)

    def rollback(self):
        """Bring everything back to what was known at `begin`."""
        if self.before is None:
            return
        self.acquire()
        try:
            self.restore()
            if self.seen_table is not None:
                self.seen_table.restore()
            self.pair_table.rollback()
            # No memory is needed for anything here, as that may be what is missing.
            self._budget, self.count, self.share = self.before[0], self.before[1], self.before[2]
            self.next_number = self.before[3]
            set_numbers(self, self.before[4])
            self.mixed_heads.fill(self.before[5])
            forget_begin(self)
        finally:
            self.users -= 1

    def __sizeof__(self):
        seen = 0 if self.seen_table is None else self.seen_table.__sizeof__()
        return FeatureTable.__sizeof__(self) + seen + self.pair_table.__sizeof__()

    def __repr__(self):
        return f"EvidenceWeights(budget={self.budget!r}) with {len(self)} features"

    @property
    def max_pairs(self):
        return self.pair_table.most

    @property
    def n_seen(self):
        """Number of distinct features learned from; None if the budget is a count."""
        if self.count:
            return None
        return self.n_kept if self.seen_table is None else self.seen_table.n_marked

    @property
    def n_pairs(self):
        """Number of pairs of features that are known."""
        return self.pair_table.n_known

    @property
    def intercept(self):
        """The intercept of the first head."""
        return self.intercept_means[0]

    @intercept.setter
    def intercept(self, double value):
        self.intercept_means[0] = value

    @property
    def intercepts(self):
        """Mean and variance of the intercept of each head."""
        cdef Py_ssize_t h
        return [[self.intercept_means[h], self.intercept_variances[h]] for h in range(self.n_heads)]

    @property
    def log_odds(self):
        """Log-odds of the positive label among all labels, of which old ones may have decayed."""
        return log((self.labels[1] + 1.0) / (self.labels[0] + 1.0))

    def to_dict(self):
        """The weights of value and evidence of each feature in the first head, as a new dict."""
        cdef Py_ssize_t slot
        cdef double *numbers
        cdef double mean = evidence_mean(self)
        cdef list pairs = []
        self.users += 1
        try:
            for key, slot in self.kept():
                numbers = belief_at(self, slot).numbers
                pairs.append((key, (numbers[0], mean + numbers[2 * self.n_heads])))
        finally:
            self.users -= 1
        return dict(pairs)

    def head(self, int head):
        """What a head is."""
        return evidence.HEADS[: self.n_heads][head]

    def inputs(self, x, int head=0):
        """Key, z-score, its weight, evidence and its weight, of the features of `x` that are kept."""
        cdef Instance instance
        cdef Asked asked
        cdef Input *input
        cdef double *numbers
        cdef Py_ssize_t i
        cdef list result = []
        cdef double mean = evidence_mean(self) if self.head(head).evidence else 0.0
        held = self.read(&instance, x, True)
        self.users += 1
        try:
            ask(self, &instance, &asked)
            try:
                for i in range(asked.n):
                    input = &asked.inputs[i]
                    numbers = input.belief.numbers
                    result.append(
                        (
                            <object>self.entries[input.slot].key,
                            input.score,
                            numbers[head],
                            input.evidence,
                            mean + numbers[2 * self.n_heads + head],
                        )
                    )
            finally:
                asked_close(&asked)
        finally:
            self.users -= 1
            instance_close(&instance)
        return result

    def pairs(self, x):
        """Both keys, evidence and its weight, of the pairs of `x` that are known."""
        cdef Instance instance
        cdef Asked asked
        cdef PairInput *pair
        cdef Py_ssize_t i
        cdef list result = []
        held = self.read(&instance, x, True)
        self.users += 1
        try:
            ask(self, &instance, &asked)
            try:
                for i in range(asked.n_pairs):
                    pair = &asked.pairs[i]
                    if pair.pair >= 0:
                        result.append(
                            (
                                <object>self.entries[pair.a.slot].key,
                                <object>self.entries[pair.b.slot].key,
                                pair.evidence,
                                self.pair_table.pairs[pair.pair].w,
                            )
                        )
            finally:
                asked_close(&asked)
        finally:
            self.users -= 1
            instance_close(&instance)
        return result

    def heads(self, x):
        """Name, margin before moderation, its variance, and share in the mixture, of each head."""
        cdef Asked asked
        cdef Py_ssize_t h
        ask_only(self, x, &asked)
        return [
            (head.name, asked.totals[h], asked.variances[h], self.mixed_heads.shares[h])
            for h, head in enumerate(evidence.HEADS[: self.n_heads])
        ]

    def mixed(self, x):
        """Name, value and share of each input of the mixture."""
        cdef Asked asked
        cdef double inputs[MOST_MIXED]
        cdef Py_ssize_t i
        ask_only(self, x, &asked)
        read_heads(self, &asked, inputs)
        names = [head.name for head in evidence.HEADS[: self.n_heads]] + evidence.OTHER_INPUTS
        return [(name, inputs[i], self.mixed_heads.shares[i]) for i, name in enumerate(names)]

    def margin(self, x):
        """Log-odds of the positive class, averaged over what the weights may be."""
        cdef Asked asked
        cdef double inputs[MOST_MIXED]
        ask_only(self, x, &asked)
        if not self.mixture:
            return moderated(asked.totals[0], asked.variances[0])
        read_heads(self, &asked, inputs)
        return self.mixed_heads.margin(inputs)

    def learn(self, x, int sign, double weight=1.0):
        """Learn from the features of `x` and a label of -1 or +1."""
        cdef Instance instance
        cdef Asked asked
        cdef Py_ssize_t capacity = self.count, most = 0
        cdef Py_ssize_t *lost = NULL
        held = self.read(&instance, x, self.seen_table is not None)
        try:
            self.acquire()
            try:
                self.enter(&instance, False)
                if weight == 0.0:
                    return
                instance.all_found = True
                ask(self, &instance, &asked)
                try:
                    self.pair_table.reserve(asked.n_pairs)
                    if self.drops:
                        # Not more are lost than there are.
                        most = self.n_kept + instance.n
                        lost = <Py_ssize_t *>PyMem_Malloc((most + 1) * sizeof(Py_ssize_t))
                        if lost == NULL:
                            raise MemoryError
                    if self.seen_table is not None:
                        self.seen_table.see(&instance)
                        capacity = self.capacity_of(self.seen_table.n_marked)
                    take_step(self, &instance, &asked, sign == 1, weight)
                    if self.drops:
                        drop(self, &instance, capacity, lost)
                    self.pair_table.truncate()
                finally:
                    asked_close(&asked)
                    PyMem_Free(lost)
            finally:
                self.users -= 1
        finally:
            instance_close(&instance)


cdef list numbers_of(EvidenceWeights w):
    """What is known beside features, pairs and the mixture."""
    cdef Py_ssize_t i
    numbers = [w.n, w.labels[0], w.labels[1], w.lead]
    for i in range(w.n_heads):
        numbers += [w.intercept_means[i], w.intercept_variances[i]]
    return numbers


cdef int set_numbers(EvidenceWeights w, list numbers) except -1:
    cdef Py_ssize_t i
    w.n, w.labels[0], w.labels[1], w.lead = numbers[0], numbers[1], numbers[2], numbers[3]
    for i in range(w.n_heads):
        w.intercept_means[i] = numbers[4 + 2 * i]
        w.intercept_variances[i] = numbers[5 + 2 * i]
    return 0


cdef void forget_begin(EvidenceWeights w) noexcept:
    w.forget_changes()
    if w.seen_table is not None:
        w.seen_table.forget_changes()
    w.pair_table.commit()
    w.before = None


cdef inline Belief *belief_at(EvidenceWeights w, Py_ssize_t slot) noexcept:
    return <Belief *>(w.payloads + slot * w.payload_size)


cdef inline Py_ssize_t n_numbers(EvidenceWeights w) noexcept:
    """Number of doubles that are known of a feature."""
    return 6 + 4 * w.n_heads + 2 * w.n_bins


cdef inline double evidence_mean(EvidenceWeights w) noexcept:
    return EVIDENCE_MEAN * (w.n / (w.n + HALF_MEAN))


cdef inline double strength_of(EvidenceWeights w, const Belief *belief) noexcept:
    cdef double strength = fabs(belief.numbers[0]) + fabs(
        EVIDENCE_MEAN + belief.numbers[2 * w.n_heads]
    )
    return strength if strength > 0.0 else LEAST_STRENGTH


cdef void start_belief(EvidenceWeights w, Belief *belief) noexcept:
    belief.number = w.next_number
    belief.paired = False
    w.next_number += 1


cdef int start_anew(EvidenceWeights w) except -1:
    cdef Py_ssize_t i
    w.clear()
    w.pair_table.clear()
    w.before = None
    w.n_heads = (5 if w.n_paired else 4) if w.mixture else 1
    # A belief has one of the doubles already.
    w.payload_size = sizeof(Belief) + (n_numbers(w) - 7) * sizeof(double)
    w.n = w.lead = 0.0
    w.labels[0] = w.labels[1] = 0.0
    w.mixed_heads.start(w.n_heads)
    for i in range(w.n_heads):
        w.intercept_means[i] = 0.0
        w.intercept_variances[i] = PRIOR_VARIANCE
    return 0


cdef int ask_only(EvidenceWeights w, x, Asked *asked) except -1:
    """What the heads say to an instance. Of the features and pairs nothing is left."""
    cdef Instance instance
    held = w.read(&instance, x, False)
    try:
        ask(w, &instance, asked)
        asked_close(asked)
    finally:
        instance_close(&instance)
    return 0


cdef int ask(EvidenceWeights w, Instance *x, Asked *asked) except -1:
    """What the features say, what pairs of them say, and mean and variance of each head."""
    cdef Py_ssize_t most_paired = min(x.n, w.n_paired) if w.n_heads == MOST_HEADS else 0
    cdef int h
    if not x.all_found:
        w.find(x)
    asked_open(asked, x.n, most_paired * (most_paired - 1) // 2)
    try:
        read_inputs(w, x, asked)
        if w.n_heads == MOST_HEADS:
            read_pairs(w, asked)
        for h in range(w.n_heads):
            ask_head(w, asked, h)
    except BaseException:
        asked_close(asked)
        raise
    return 0


cdef void read_inputs(EvidenceWeights w, const Instance *x, Asked *asked) noexcept:
    """What the known features say."""
    cdef double smoothing = w.smoothing
    cdef double negatives = w.labels[0] + 1.0, positives = w.labels[1] + 1.0
    cdef double log_odds = log(positives / negatives)
    cdef double prior_positive = smoothing * positives / (positives + negatives)
    cdef double prior_negative = smoothing * negatives / (positives + negatives)
    cdef double belief_in_evidence = w.n / (w.n + HALF_EVIDENCE)
    cdef double middle = <double>(w.n_bins - 1) / 2.0
    cdef Py_ssize_t last = w.n_bins - 2, n = 0, i, slot, left, start = 4 * w.n_heads
    cdef double observations, value, change, deviation, variance, score, position, right
    cdef double negative, positive, worth, back_off
    cdef const double *counts
    cdef Belief *belief
    cdef Input *input
    cdef Input *inputs = asked.inputs
    if w.used > FEW:
        for i in range(x.n):
            if x.slots[i] >= 0:
                belief = belief_at(w, x.slots[i])
                PREFETCH(belief)
                PREFETCH(&belief.numbers[2])
                PREFETCH(&belief.numbers[10])
                PREFETCH(&belief.numbers[start + w.n_bins])
    # One loop after the other, as divisions, roots and the functions of the mathematical library
    # have a long latency, but overlap where nothing depends on them.
    for i in range(x.n):
        slot = x.slots[i]
        if slot < 0 or w.entries[slot].v == 0.0:
            continue
        belief = belief_at(w, slot)
        value = clipped(x.values[i], LARGEST_VALUE)
        observations = belief.n
        change = value - belief.mean
        deviation = change * observations / (observations + 1.0)
        variance = (belief.deviations + change * deviation) / (observations + 1.0)
        score = deviation / sqrt(variance) if variance > 0.0 else 0.0
        input = &inputs[n]
        input.belief = belief
        input.slot = slot
        input.value = value
        input.score = clipped(score, LARGEST_SCORE)
        n += 1
    for i in range(n):
        inputs[i].right = middle + middle * erf(inputs[i].score * ROOT_HALF)
    for i in range(n):
        input = &inputs[i]
        belief = input.belief
        position = input.right
        left = <Py_ssize_t>position
        if left > last:
            left = last
        right = input.right = position - <double>left
        left *= 2
        input.left = left
        counts = &belief.numbers[start + left]
        worth = smoothing * belief.unit
        back_off = worth / (belief.labels[0] + belief.labels[1] + worth)
        negative = counts[0]
        positive = counts[1]
        negative += right * (counts[2] - negative)
        negative += back_off * (belief.labels[0] + belief.unit * prior_negative)
        positive += right * (counts[3] - positive)
        positive += back_off * (belief.labels[1] + belief.unit * prior_positive)
        input.odds = positive / negative
    for i in range(n):
        inputs[i].says = log(inputs[i].odds) - log_odds
        inputs[i].evidence = belief_in_evidence * inputs[i].says
    asked.n = n


cdef int read_pairs(EvidenceWeights w, Asked *asked) except -1:
    """The pairs of the strongest features, what is known of them, and their evidence."""
    cdef Input *strongest[100]
    cdef double strengths[100]
    cdef Py_ssize_t n = 0, i, j, place, row = 2 * w.n_bins
    cdef double strength, apart, odds, prior
    cdef double negatives = w.labels[0] + 1.0, positives = w.labels[1] + 1.0
    cdef double log_odds = log(positives / negatives), against = negatives / positives
    cdef double belief_in_evidence = w.n / (w.n + HALF_EVIDENCE)
    cdef PairTable table = w.pair_table
    cdef Input *input
    cdef Input *a
    cdef Input *b
    cdef PairInput *pair
    cdef const double *counts
    for i in range(asked.n):
        input = &asked.inputs[i]
        strength = strength_of(w, input.belief)
        if n == w.n_paired:
            if not is_stronger(w, input, strength, strongest[n - 1], strengths[n - 1]):
                continue
            n -= 1
        j = n
        while j > 0 and is_stronger(w, input, strength, strongest[j - 1], strengths[j - 1]):
            strongest[j] = strongest[j - 1]
            strengths[j] = strengths[j - 1]
            j -= 1
        strongest[j] = input
        strengths[j] = strength
        n += 1
    # By key.
    for i in range(1, n):
        input = strongest[i]
        j = i
        while j > 0 and key_less(
            w.entries[input.slot].key, w.entries[strongest[j - 1].slot].key
        ):
            strongest[j] = strongest[j - 1]
            j -= 1
        strongest[j] = input
    pair = asked.pairs
    for i in range(n):
        for j in range(i + 1, n):
            pair.a, pair.b = strongest[i], strongest[j]
            pair.pair = table.find(strongest[i].belief.number, strongest[j].belief.number)
            pair.evidence = 0.0
            pair += 1
    asked.n_pairs = pair - asked.pairs
    for i in range(asked.n_pairs):
        pair = &asked.pairs[i]
        if pair.pair >= 0:
            counts = counts_of(table, pair.pair) + pair.a.left * w.n_bins + pair.b.left
            PREFETCH(counts)
            PREFETCH(counts + row)
    for i in range(asked.n_pairs):
        pair = &asked.pairs[i]
        if pair.pair < 0:
            continue
        a, b = pair.a, pair.b
        apart = log_odds + a.says + b.says
        odds = a.odds * b.odds * against
        if not -LARGEST_APART <= apart <= LARGEST_APART:
            apart = copysign(LARGEST_APART, apart)
            odds = exp(apart)
        place = a.left * w.n_bins + b.left
        counts = counts_of(table, pair.pair) + place
        prior = w.smoothing * table.pairs[pair.pair].unit / (1.0 + odds)
        pair.evidence = belief_in_evidence * (
            log(
                (between(counts + 1, row, a.right, b.right) + prior * odds)
                / (between(counts, row, a.right, b.right) + prior)
            )
            - apart
        )
    return 0


cdef inline bint is_stronger(
    EvidenceWeights w, Input *input, double strength, Input *other, double other_strength
) except -1:
    if strength != other_strength:
        return strength > other_strength
    return key_less(w.entries[input.slot].key, w.entries[other.slot].key)


cdef int ask_head(EvidenceWeights w, Asked *asked, int h) except -1:
    """Mean and variance of what a head says."""
    cdef bint values = HAS_VALUES[h], evident = HAS_EVIDENCE[h]
    cdef Py_ssize_t n_heads = w.n_heads, i, n = 1
    cdef double mean = evidence_mean(w), input
    cdef const double *numbers
    cdef Pair *pair
    cdef QuickSum total = QuickSum(0.0, 0.0, 0.0), variance = QuickSum(0.0, 0.0, 0.0)
    quick_add(&total, w.intercept_means[h])
    quick_add(&variance, w.intercept_variances[h])
    for i in range(asked.n):
        numbers = asked.inputs[i].belief.numbers + h
        if values:
            input = asked.inputs[i].score
            quick_add(&total, numbers[0] * input)
            quick_add(&variance, numbers[n_heads] * input * input)
        if evident:
            input = asked.inputs[i].evidence
            quick_add(&total, (mean + numbers[2 * n_heads]) * input)
            quick_add(&variance, numbers[3 * n_heads] * input * input)
    n += asked.n * (values + evident)
    if h == MOST_HEADS - 1:
        for i in range(asked.n_pairs):
            if asked.pairs[i].pair >= 0:
                pair = &w.pair_table.pairs[asked.pairs[i].pair]
                input = asked.pairs[i].evidence
                quick_add(&total, pair.w * input)
                quick_add(&variance, pair.variance * input * input)
                n += 1
    if not (
        is_certain(&total, n, &asked.totals[h]) & is_certain(&variance, n, &asked.variances[h])
    ):
        ask_slowly(w, asked, h)
    return 0


cdef int ask_slowly(EvidenceWeights w, Asked *asked, int h) except -1:
    """As `ask_head`, where sums are hard to round."""
    cdef Py_ssize_t n_heads = w.n_heads, i, n = 1, most = 1 + 2 * asked.n + asked.n_pairs
    cdef double mean = evidence_mean(w), input
    cdef const double *numbers
    cdef Pair *pair
    cdef double *terms = <double *>PyMem_Malloc(2 * most * sizeof(double))
    cdef double *variances = terms + most
    if terms == NULL:
        raise MemoryError
    try:
        terms[0] = w.intercept_means[h]
        variances[0] = w.intercept_variances[h]
        for i in range(asked.n):
            numbers = asked.inputs[i].belief.numbers + h
            if HAS_VALUES[h]:
                input = asked.inputs[i].score
                terms[n] = numbers[0] * input
                variances[n] = numbers[n_heads] * input * input
                n += 1
            if HAS_EVIDENCE[h]:
                input = asked.inputs[i].evidence
                terms[n] = (mean + numbers[2 * n_heads]) * input
                variances[n] = numbers[3 * n_heads] * input * input
                n += 1
        if h == MOST_HEADS - 1:
            for i in range(asked.n_pairs):
                if asked.pairs[i].pair >= 0:
                    pair = &w.pair_table.pairs[asked.pairs[i].pair]
                    input = asked.pairs[i].evidence
                    terms[n] = pair.w * input
                    variances[n] = pair.variance * input * input
                    n += 1
        asked.totals[h] = sum_slowly(terms, n)
        asked.variances[h] = sum_slowly(variances, n)
    finally:
        PyMem_Free(terms)
    return 0


cdef void read_heads(EvidenceWeights w, const Asked *asked, double *inputs) noexcept:
    """The inputs of the mixture, given what the heads say."""
    cdef double heads[MOST_HEADS]
    cdef int h
    for h in range(w.n_heads):
        heads[h] = moderated(asked.totals[h], asked.variances[h])
    w.mixed_heads.read(heads, inputs)


cdef void take_step(
    EvidenceWeights w, Instance *x, Asked *asked, bint positive, double weight
) noexcept:
    """Move all weights, count the values, and take new features and pairs in."""
    cdef double inputs[MOST_MIXED]
    cdef double sign = 1.0 if positive else -1.0, decay = 1.0, lead
    cdef int h
    cdef Py_ssize_t i, slot, n_heads = w.n_heads
    cdef Belief *belief
    cdef double *numbers
    if w.mixture:
        # Counts decay while the head that forgets is ahead.
        lead = loss(sign * moderated(asked.totals[0], asked.variances[0])) - loss(
            sign * moderated(asked.totals[1], asked.variances[1])
        )
        w.lead = LEAD_MEMORY * w.lead + (1.0 - LEAD_MEMORY) * lead
        if w.lead > 0.0:
            decay = w.decay
        read_heads(w, asked, inputs)
        w.mixed_heads.learn(inputs, positive, weight)
    for h in range(w.n_heads):
        step_head(w, asked, h, positive, weight)

    w.n += weight
    w.labels[0] *= decay
    w.labels[1] *= decay
    w.labels[positive] += weight
    for i in range(asked.n):
        count_value(
            w,
            asked.inputs[i].belief,
            asked.inputs[i].value,
            asked.inputs[i].left,
            asked.inputs[i].right,
            positive,
            decay,
            weight,
        )
    for i in range(asked.n_pairs):
        count_pair(w, &asked.pairs[i], positive, decay, weight)
    if asked.n == x.n and not w.drops:
        return
    for i in range(x.n):
        slot = x.slots[i]
        belief = belief_at(w, slot)
        if w.entries[slot].v == 0.0:
            memset(belief, 0, w.payload_size)
            start_belief(w, belief)
            belief.unit = 1.0
            numbers = belief.numbers
            for h in range(n_heads):
                numbers[n_heads + h] = numbers[3 * n_heads + h] = PRIOR_VARIANCE
            count_value(
                w,
                belief,
                clipped(x.values[i], LARGEST_VALUE),
                (w.n_bins - 1) // 2 * 2,
                (w.n_bins - 1) % 2 / 2.0,
                positive,
                decay,
                weight,
            )
        w.put(slot, strength_of(w, belief) if w.drops else 1.0)


cdef void step_head(
    EvidenceWeights w, Asked *asked, int h, bint positive, double weight
) noexcept:
    cdef double p = logistic(asked.totals[h]), variance = asked.variances[h]
    cdef double curvature = weight * max(p * (1.0 - p), LEAST_CURVATURE)
    cdef double shrinkage = curvature / (1.0 + curvature * variance)
    cdef double step = weight * (<double>positive - p) / (1.0 + curvature * variance)
    cdef double growth = HEAD_GROWTH[h]
    cdef Py_ssize_t n_heads = w.n_heads, i
    cdef double *numbers
    cdef Pair *pair
    move(&w.intercept_means[h], &w.intercept_variances[h], 1.0, step, shrinkage, growth)
    for i in range(asked.n):
        numbers = asked.inputs[i].belief.numbers + h
        if HAS_VALUES[h]:
            move(&numbers[0], &numbers[n_heads], asked.inputs[i].score, step, shrinkage, growth)
        if HAS_EVIDENCE[h]:
            move(
                &numbers[2 * n_heads],
                &numbers[3 * n_heads],
                asked.inputs[i].evidence,
                step,
                shrinkage,
                growth,
            )
    if h == MOST_HEADS - 1:
        for i in range(asked.n_pairs):
            if asked.pairs[i].pair >= 0:
                pair = &w.pair_table.pairs[asked.pairs[i].pair]
                move(&pair.w, &pair.variance, asked.pairs[i].evidence, step, shrinkage, growth)


cdef void count_value(
    EvidenceWeights w,
    Belief *belief,
    double value,
    Py_ssize_t left,
    double right,
    bint positive,
    double decay,
    double weight,
) noexcept:
    """Let the counts of a feature decay, then count a value."""
    cdef double change
    cdef double *counts = &belief.numbers[4 * w.n_heads]
    cdef Py_ssize_t i
    if belief.n == 0.0:
        belief.mean = value
    belief.n += weight
    change = value - belief.mean
    belief.mean += weight * change / belief.n
    belief.deviations += weight * change * (value - belief.mean)
    belief.unit /= decay
    if belief.unit > LARGEST_UNIT:
        belief.labels[0] /= belief.unit
        belief.labels[1] /= belief.unit
        for i in range(2 * w.n_bins):
            counts[i] /= belief.unit
        belief.unit = 1.0
    weight *= belief.unit
    belief.labels[positive] += weight
    counts += left + positive
    counts[0] += weight * (1.0 - right)
    counts[2] += weight * right


cdef void count_pair(
    EvidenceWeights w, PairInput *input, bint positive, double decay, double weight
) noexcept:
    """Let the counts of a pair decay, then count an instance."""
    cdef Belief *a = input.a.belief
    cdef Belief *b = input.b.belief
    cdef Py_ssize_t number = w.pair_table.touch(a.number, b.number), row = 2 * w.n_bins, i
    cdef Pair *pair = &w.pair_table.pairs[number]
    cdef double *counts = counts_of(w.pair_table, number)
    cdef double below = input.a.right, right = input.b.right, above, under
    a.paired = b.paired = True
    pair.unit /= decay
    if pair.unit > LARGEST_UNIT:
        for i in range(row * w.n_bins):
            counts[i] /= pair.unit
        pair.unit = 1.0
    weight *= pair.unit
    above = weight * (1.0 - below)
    under = weight * below
    counts += input.a.left * w.n_bins + input.b.left + positive
    counts[0] += above * (1.0 - right)
    counts[2] += above * right
    counts[row] += under * (1.0 - right)
    counts[row + 2] += under * right


cdef int drop(
    EvidenceWeights w, const Instance *x, Py_ssize_t capacity, Py_ssize_t *lost
) except -1:
    """Drop all but the strongest features, and their pairs."""
    cdef Py_ssize_t n = w.truncate(x, False, capacity, NULL, lost), n_paired = 0, i
    # The slots of the lost are overwritten by the numbers of those that were paired.
    cdef uint64_t *numbers = <uint64_t *>lost
    for i in range(n):
        if belief_at(w, lost[i]).paired:
            numbers[n_paired] = belief_at(w, lost[i]).number
            n_paired += 1
    w.pair_table.drop(numbers, n_paired)
    return 0
