# cython: language_level=3, binding=False, cdivision=True
"""`SparseWeights` in C: the same results as `sparse.SparseWeights`, to the last bit."""

from numbers import Integral

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport uint64_t

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject, visitproc

from river_trapezoid._instance import observed
from river_trapezoid._parameters import check_budget, check_choice
from river_trapezoid.weights.order import in_order
from river_trapezoid.weights.passive_aggressive import pa_step as plain_pa_step
from river_trapezoid.weights.sparse import _dot_of_huge, _out_of_range

__all__ = ["SparseWeights"]


cdef class SparseWeights:
    """A sparse weight vector: `sparse.SparseWeights`, which has the documentation, in C."""

    def __cinit__(self):
        weights_open(&self._w)

    def __init__(self, budget=1.0, norm=1):
        check_budget("budget", budget)
        check_choice("norm", norm, (0, 1, 2))
        self._check_idle()
        self._busy += 1
        try:
            weights_empty(&self._w)
            self._w.scale = 1.0
            self._w.order = norm
            self._w.counts_features = not isinstance(budget, Integral)
            self.budget = budget
        finally:
            self._busy -= 1

    def __dealloc__(self):
        weights_empty(&self._w)
        PyMem_Free(self._w.table.index)

    def __reduce__(self):
        from river_trapezoid.weights import restore

        return restore, ("SparseWeights", self._budget, self._w.order), self.__getstate__()

    def __getstate__(self):
        cdef Py_ssize_t i
        cdef list seen = None
        self._busy += 1
        try:
            if self._w.counts_features:
                seen = [
                    <object>self._w.table.entries[i].key
                    for i in range(self._w.table.used)
                    if self._w.table.entries[i].hash & SEEN
                ]
            return self._w.scale, self._w.power_sum, self._w.drift, self._times(1.0), seen
        finally:
            self._busy -= 1

    def __setstate__(self, state):
        cdef Py_ssize_t i
        scale, power_sum, drift, v, seen = state
        cdef list weights = list(v.items())
        self._check_idle()
        self._busy += 1
        try:
            weights_empty(&self._w)
            for i in self._enter([] if seen is None else list(seen), len(weights)):
                weights_see(&self._w, i)
            for key, weight in weights:
                if not isfinite(weight):
                    raise ValueError(f"the weight of {key!r} is not finite")
                i = table_find_or_add(&self._w.table, key, key_hash(key))
                weights_set(&self._w, i, weight)
            self._w.scale, self._w.power_sum, self._w.drift = scale, power_sum, drift
        finally:
            self._busy -= 1

    def __sizeof__(self):
        return object.__sizeof__(self) + weights_size(&self._w)

    def __len__(self):
        return self._w.n_weights

    def __contains__(self, key):
        return self._v(key) != 0.0

    def __repr__(self):
        return (
            f"SparseWeights(budget={self.budget!r}, norm={self.order!r}) with {len(self)} weights"
        )

    @property
    def budget(self):
        return self._budget

    @budget.setter
    def budget(self, value):
        # There are never that many features.
        self._count = 0 if self._w.counts_features else max(0, min(int(value), 2**62))
        self._share = value if self._w.counts_features and type(value) is float else 0.0
        self._budget = value

    @property
    def order(self):
        return self._w.order

    @property
    def norm(self):
        """The norm of the weights, of the order given to the constructor."""
        return weights_norm(&self._w)

    @property
    def n_seen(self):
        """Number of distinct features given to `observe`; None if the budget is a count."""
        return self._w.n_seen if self._w.counts_features else None

    @property
    def capacity(self):
        """Number of weights that are kept."""
        if self._w.counts_features:
            return int(self._budget * self._w.n_seen) or 1
        return int(self._budget)

    def get(self, key):
        """Weight of a feature; zero if it has none."""
        return self._w.scale * self._v(key)

    def to_dict(self):
        """The weights other than zero, as a new dict."""
        return self._times(self._w.scale)

    def frame(self, x):
        """Number of features to draw from once `x` is observed, and how many of them to keep."""
        cdef Py_ssize_t i, n_features
        if not self._w.counts_features:
            return len(x), min(self.capacity, len(x))
        n_features = self._w.n_seen
        for key in x:
            i = table_find(&self._w.table, key, key_hash(key))
            n_features += i < 0 or not self._w.table.entries[i].hash & SEEN
        return n_features, int(self._budget * n_features) or 1

    def observe(self, x):
        """Count the features of `x` as seen."""
        cdef Py_ssize_t i
        if self._w.counts_features:
            self._check_idle()
            self._busy += 1
            try:
                for i in self._enter(list(x)):
                    weights_see(&self._w, i)
            finally:
                self._busy -= 1

    def dot(self, x):
        """Inner product with `x`; where it exceeds the range of a float, the largest one."""
        cdef Instance instance
        items = self._read(&instance, x, False)
        return self._dot(&instance)

    def margin(self, x):
        """Inner product with the observed features of `x`, as `dot`."""
        return self._margin(x)

    def update(self, x, double step, radius=None, *, seen=None, rng=None):
        """Add `step * x`, project on the ball, and zero all but `capacity` weights."""
        cdef Instance instance
        cdef bint observes = seen is None or seen is x
        cdef list others
        self._check_idle()
        self._busy += 1
        try:
            items = self._read(&instance, x, not observes)
            try:
                others = self._enter([] if observes else list(seen), instance.n)
                instance_enter(
                    &instance, &self._w.table, not (observes and self._w.counts_features)
                )
                self._move(&instance, step, radius, rng, x, None if observes else others)
            finally:
                instance_close(&instance)
        finally:
            self._busy -= 1

    cpdef object pa_step(
        self,
        x,
        int sign,
        intercept,
        int mode,
        double C,
        radius,
        bint learn_intercept,
        step,
        update_on,
        rng,
    ):
        """A step of the passive-aggressive family, as `passive_aggressive.pa_step`."""
        cdef Instance instance
        cdef double product, signed_margin, start = intercept, tau = 0.0
        self._check_idle()
        if type(x) is not dict or not instance_read(&instance, x, &self._w.table, True, False):
            return plain_pa_step(
                self, x, sign, intercept, mode, C, radius, learn_intercept, step, update_on, rng
            )
        self._busy += 1
        try:
            weights_reserve(&self._w, instance.n)
            if self._w.counts_features:
                instance_enter(&instance, &self._w.table, False)
                product = instance_dot_entered(&instance, &self._w.table)
            else:
                instance_dot(&instance, &self._w.table, &product)
                instance_enter(&instance, &self._w.table, True)
            # From here on, the keys of the instance are of no use, and any code may run.
            signed_margin = sign * (self._scaled(&instance, product) + start)
            if signed_margin < 1.0 if update_on == "loss" else signed_margin <= 0.0:
                tau = 1.0
                if step == "pa":
                    tau = pa_step_size(&instance, 1.0 - signed_margin, mode, C, learn_intercept)
            if tau == 0.0:
                weights_see_instance(&self._w, &instance)
                return intercept
            self._move(&instance, sign * tau, radius, rng, x, None)
            return start + sign * tau if learn_intercept else intercept
        finally:
            self._busy -= 1
            instance_close(&instance)

    def scale_by(self, double factor):
        """Multiply all weights by `factor`, from zero to one."""
        if not 0.0 <= factor <= 1.0:
            raise ValueError(f"factor must be from zero to one; got {factor!r}")
        self._check_idle()
        weights_scale_by(&self._w, factor)

    cdef int _check_idle(self) except -1:
        if self._busy:
            raise RuntimeError("a key that is being compared must not change the weights")
        return 0

    cdef list _read(self, Instance *instance, x, bint own):
        """Read cleaned features. Hold on to what is returned: it may own the keys."""
        if type(x) is dict and instance_read(instance, x, &self._w.table, False, own):
            return None
        return read_items(instance, x)

    cdef list _enter(self, list keys, Py_ssize_t more=0):
        """Give keys an entry, and leave room for more. It does not make them features seen."""
        weights_reserve(&self._w, len(keys) + more)
        return [table_find_or_add(&self._w.table, key, key_hash(key)) for key in keys]

    cdef double _v(self, key) except? -1.0:
        cdef Py_ssize_t i = table_find(&self._w.table, key, key_hash(key))
        return 0.0 if i < 0 else self._w.table.entries[i].v

    cdef dict _times(self, double factor):
        """The weights v times a factor."""
        cdef Py_ssize_t i
        self._busy += 1
        try:
            # Only a list is built while the table is read: to hash keys may run code.
            pairs = [
                (<object>self._w.table.entries[i].key, factor * self._w.table.entries[i].v)
                for i in range(self._w.table.used)
                if self._w.table.entries[i].v != 0.0
            ]
        finally:
            self._busy -= 1
        return dict(pairs)

    cdef double _margin(self, x) except? -1.0:
        cdef Instance instance
        if type(x) is dict and instance_read(&instance, x, &self._w.table, True, False):
            return self._dot(&instance)
        return self.dot(observed(x))

    cdef double _dot(self, Instance *x) except? -1.0:
        """The inner product with an instance, which is closed."""
        cdef double product
        try:
            instance_dot(x, &self._w.table, &product)
            return self._scaled(x, product)
        finally:
            instance_close(x)

    cdef double _scaled(self, Instance *x, double product) except? -1.0:
        """The inner product of the weights and `x`, given that of v and `x`."""
        cdef Py_ssize_t i
        cdef double scaled = self._w.scale * product
        if fabs(scaled) <= DBL_MAX:
            return scaled
        return _dot_of_huge(self._w.scale, [(x.moved[i], x.values[i]) for i in range(x.n)])

    cdef Py_ssize_t _capacity(self) except -1:
        if self._share > 0.0:
            return max(1, <Py_ssize_t>(self._share * self._w.n_seen))
        return self._count or max(0, self.capacity)

    cdef int _move(self, Instance *x, double step, radius, rng, features, list seen) except -1:
        """Add `step * x`, whose features are entered, project, and truncate."""
        cdef Py_ssize_t i, n_lost, capacity
        cdef double norm, ball = INFINITY if radius is None else radius
        cdef double power_sum = weights_try(&self._w, x, step)
        cdef double *lost = x.terms
        # Both bounds hold from before the features are seen, when an error still changes nothing.
        cdef Py_ssize_t most = self._w.n_weights + x.n - (0 if rng is not None else self._capacity())
        if not power_sum < INFINITY:
            raise _out_of_range(features)
        if most > x.n:
            lost = <double *>PyMem_Malloc(most * sizeof(double))
            if lost == NULL:
                raise MemoryError

        if seen is None:
            weights_see_instance(&self._w, x)
        else:
            for i in seen:
                weights_see(&self._w, i)
        weights_commit(&self._w, x, power_sum)
        norm = weights_norm(&self._w)
        try:
            if rng is None:
                # Not more are lost than there is room for, whatever a strange budget says.
                most = max(most, x.n)
                capacity = max(self._capacity(), self._w.n_weights - most)
                n_lost = weights_truncate(&self._w, x, capacity, lost)
            else:
                n_lost = self._keep_random(rng, lost)
            weights_settle(&self._w, lost, n_lost)
        except BaseException:
            # A key has raised: the weights have moved, but not all that should are gone.
            heap_drop(&self._w.heap)
            weights_sum_anew(&self._w)
            raise
        finally:
            if lost != x.terms:
                PyMem_Free(lost)
        if norm > ball:
            weights_scale_by(&self._w, ball / norm)
        return 0

    cdef Py_ssize_t _keep_random(self, rng, double *lost) except -1:
        """Zero the weights of all but `capacity` features drawn at random; say how many."""
        cdef Py_ssize_t i, n_lost = 0, n_seen = self._w.n_weights
        limit = self.capacity
        # The heap has not heard of the move.
        heap_drop(&self._w.heap)
        if self._w.counts_features:
            n_seen = self._w.n_seen
            limit = self._budget * n_seen
        if self._w.n_weights < limit:
            return 0
        drawn = set(rng.sample(range(n_seen), self.capacity))
        for position, key in enumerate(in_order(self._times(1.0))):
            if position not in drawn:
                i = table_find(&self._w.table, key, key_hash(key))
                if i >= 0 and self._w.table.entries[i].v != 0.0:
                    lost[n_lost] = self._w.table.entries[i].v
                    n_lost += 1
                    weights_set(&self._w, i, 0.0)
        return n_lost


cdef int _traverse(PyObject *self, visitproc visit, void *arg) noexcept:
    return (
        table_visit(&(<SparseWeights>self)._w.table, visit, arg)
        or collected.traverse(self, visit, arg)
    )


cdef int _clear(PyObject *self) noexcept:
    weights_empty(&(<SparseWeights>self)._w)
    return collected.clear(self)


# A key may refer to whatever holds the weights.
collect(<PyTypeObject *>SparseWeights, _traverse, _clear)
