# cython: language_level=3, binding=False, cdivision=True
"""`SparseWeights` in C: bit-identical to `sparse.SparseWeights`, which has the documentation."""

from libc.float cimport DBL_EPSILON, DBL_MAX
from libc.math cimport INFINITY, fabs, isfinite, sqrt

from cpython.mem cimport PyMem_Free, PyMem_Malloc

from river_trapezoid.weights._exact_sum cimport QuickSum, is_certain, quick_add, sum_of
from river_trapezoid.weights._feature_table cimport (
    Entry,
    FeatureTable,
    Instance,
    instance_close,
    is_seen,
    mark_all_seen,
    mark_seen,
    table_set,
)

from river_trapezoid._instance import out_of_range
from river_trapezoid._parameters import check_budget, check_choice
from river_trapezoid.weights import sparse
from river_trapezoid.weights.exact_sum import exact_sum
from river_trapezoid.weights.key_order import in_order

__all__ = ["SparseWeights"]

cdef double SMALLEST_SCALE = sparse.SMALLEST_SCALE
cdef double LARGEST_DRIFT = sparse.LARGEST_DRIFT


cdef inline double power(double v, int order) noexcept:
    return v * v if order == 2 else fabs(v)


cdef class SparseWeights(FeatureTable):
    """A sparse weight vector: `sparse.SparseWeights`, which has the documentation, in C."""

    def __init__(self, budget=1.0, order=1):
        budget = check_budget("budget", budget)
        check_choice("order", order, (0, 1, 2))
        self.acquire()
        try:
            self.set_budget(budget)
            self.clear()
            self.before = None
            self.order = order
            self.scale = 1.0
            self.power_sum = self.drift = 0.0
        finally:
            self.users -= 1

    def __reduce__(self):
        from river_trapezoid.weights import restore

        return restore, ("SparseWeights", self.budget, self.order), self.__getstate__()

    def __getstate__(self):
        return self.scale, self.power_sum, self.drift, scaled(self, 1.0), self.seen()

    def __setstate__(self, state):
        scale, power_sum, drift, v, seen = sparse.checked_state(state, self.count == 0)
        cdef list weights = list(v.items()), names = [] if seen is None else list(seen)
        cdef double weight
        self.acquire()
        try:
            self.clear()
            self.before = None
            self.reserve(len(names) + len(weights))
            for key in names:
                mark_seen(self, self.add(key))
            for key, weight in weights:
                table_set(self, self.add(key), weight)
            self.scale, self.power_sum, self.drift = scale, power_sum, drift
        finally:
            self.users -= 1

    def __contains__(self, key):
        cdef Py_ssize_t slot = self.slot(key)
        return slot >= 0 and self.entries[slot].v != 0.0

    def __repr__(self):
        return (
            f"SparseWeights(budget={self.budget!r}, order={self.order!r}) with {len(self)} weights"
        )

    @property
    def n_seen(self):
        """Number of distinct features seen; None if the budget is a count."""
        return None if self.count else self.n_marked

    @property
    def capacity(self):
        """Number of weights that are kept."""
        return self._budget if self.count else self.capacity_of(self.n_marked)

    @property
    def norm(self):
        """The norm of the weights."""
        return norm_of(self)

    def get(self, key):
        """Weight of a feature; zero if it has none."""
        cdef Py_ssize_t slot = self.slot(key)
        return 0.0 if slot < 0 else self.scale * self.entries[slot].v

    def to_dict(self):
        """The weights other than zero, as a new dict."""
        return scaled(self, self.scale)

    def sample_sizes(self, x):
        """Number of features to draw from once `x` is observed, and how many of them to draw."""
        cdef Py_ssize_t slot, n_features = self.n_marked
        if self.count:
            return len(x), min(self.count, len(x))
        for key in x:
            slot = self.slot(key)
            n_features += slot < 0 or not is_seen(&self.entries[slot])
        return n_features, self.capacity_of(n_features)

    def observe(self, x):
        """Count the features of `x` as seen."""
        cdef Instance instance
        if self.count:
            return
        held = self.read(&instance, x, False)
        try:
            self.acquire()
            try:
                self.enter(&instance, False)
                mark_all_seen(self, &instance)
            finally:
                self.users -= 1
        finally:
            instance_close(&instance)

    def dot(self, x):
        """Inner product with `x`; where it exceeds the range of a float, the largest one."""
        cdef Instance instance
        held = self.read(&instance, x, False)
        try:
            if not instance.all_found:
                self.find(&instance)
            return self.dot_found(&instance)
        finally:
            instance_close(&instance)

    def update(self, x, double step, radius=None, rng=None):
        """Add `step * x`, project on the ball, and zero all but `capacity` weights."""
        cdef Instance instance
        cdef double ball = INFINITY if radius is None else radius
        sparse.check_ball(ball)
        held = self.read(&instance, x, False)
        try:
            self.acquire()
            try:
                self.enter_features(&instance)
                self.move(&instance, step, ball, rng)
            finally:
                self.users -= 1
        finally:
            instance_close(&instance)

    def scale_by(self, double factor):
        """Multiply all weights by `factor`, from zero to one."""
        if not 0.0 <= factor <= 1.0:
            raise ValueError(f"factor must be from zero to one; got {factor!r}")
        self.acquire()
        try:
            scale_down(self, factor)
        finally:
            self.users -= 1

    def begin(self, columns):
        """Remember the weights until `commit` or `rollback`; return whether nobody else does yet."""
        if self.before is not None:
            return False
        self.acquire()
        try:
            self.open_journal(columns)
            self.before = (
                *(self._budget, self.count, self.share),
                *(self.scale, self.power_sum, self.drift),
            )
        finally:
            self.users -= 1
        return True

    def commit(self):
        """Forget what the weights were."""
        self.forget_changes()
        self.before = None

    def rollback(self):
        """Bring the weights back to what they were at `begin`."""
        if self.before is None:
            return
        self.acquire()
        try:
            self.restore()
            # No memory is needed for anything here, as that may be what is missing.
            self._budget, self.count, self.share = self.before[0], self.before[1], self.before[2]
            self.scale, self.power_sum = self.before[3], self.before[4]
            self.drift = self.before[5]
            self.commit()
        finally:
            self.users -= 1

    cdef double dot_found(self, Instance *x) except? -1.0:
        """Inner product with an instance whose features have been found."""
        cdef QuickSum total = QuickSum(0.0, 0.0, 0.0)
        cdef Py_ssize_t i, slot, n = x.n
        cdef double v, product
        cdef bint all_seen = True
        cdef const Entry *entries = self.entries
        cdef const Py_ssize_t *slots = x.slots
        cdef const double *values = x.values
        cdef double *terms = x.terms
        cdef double *known = x.updated
        for i in range(n):
            slot = slots[i]
            v = 0.0
            if slot >= 0:
                v = entries[slot].v
                all_seen &= is_seen(&entries[slot])
            known[i] = v
            terms[i] = v * values[i]
            quick_add(&total, terms[i])
        x.all_seen = all_seen
        product = self.scale * sum_of(&total, x.terms, x.n)
        if fabs(product) <= DBL_MAX:
            return product
        return sparse.dot_of_huge(self.scale, [(known[i], values[i]) for i in range(n)])

    cdef int enter_features(self, Instance *x) except -1:
        # Without a count of the features seen, zeros leave no trace.
        return self.enter(x, self.count != 0)

    cdef void observe_entered(self, const Instance *x) noexcept:
        if not self.count:
            mark_all_seen(self, x)

    cdef int move(self, Instance *x, double step, double radius, rng) except -1:
        """Add `step * x`, whose features are entered, project, and truncate."""
        cdef Py_ssize_t i, n_lost = 0, slot
        cdef double rate = step / self.scale, old, new, term, power_sum, norm
        cdef bint overflows = False, done = False
        cdef QuickSum growth = QuickSum(0.0, 0.0, 0.0)
        cdef list dropped = None
        cdef int order = self.order
        cdef const Entry *entries = self.entries
        cdef const Py_ssize_t *slots = x.slots
        cdef const double *values = x.values
        cdef double *updated = x.updated
        cdef double *terms = x.terms
        cdef double *lost = x.terms
        cdef Py_ssize_t most = self.n_kept + x.n - self.capacity_of(self.n_marked)
        for i in range(x.n):
            term = 0.0
            if values[i] != 0.0:
                old = entries[slots[i]].v
                new = updated[i] = old + rate * values[i]
                if order == 1:
                    term = fabs(new) - fabs(old)
                elif order == 2:
                    term = new * new - old * old
                elif not isfinite(new):
                    overflows = True
                quick_add(&growth, term)
            terms[i] = term
        power_sum = self.power_sum + sum_of(&growth, x.terms, x.n)
        if overflows or not power_sum < INFINITY:
            raise out_of_range(values_of(self, x))
        if rng is not None:
            dropped = draw_dropped(self, x, rng)
            most = len(dropped)
        if most > x.n:
            lost = <double *>PyMem_Malloc(most * sizeof(double))
            if lost == NULL:
                raise MemoryError

        self.observe_entered(x)
        self.power_sum = power_sum
        for i in range(x.n):
            if values[i] != 0.0:
                table_set(self, slots[i], updated[i])
        norm = norm_of(self)
        # The scale does not change the order of the weights, so truncation may come before the
        # projection, as long as the latter goes by the norm from before.
        try:
            if dropped is None:
                n_lost = self.truncate(x, True, self.capacity_of(self.n_marked), lost, NULL)
            else:
                # The heap has not heard of the move.
                self.drop_heap()
                for slot in dropped:
                    if self.journaling:
                        self.record(slot)
                    lost[n_lost] = self.entries[slot].v
                    n_lost += 1
                    table_set(self, slot, 0.0)
            subtract(self, lost, n_lost)
            done = True
        finally:
            # A key has raised: the weights have moved, but not all that should are gone.
            if not done:
                sum_anew(self)
            if lost != x.terms:
                PyMem_Free(lost)
        if norm > radius:
            scale_down(self, radius / norm)
        return 0


