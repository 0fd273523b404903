# cython: language_level=3

cdef class transaction:
    cdef object columns
    cdef tuple parts
    cdef dict attributes
    cdef dict before
    cdef list begun
