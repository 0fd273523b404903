# cython: language_level=3, binding=False, cdivision=True
"""`EvidenceWeights` in C: the same results as `evidence.EvidenceWeights`, to the last bit."""

from numbers import Integral

from cpython.mem cimport PyMem_Free
from cpython.object cimport PyObject, PyTypeObject, visitproc

from river_trapezoid._instance import observed
from river_trapezoid._parameters import check_budget, check_number
from river_trapezoid.weights.evidence import MOST_BINS

__all__ = ["EvidenceWeights"]


cdef class EvidenceWeights:
    """Weights of values and evidence: `evidence.EvidenceWeights`, which has the documentation, in C."""

    cdef Evidence _e
    # How many are at work with the features. Keys may run any code when they are compared, but none
    # that changes these weights meanwhile.
    cdef Py_ssize_t _busy
    cdef readonly object budget
    cdef set _seen

    def __cinit__(self, *args, **kwargs):
        evidence_open(&self._e)
        evidence_set(&self._e, 10, 2.0, 0.0, False)
        self.budget = 1.0

    def __init__(self, n_bins=10, double smoothing=2.0, double forgetting=0.0, budget=1.0):
        check_number("n_bins", n_bins, integer=True, at_least=2, at_most=MOST_BINS)
        check_budget("budget", budget)
        counts = isinstance(budget, Integral)
        self._check_idle()
        self._busy += 1
        try:
            evidence_empty(&self._e)
            evidence_set(&self._e, n_bins, smoothing, forgetting, counts or budget < 1.0)
            self.budget = budget
            self._seen = set() if self._e.drops and not counts else None
        finally:
            self._busy -= 1

    def __dealloc__(self):
        evidence_empty(&self._e)
        PyMem_Free(self._e.table.index)

    def __reduce__(self):
        from river_trapezoid.weights import restore

        arguments = self._e.n_bins, self._e.smoothing, self._e.forgetting, self.budget
        return restore, ("EvidenceWeights", *arguments), self.__getstate__()

    def __getstate__(self):
        cdef Py_ssize_t i, j
        cdef Belief *belief
        cdef list pairs = []
        self._busy += 1
        try:
            for i in range(self._e.table.used):
                if self._e.table.entries[i].v != 0.0:
                    belief = evidence_belief(&self._e, i)
                    state = [
                        belief.n, belief.n_positive, belief.mean, belief.deviations,
                        belief.w, belief.w_variance, belief.v, belief.v_variance,
                    ]
                    state += [belief.counts[j] for j in range(2 * self._e.n_bins)]
                    pairs.append((<object>self._e.table.entries[i].key, state))
        finally:
            self._busy -= 1
        seen = None if self._seen is None else list(self._seen)
        return self._e.intercept_variance, self._e.n, self._e.n_positive, dict(pairs), seen

    def __setstate__(self, state):
        cdef Py_ssize_t i, j
        cdef Belief *belief
        cdef list numbers
        intercept_variance, n, n_positive, features, seen = state
        cdef list pairs = list(features.items())
        self._check_idle()
        self._busy += 1
        try:
            evidence_empty(&self._e)
            evidence_reserve(&self._e, len(pairs))
            for key, numbers in pairs:
                i = table_find_or_add(&self._e.table, key, key_hash(key))
                belief = evidence_belief(&self._e, i)
                (
                    belief.n, belief.n_positive, belief.mean, belief.deviations,
                    belief.w, belief.w_variance, belief.v, belief.v_variance,
                ) = numbers[:8]
                for j in range(2 * self._e.n_bins):
                    belief.counts[j] = numbers[8 + j]
                self._e.table.entries[i].v = belief_strength(belief) if self._e.drops else 1.0
                self._e.n_features += 1
            self._e.intercept_variance, self._e.n, self._e.n_positive = (
                intercept_variance, n, n_positive
            )
        finally:
            self._busy -= 1
        self._seen = None if seen is None else set(seen)

    def __sizeof__(self):
        return object.__sizeof__(self) + evidence_size(&self._e)

    def __len__(self):
        return self._e.n_features

    def __repr__(self):
        return f"EvidenceWeights(budget={self.budget!r}) with {len(self)} features"

    @property
    def n_seen(self):
        """Number of distinct features learned from; None if the budget is a count."""
        if isinstance(self.budget, Integral):
            return None
        return self._e.n_features if self._seen is None else len(self._seen)

    def to_dict(self):
        """The weights of value and evidence of each feature, as a new dict."""
        cdef Py_ssize_t i
        self._busy += 1
        try:
            pairs = [
                (
                    <object>self._e.table.entries[i].key,
                    (evidence_belief(&self._e, i).w, evidence_belief(&self._e, i).v),
                )
                for i in range(self._e.table.used)
                if self._e.table.entries[i].v != 0.0
            ]
        finally:
            self._busy -= 1
        return dict(pairs)

    def inputs(self, x):
        """Key, z-score, its weight, evidence and its weight, of the features of `x` that are kept."""
        cdef Instance instance
        cdef Inputs inputs
        cdef Py_ssize_t i, j = 0
        cdef Belief *belief
        cdef list result = []
        items = self._find(&instance, &inputs, x, True)
        self._busy += 1
        try:
            evidence_read(&self._e, &instance, 0.0, &inputs)
            for i in range(instance.n):
                if instance.numbers[i] >= 0 and self._e.table.entries[instance.numbers[i]].v != 0.0:
                    belief = evidence_belief(&self._e, instance.numbers[i])
                    result.append(
                        (
                            <object>instance.keys[i],
                            inputs.inputs[j].score, belief.w,
                            inputs.inputs[j].evidence, belief.v,
                        )
                    )
                    j += 1
        finally:
            self._busy -= 1
            inputs_close(&inputs)
            instance_close(&instance)
        return result

    def margin(self, x, double intercept):
        """Log-odds of the positive class, averaged over what the weights may be."""
        cdef Instance instance
        cdef Inputs inputs
        cdef double margin
        items = self._find(&instance, &inputs, x, False)
        evidence_read(&self._e, &instance, intercept, &inputs)
        margin = evidence_margin(&inputs)
        inputs_close(&inputs)
        instance_close(&instance)
        return margin

    def step(self, x, int sign, double intercept):
        """Learn from the features of `x` and a label of -1 or +1; return the new intercept."""
        cdef Instance instance
        cdef Inputs inputs
        cdef Py_ssize_t capacity = 0
        self._check_idle()
        self._busy += 1
        try:
            items = self._read(&instance, x, self._seen is not None)
            try:
                evidence_reserve(&self._e, instance.n)
                instance_enter(&instance, &self._e.table, False)
                inputs_open(&inputs, instance.n)
                try:
                    if self._e.drops:
                        capacity = self._see(&instance)
                    evidence_read(&self._e, &instance, intercept, &inputs)
                    intercept = evidence_step(&self._e, &instance, &inputs, intercept, sign == 1)
                finally:
                    inputs_close(&inputs)
                if self._e.drops:
                    evidence_truncate(&self._e, &instance, capacity)
            finally:
                instance_close(&instance)
        finally:
            self._busy -= 1
        return intercept

    cdef int _check_idle(self) except -1:
        if self._busy:
            raise RuntimeError("a key that is being compared must not change the weights")
        return 0

    cdef Py_ssize_t _see(self, const Instance *instance) except -1:
        """Count the features as seen, unless it raises; say how many are to be kept."""
        cdef Py_ssize_t i
        cdef list new
        if self._seen is None:
            # There are never that many features.
            return min(int(self.budget), 2**62)
        new = [
            <object>instance.keys[i]
            for i in range(instance.n)
            if <object>instance.keys[i] not in self._seen
        ]
        try:
            self._seen.update(new)
            return int(self.budget * len(self._seen)) or 1
        except BaseException:
            self._seen.difference_update(new)
            raise

    cdef list _read(self, Instance *instance, x, bint own):
        """Read the observed features. Hold on to what is returned: it may own the keys."""
        if type(x) is dict and instance_read(instance, x, &self._e.table, True, own):
            return None
        return read_items(instance, observed(x))

    cdef list _find(self, Instance *instance, Inputs *inputs, x, bint own):
        """Read the observed features, find those that are kept, and make room for what they say."""
        cdef list items = self._read(instance, x, own)
        self._busy += 1
        try:
            instance_find(instance, &self._e.table)
            inputs_open(inputs, instance.n)
        except BaseException:
            instance_close(instance)
            raise
        finally:
            self._busy -= 1
        return items


cdef int _traverse(PyObject *self, visitproc visit, void *arg) noexcept:
    return (
        table_visit(&(<EvidenceWeights>self)._e.table, visit, arg)
        or collected.traverse(self, visit, arg)
    )


cdef int _clear(PyObject *self) noexcept:
    evidence_empty(&(<EvidenceWeights>self)._e)
    return collected.clear(self)


# A key may refer to whatever holds the weights.
collect(<PyTypeObject *>EvidenceWeights, _traverse, _clear)