cdef dict scaled(SparseWeights w, double factor):
    """The weights v times a factor."""
    cdef Py_ssize_t slot
    # To hash a key may run code: the table is read before that.
    w.users += 1
    try:
        pairs = [
            (<object>w.entries[slot].key, factor * w.entries[slot].v)
            for slot in range(w.used)
            if w.entries[slot].v != 0.0
        ]
    finally:
        w.users -= 1
    return dict(pairs)


cdef dict values_of(SparseWeights w, const Instance *x):
    """The values of an instance whose features are entered, but for those of zero."""
    cdef Py_ssize_t i
    return {
        <object>w.entries[x.slots[i]].key: x.values[i]
        for i in range(x.n)
        if x.values[i] != 0.0
    }


cdef double norm_of(SparseWeights w) noexcept:
    # Where weights cancel, the sum may have been rounded to less than zero.
    cdef double power_sum = max(0.0, w.power_sum)
    return w.scale * (sqrt(power_sum) if w.order == 2 else power_sum)


cdef list draw_dropped(SparseWeights w, Instance *x, rng):
    """Draw the features that keep their weight; the slots of all others."""
    cdef Py_ssize_t i, n_seen = w.n_marked
    cdef dict weights = dict(w.kept())
    for i in range(x.n):
        if x.values[i] != 0.0:
            if x.updated[i] != 0.0:
                weights[<object>w.entries[x.slots[i]].key] = x.slots[i]
            else:
                weights.pop(<object>w.entries[x.slots[i]].key, None)
        if not w.count:
            n_seen += not is_seen(&w.entries[x.slots[i]])
    if w.count:
        n_seen = len(weights)
    # Before any feature is seen, there is none to draw, but one would be kept.
    if len(weights) < (w._budget if w.count else w.share * n_seen) or not n_seen:
        return []
    keys, state = in_order(weights), rng.getstate()
    try:
        drawn = set(rng.sample(range(n_seen), w.capacity_of(n_seen)))
        return [weights[key] for position, key in enumerate(keys) if position not in drawn]
    except BaseException:
        rng.setstate(state)
        raise


