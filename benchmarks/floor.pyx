# cython: language_level=3, binding=False, cdivision=True
"""What a learner that is called with dicts cannot do without: the floor of the speed benchmark."""

from cpython.dict cimport PyDict_GetItem, PyDict_Next
from cpython.float cimport PyFloat_AsDouble
from cpython.long cimport PyLong_AsSsize_t
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject


cdef class Floor:
    """PA-I with an index of keys, an array of weights, and nothing else."""

    cdef dict index
    cdef double *w
    cdef Py_ssize_t room
    cdef double C

    def __init__(self, double C=0.1):
        self.index = {}
        self.C = C

    def __dealloc__(self):
        PyMem_Free(self.w)

    cdef double _margin(self, dict x, double *squared_norm) except? -1.0:
        cdef Py_ssize_t position = 0
        cdef PyObject *key
        cdef PyObject *value
        cdef PyObject *number
        cdef double v, margin = 0.0
        squared_norm[0] = 0.0
        while PyDict_Next(x, &position, &key, &value):
            v = PyFloat_AsDouble(<object>value)
            squared_norm[0] += v * v
            number = PyDict_GetItem(self.index, <object>key)
            if number != NULL:
                margin += self.w[PyLong_AsSsize_t(<object>number)] * v
        return margin

    def predict_one(self, dict x):
        cdef double squared_norm
        return self._margin(x, &squared_norm) > 0.0

    def learn_one(self, dict x, y):
        cdef Py_ssize_t position = 0, i
        cdef PyObject *key
        cdef PyObject *value
        cdef PyObject *number
        cdef double squared_norm, tau
        cdef double sign = 1.0 if y else -1.0
        cdef double loss = 1.0 - sign * self._margin(x, &squared_norm)
        if loss <= 0.0 or squared_norm == 0.0:
            return
        tau = sign * min(self.C, loss / squared_norm)
        while PyDict_Next(x, &position, &key, &value):
            number = PyDict_GetItem(self.index, <object>key)
            if number == NULL:
                i = len(self.index)
                if i == self.room:
                    self.room = 2 * i + 16
                    self.w = <double *>PyMem_Realloc(self.w, self.room * sizeof(double))
                    if self.w == NULL:
                        raise MemoryError
                self.w[i] = 0.0
                self.index[<object>key] = i
            else:
                i = PyLong_AsSsize_t(<object>number)
            self.w[i] += tau * PyFloat_AsDouble(<object>value)
