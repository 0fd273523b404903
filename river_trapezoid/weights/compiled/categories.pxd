# cython: language_level=3
cimport cython

cdef double PRIOR_VARIANCE

cdef enum:
    MOST_HEADS_OF_ALL = 5


@cython.final
cdef class Category:
    cdef Py_ssize_t place
    cdef double uses
    cdef double labels[2]
    cdef double weights[2 * MOST_HEADS_OF_ALL]

    @cython.locals(i=int)
    cpdef list to_list(self)
    @cython.locals(i=int)
    cpdef int fill(self, list numbers) except -1
    cpdef double count(self) noexcept
    cpdef int divide(self, double unit) except -1


@cython.final
cdef class AtHand:
    cdef dict numbers
    cdef list names
    cdef list texts
    cdef list features
    cdef list known
    cdef list counted
    cdef Py_ssize_t n


@cython.locals(plain=dict)
cpdef bint has_text(x) except -1