cdef int subtract(SparseWeights w, double *lost, Py_ssize_t n_lost) except -1:
    """Take lost weights off the sum of powers, and mind its rounding error."""
    cdef QuickSum total = QuickSum(0.0, 0.0, 0.0)
    cdef Py_ssize_t i
    if w.order == 0:
        return 0
    # No sum so far rounds by more than this, as each is exact but for its terms and result.
    w.drift += 4.0 * DBL_EPSILON * w.power_sum
    if n_lost:
        for i in range(n_lost):
            lost[i] = power(lost[i], w.order)
            quick_add(&total, lost[i])
        w.power_sum -= sum_of(&total, lost, n_lost)
    if w.drift > LARGEST_DRIFT * w.power_sum:
        sum_anew(w)
    return 0


cdef int sum_anew(SparseWeights w) except -1:
    cdef QuickSum total = QuickSum(0.0, 0.0, 0.0)
    cdef Py_ssize_t i
    cdef double power_sum
    if w.order == 0:
        return 0
    for i in range(w.used):
        quick_add(&total, power(w.entries[i].v, w.order))
    if not is_certain(&total, w.used, &power_sum):
        power_sum = exact_sum([power(w.entries[i].v, w.order) for i in range(w.used)])
    w.power_sum = power_sum
    w.drift = DBL_EPSILON * w.power_sum
    return 0


cdef int scale_down(SparseWeights w, double factor) except -1:
    cdef Py_ssize_t i
    w.scale *= factor
    if w.scale < SMALLEST_SCALE:
        for i in range(w.used):
            if w.journaling and w.entries[i].v != 0.0:
                w.record(i)
            table_set(w, i, w.scale * w.entries[i].v)
        w.scale = 1.0
        w.drop_heap()
        sum_anew(w)
    return 0
