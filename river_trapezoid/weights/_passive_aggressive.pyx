# cython: language_level=3, binding=False, cdivision=True
"""What learners of the passive-aggressive family do with every instance, in C."""

cimport cython

import copy
from types import GetSetDescriptorType

from libc.math cimport exp, fabs

from river_trapezoid.weights._sparse cimport SparseWeights

__all__ = ["PassiveAggressive"]


@cython.embedsignature(True)
@cython.embedsignature.format("clinic")
cdef class PassiveAggressive:
    """A base of such a learner, in front of its others, with the attributes where C finds them.

    What is rare is left to the methods of the other bases.

    """

    cdef public object _weights
    cdef public tuple _labels
    cdef public object intercept
    cdef public object mode
    cdef public object C
    cdef public object radius
    cdef public object learn_intercept
    cdef public object step
    cdef public object update_on
    cdef public object _rng
    # The class that was judged last, and whether it leaves to C what is done here.
    cdef object _class
    cdef bint _leaves

    cdef int _judge(self) except -1:
        """Look whether the class of the learner steps otherwise, or keeps attributes elsewhere."""
        cls = type(self)
        # All classes before the one that has this base, and was written for it.
        subclasses = cls.__mro__[: cls.__mro__.index(PassiveAggressive) - 1]
        self._leaves = len(self._slots()) == len(_SLOTS) and not any(
            "_step" in vars(subclass) for subclass in subclasses
        )
        self._class = cls
        return 0

    def _slots(self):
        return {name: slot for name, slot in _SLOTS.items() if getattr(type(self), name) is slot}

    def _attributes(self):
        return {
            **vars(self),
            **{name: slot.__get__(self) for name, slot in self._slots().items()},
        }

    def _replace(self, attributes):
        slots = self._slots()
        for name, value in attributes.items():
            if name in slots:
                slots[name].__set__(self, value)
            else:
                vars(self)[name] = value

    def __getstate__(self):
        state = object.__getstate__(self)
        # With `__slots__` in a subclass, it is a pair.
        if isinstance(state, tuple):
            return self._attributes(), state[1]
        return self._attributes()

    def __setstate__(self, state):
        attributes, others = state if isinstance(state, tuple) else (state, {})
        self._replace(attributes or {})
        for name, value in others.items():
            setattr(self, name, value)

    def __reduce_ex__(self, protocol):
        # The oldest protocols know of no such base.
        return object.__reduce_ex__(self, max(protocol, 2))

    def clone(self, new_params=None, include_attributes=False):
        """Return a fresh estimator with the same parameters.

        Parameters
        ----------
        new_params
            Parameters that are to be others.
        include_attributes
            Whether to copy what has been learned, too.

        """
        twin = super(PassiveAggressive, self).clone(new_params, include_attributes)
        if include_attributes:
            # River looks for attributes in the dict of an instance only.
            learned = set(self._slots()).difference(self._get_params())
            twin._replace({name: copy.deepcopy(getattr(self, name)) for name in learned})
        return twin

    def margin_one(self, x):
        """Signed distance from the decision boundary: weights times `x`, plus the intercept.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        if not leaves_it_to_c(self):
            return super(PassiveAggressive, self).margin_one(x)
        return margin_of(self, x)

    def predict_one(self, x, **kwargs):
        """Predict the label of a set of features `x`; the negative one where the margin is zero.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        cdef bint positive
        if not leaves_it_to_c(self):
            return super(PassiveAggressive, self).predict_one(x)
        positive = margin_of(self, x) > 0.0
        return self._labels[positive]

    def predict_proba_one(self, x, **kwargs):
        """Predict the probability of both labels: the logistic function of the margin.

        It is a monotone reading of the margin, not a calibrated frequency.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        cdef double margin, small
        if not leaves_it_to_c(self):
            return super(PassiveAggressive, self).predict_proba_one(x)
        margin = margin_of(self, x)
        small = exp(-fabs(margin))
        negative, positive = self._labels
        if margin > 0.0:
            return {negative: small / (1.0 + small), positive: 1.0 / (1.0 + small)}
        return {negative: 1.0 / (1.0 + small), positive: small / (1.0 + small)}

    def learn_one(self, x, y):
        """Update the model with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features. `None` and NaN mean that the feature was not observed.
        y
            A label: `True`/`False`, `1`/`0` or `+1`/`-1`.

        """
        cdef int sign = (y is self._labels[1]) - (y is self._labels[0])
        if sign == 0 or not leaves_it_to_c(self):
            return super(PassiveAggressive, self).learn_one(x, y)
        # To make a number of an object may run code that drops it, so all are held on to.
        weights, intercept, mode, C = self._weights, self.intercept, self.mode, self.C
        learn_intercept = self.learn_intercept
        self.intercept = (<SparseWeights>weights).pa_step(
            x,
            sign,
            intercept,
            mode,
            C,
            self.radius,
            learn_intercept,
            self.step,
            self.update_on,
            self._rng,
        )


cdef inline bint leaves_it_to_c(PassiveAggressive learner) except -1:
    if type(learner) is not learner._class:
        learner._judge()
    return learner._leaves and type(learner._weights) is SparseWeights


cdef inline double margin_of(PassiveAggressive learner, x) except? -1.0:
    weights, intercept = learner._weights, learner.intercept
    return (<SparseWeights>weights)._margin(x) + <double>intercept


_SLOTS = {
    name: slot
    for name, slot in vars(PassiveAggressive).items()
    if isinstance(slot, GetSetDescriptorType)
}
