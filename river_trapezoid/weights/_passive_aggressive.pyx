# cython: language_level=3, binding=False, cdivision=True, boundscheck=False, wraparound=False
"""`PassiveAggressive` in C: bit-identical to `passive_aggressive.PassiveAggressive`."""

import copy

import numpy as np

from libc.math cimport INFINITY

from cpython.exc cimport PyErr_CheckSignals

from river_trapezoid.weights._exact_sum cimport QuickSum, quick_add, sum_of
from river_trapezoid.weights._feature_table cimport Instance, instance_close
from river_trapezoid.weights._rows cimport ROWS_WITHOUT_A_LOOK, SlotRows
from river_trapezoid.weights._sparse cimport SparseWeights

from river_trapezoid._frame import in_row
from river_trapezoid.weights.passive_aggressive import ARGUMENTS, check_radius

__all__ = ["PassiveAggressive"]


cdef class PassiveAggressive:
    """A step: `passive_aggressive.PassiveAggressive`, which has the documentation, in C."""

    cdef readonly SparseWeights weights
    cdef public double intercept
    cdef public int mode
    cdef public double C
    cdef double _radius
    cdef public bint learn_intercept
    cdef bint is_perceptron
    cdef bint on_mistake
    cdef public object rng
    # What was known when a transaction began, None if there is none.
    cdef tuple before

    def __cinit__(self, *args, **kwargs):
        self.weights = SparseWeights()
        self._radius = INFINITY

    def __init__(
        self,
        SparseWeights weights not None,
        mode=1,
        C=0.1,
        radius=None,
        learn_intercept=False,
        step="pa",
        update_on="loss",
        rng=None,
        intercept=0.0,
    ):
        self.weights = weights
        self.mode = mode
        self.C = C
        self.radius = radius
        self.learn_intercept = learn_intercept
        self.step = step
        self.update_on = update_on
        self.rng = rng
        self.intercept = intercept

    def __reduce__(self):
        from river_trapezoid.weights import restore

        return restore, ("PassiveAggressive", *(getattr(self, name) for name in ARGUMENTS))

    def __copy__(self):
        arguments = {name: getattr(self, name) for name in ARGUMENTS}
        for name in ("weights", "rng"):
            arguments[name] = copy.copy(arguments[name])
        return type(self)(**arguments)

    @property
    def radius(self):
        return None if self._radius == INFINITY else self._radius

    @radius.setter
    def radius(self, value):
        check_radius(value, self.weights)
        self._radius = INFINITY if value is None else value

    @property
    def step(self):
        return "perceptron" if self.is_perceptron else "pa"

    @step.setter
    def step(self, value):
        self.is_perceptron = value != "pa"

    @property
    def update_on(self):
        return "mistake" if self.on_mistake else "loss"

    @update_on.setter
    def update_on(self, value):
        self.on_mistake = value != "loss"

    def begin(self, columns):
        """Remember the rule until `commit` or `rollback`; return whether nobody else does yet."""
        if self.before is not None:
            return False
        state = None if self.rng is None else self.rng.getstate()
        own = self.weights.begin(columns)
        self.before = self.weights if own else None, self.intercept, self.rng, state
        return True

    def commit(self):
        """Forget what the rule was."""
        if self.before is None:
            return
        weights, self.before = self.before[0], None
        if weights is not None:
            weights.commit()

    def rollback(self):
        """Bring the rule back to what it was at `begin`."""
        if self.before is None:
            return
        weights, self.intercept, rng, state = self.before
        self.before = None
        if weights is not None:
            weights.rollback()
        if rng is not None:
            rng.setstate(state)

    def margin(self, x):
        """Weights times the observed features of `x`, plus the intercept."""
        cdef Instance instance
        cdef SparseWeights weights = self.weights
        held = weights.read(&instance, x, False)
        try:
            if not instance.all_found:
                weights.find(&instance)
            return weights.dot_found(&instance) + self.intercept
        finally:
            instance_close(&instance)

    def learn(self, x, int sign, double w=1.0):
        """Take a step on a label of -1 or +1, and count the observed features of `x` as seen."""
        cdef Instance instance
        cdef SparseWeights weights = self.weights
        held = weights.read(&instance, x, False)
        try:
            weights.acquire()
            try:
                weights.enter_features(&instance)
                self.take_step(weights, &instance, sign, w)
            finally:
                weights.users -= 1
        finally:
            instance_close(&instance)

    def margins(self, rows):
        """The margin of each row of a batch."""
        cdef SparseWeights weights = self.weights
        cdef SlotRows batch = SlotRows()
        cdef double[::1] margins
        cdef Py_ssize_t i
        result = np.empty(len(rows))
        margins = result
        batch.open(weights, rows)
        weights.users += 1
        try:
            batch.find(False)
            for i in range(batch.n):
                margins[i] = weights.dot_found(batch.row(i)) + self.intercept
        finally:
            weights.users -= 1
        return result

    def learn_rows(self, rows, const signed char[::1] signs, const double[::1] w=None):
        """Learn from the rows of a batch, one after the other: from all of them, or from none."""
        cdef SparseWeights weights = self.weights
        cdef SlotRows batch = SlotRows()
        cdef double intercept = self.intercept
        cdef Py_ssize_t i = 0
        cdef bint done = False, undone_by_others = weights.before is not None
        batch.open(weights, rows)
        weights.acquire()
        try:
            batch.find(True)
            state = None if self.rng is None else self.rng.getstate()
            before = weights.scale, weights.power_sum, weights.drift
            try:
                batch.record()
                # Where all entries have been noted, there is nothing to add.
                weights.journaling = undone_by_others or weights.n_changes < weights.used
                for i in range(batch.n):
                    if w is None:
                        self.take_step(weights, batch.row(i), signs[i], 1.0)
                    elif w[i] != 0.0:
                        self.take_step(weights, batch.row(i), signs[i], w[i])
                    if i % ROWS_WITHOUT_A_LOOK == 0:
                        PyErr_CheckSignals()
                # As long as all can be undone.
                PyErr_CheckSignals()
                done = True
            except OverflowError as error:
                raise in_row(i, error) from None
            finally:
                if not done:
                    if not undone_by_others:
                        weights.restore()
                        weights.scale, weights.power_sum, weights.drift = before
                    self.intercept = intercept
                    if state is not None:
                        self.rng.setstate(state)
                if not undone_by_others:
                    weights.forget_changes()
                batch.close()
        finally:
            weights.users -= 1

    cdef int take_step(
        self, SparseWeights weights, Instance *x, int sign, double w
    ) except -1:
        cdef double signed_margin = sign * (weights.dot_found(x) + self.intercept)
        cdef double tau = 0.0
        if signed_margin <= 0.0 if self.on_mistake else signed_margin < 1.0:
            tau = w if self.is_perceptron else self.step_size(x, 1.0 - signed_margin, self.C * w)
        if tau == 0.0:
            weights.observe_entered(x)
            return 0
        weights.move(x, sign * tau, self._radius, self.rng)
        if self.learn_intercept:
            self.intercept += sign * tau
        return 0

    cdef double step_size(self, Instance *x, double loss, double C) except? -1.0:
        # As `passive_aggressive.step_size`.
        cdef double squared_norm, tau
        cdef QuickSum total = QuickSum(0.0, 0.0, 0.0)
        cdef Py_ssize_t i
        cdef const double *values = x.values
        cdef double *terms = x.terms
        for i in range(x.n):
            terms[i] = values[i] * values[i]
            quick_add(&total, terms[i])
        squared_norm = sum_of(&total, x.terms, x.n)
        if self.learn_intercept:
            squared_norm += 1.0
        if not 0.0 < squared_norm < INFINITY:
            return 0.0
        tau = loss / squared_norm
        if self.mode == 0:
            return tau if tau < INFINITY else 0.0
        if C == 0.0:
            return 0.0
        return min(C, tau) if self.mode == 1 else loss / (squared_norm + 0.5 / C)
