# cython: language_level=3, binding=False, cdivision=True, boundscheck=False, wraparound=False
"""`FeatureMoments` in C: bit-identical to `moments.FeatureMoments`, which has the documentation."""

import copy

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport copysign, fabs, sqrt

from cpython.dict cimport PyDict_Copy, PyDict_SetItem
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc

from river_trapezoid.weights._feature_table cimport (
    FeatureTable,
    Instance,
    instance_close,
    table_set,
)
from river_trapezoid.weights._rows cimport ROWS_WITHOUT_A_LOOK, SlotRows

from river_trapezoid._frame import in_row
from river_trapezoid._parameters import check_bool, check_number
from river_trapezoid.weights.moments import checked_state, moments_overflow
from river_trapezoid.weights.key_order import in_order

__all__ = ["FeatureMoments"]


# What is known of a feature: the payload of its entry.
cdef struct Moments:
    double n
    double mean
    double spread


cdef class FeatureMoments(FeatureTable):
    """Running moments: `moments.FeatureMoments`, which has the documentation, in C."""

    # An entry's v is the number of the instance it was learned from last, so that the one that was
    # learned from longest ago is the smallest.
    cdef readonly bint centred
    cdef readonly bint scaled
    cdef double clock

    def __cinit__(self, *args, **kwargs):
        self.payload_size = sizeof(Moments)
        self.centred = self.scaled = True

    def __init__(self, centred=True, scaled=True, budget=None):
        centred = check_bool("centred", centred)
        scaled = check_bool("scaled", scaled)
        budget = check_number("budget", budget, integer=True, at_least=1, optional=True)
        self.acquire()
        try:
            self.clear()
            self.set_budget(1.0 if budget is None else budget)
            self.centred = centred
            self.scaled = scaled
            self.clock = 0.0
        finally:
            self.users -= 1

    def __reduce__(self):
        from river_trapezoid.weights import restore

        arguments = (self.centred, self.scaled, self.budget)
        return restore, ("FeatureMoments", *arguments), self.__getstate__()

    def __getstate__(self):
        rows = self.rows()
        if self.count:
            ranks = {key: place for place, key in enumerate(in_order([row[0] for row in rows]))}
            rows.sort(key=lambda row: (row[4], ranks[row[0]]))
        return [row[:4] for row in rows]

    def __setstate__(self, state):
        cdef list rows = checked_state(state, self.budget)
        cdef Py_ssize_t slot
        self.acquire()
        try:
            self.clear()
            self.clock = 0.0
            self.reserve(len(rows))
            for key, n, mean, spread in rows:
                self.clock += 1.0
                slot = self.add(key)
                table_set(self, slot, self.clock)
                moments_of(self)[slot] = Moments(n, mean, spread)
        finally:
            self.users -= 1

    def __contains__(self, key):
        cdef Py_ssize_t slot = self.slot(key)
        return slot >= 0 and self.entries[slot].v != 0.0

    def __repr__(self):
        return (
            f"FeatureMoments(centred={self.centred!r}, scaled={self.scaled!r}, "
            f"budget={self.budget!r}) with {len(self)} features"
        )

    @property
    def budget(self):
        """How many features are held; None for all."""
        return self._budget if self.count else None

    def to_dict(self):
        """Number, mean, and variance or mean square of the values of each feature."""
        return {key: (n, mean, spread) for key, n, mean, spread, _ in self.rows()}

    def learn(self, x):
        """Learn from the values of the features that are observed."""
        cdef Instance instance
        held = self.read(&instance, x, False)
        try:
            self.acquire()
            try:
                self.enter(&instance, False)
                self.learn_entered(&instance)
            finally:
                self.users -= 1
        finally:
            instance_close(&instance)

    def transform(self, x):
        """The features that are observed, each on its scale."""
        cdef Instance instance
        cdef Py_ssize_t i
        cdef dict result
        held = self.read(&instance, x, False)
        try:
            if not instance.all_found:
                self.find(&instance)
            for i in range(instance.n):
                instance.terms[i] = self.transformed(instance.slots[i], instance.values[i])
            # A copy has its room already, and text as keys can have changed nothing meanwhile.
            if not instance.owns_keys and instance.n == len(<dict>held):
                result = PyDict_Copy(<dict>held)
            else:
                result = {}
            for i in range(instance.n):
                PyDict_SetItem(result, <object>instance.keys[i], instance.terms[i])
            return result
        finally:
            instance_close(&instance)

    def learn_rows(self, rows):
        """Learn from the rows of a batch, one after the other: from all of them, or from none."""
        cdef FeatureMoments other
        if self.count:
            # A feature may be dropped in one row and come back in another.
            other = copy.copy(self)
            for row, x in enumerate(rows):
                try:
                    other.learn(x)
                except OverflowError as error:
                    raise in_row(row, error) from None
            self.__setstate__(other.__getstate__())
            return
        cdef SlotRows batch = SlotRows()
        batch.open(self, rows)
        self.acquire()
        try:
            batch.find(True)
            self.learn_batch(batch)
            batch.close()
        finally:
            self.users -= 1

    def transform_rows(self, rows):
        """The values of the rows of a batch, each on its scale, in the places of the values."""
        cdef SlotRows batch = SlotRows()
        cdef Py_ssize_t i, j, n = 0
        cdef Instance *x
        cdef double[::1] flat
        result = np.empty(rows.values.shape if rows.dense is None else rows.dense.shape)
        flat = result.reshape(-1)
        batch.open(self, rows)
        self.users += 1
        try:
            batch.find(False)
            for i in range(batch.n):
                x = batch.row(i)
                for j in range(x.n):
                    flat[n] = self.transformed(x.slots[j], x.values[j])
                    n += 1
        finally:
            self.users -= 1
        return result

    cdef list rows(self):
        """Key, moments and time of each feature."""
        cdef Py_ssize_t slot
        cdef Moments moments
        rows = []
        for key, slot in self.kept():
            moments = moments_of(self)[slot]
            rows.append(
                (key, int(moments.n), moments.mean, moments.spread, self.entries[slot].v)
            )
        return rows

    cdef int learn_entered(self, Instance *x) except -1:
        """Learn from an instance whose features are entered."""
        cdef Py_ssize_t i
        cdef Moments m
        cdef double *means = x.terms
        cdef double *spreads = x.updated
        for i in range(x.n):
            m = self.updated(x.slots[i], x.values[i])
            if not are_finite(&m):
                raise moments_overflow(<object>self.entries[x.slots[i]].key, x.values[i])
            means[i] = m.mean
            spreads[i] = m.spread
        self.clock += 1.0
        for i in range(x.n):
            m.n = n_of(self, x.slots[i]) + 1.0
            m.mean = means[i]
            m.spread = spreads[i]
            moments_of(self)[x.slots[i]] = m
            table_set(self, x.slots[i], self.clock)
        if self.count:
            self.truncate(x, False, self.count, NULL, NULL)
        return 0

    cdef int learn_batch(self, SlotRows batch) except -1:
        """Learn from rows, whose columns are found; restore everything if that fails."""
        cdef Py_ssize_t i = 0, j
        cdef double clock = self.clock
        cdef Moments m
        cdef Instance *x
        cdef bint done = False
        cdef Moments *before = <Moments *>PyMem_Malloc((batch.n_columns + 1) * sizeof(Moments))
        if before == NULL:
            raise MemoryError
        try:
            batch.record()
            for j in range(batch.n_columns):
                if batch.wanted[j]:
                    if batch.slots[j] < 0:
                        batch.enter(j)
                    before[j] = moments_of(self)[batch.slots[j]]
            try:
                for i in range(batch.n):
                    x = batch.row(i)
                    self.clock += 1.0
                    for j in range(x.n):
                        m = self.updated(x.slots[j], x.values[j])
                        if not are_finite(&m):
                            key = <object>self.entries[x.slots[j]].key
                            raise in_row(i, moments_overflow(key, x.values[j]))
                        moments_of(self)[x.slots[j]] = m
                        table_set(self, x.slots[j], self.clock)
                    if i % ROWS_WITHOUT_A_LOOK == 0:
                        PyErr_CheckSignals()
                # As long as all can be undone.
                PyErr_CheckSignals()
                done = True
            finally:
                if not done:
                    self.restore()
                    for j in range(batch.n_columns):
                        if batch.wanted[j]:
                            moments_of(self)[batch.slots[j]] = before[j]
                    self.clock = clock
        finally:
            self.forget_changes()
            PyMem_Free(before)
        return 0

    cdef inline Moments updated(self, Py_ssize_t slot, double value) noexcept:
        """The moments of a feature with one more value."""
        cdef Moments m = Moments(0.0, 0.0, 0.0)
        cdef double deviation
        if self.entries[slot].v != 0.0:
            m = moments_of(self)[slot]
        m.n += 1.0
        if self.centred:
            deviation = value - m.mean
            m.mean += deviation / m.n
            if self.scaled:
                m.spread += (deviation * (value - m.mean) - m.spread) / m.n
        elif self.scaled:
            m.spread += (value * value - m.spread) / m.n
        return m

    cdef inline double transformed(self, Py_ssize_t slot, double value) noexcept:
        cdef Moments m = Moments(0.0, 0.0, 0.0)
        if slot >= 0 and self.entries[slot].v != 0.0:
            m = moments_of(self)[slot]
        if self.centred:
            value -= m.mean
        elif self.scaled and m.n == 0.0:
            # Its own size is all that is known of its scale.
            return copysign(1.0, value) if value != 0.0 else 0.0
        if self.scaled:
            value = value / sqrt(m.spread) if m.spread != 0.0 else 0.0
        return value if fabs(value) <= DBL_MAX else copysign(DBL_MAX, value)


cdef inline Moments *moments_of(FeatureMoments t) noexcept:
    return <Moments *>t.payloads


cdef inline double n_of(FeatureMoments t, Py_ssize_t slot) noexcept:
    return moments_of(t)[slot].n if t.entries[slot].v != 0.0 else 0.0


cdef inline bint are_finite(const Moments *m) noexcept:
    return fabs(m.mean) <= DBL_MAX and m.spread <= DBL_MAX
