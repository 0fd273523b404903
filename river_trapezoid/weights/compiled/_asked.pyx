# cython: language_level=3, binding=False, cdivision=True
"""What an instance asks of evidence weights: room for its features, its pairs, and the heads."""

cimport cython

from cpython.mem cimport PyMem_Free, PyMem_Malloc

cdef enum:
    # Bytes that are held on to for the next instance.
    MOST_SPARE = 65536

# What has been closed is used again.
cdef Asked SPARE = None


@cython.final
cdef class Asked:
    """Room for the contributions of features and pairs, and for the sums of heads."""

    def __dealloc__(self):
        PyMem_Free(self.memory)

    cdef void close(self) noexcept:
        global SPARE
        self.categories = None
        if self.room <= MOST_SPARE:
            SPARE = self


cdef Asked open_asked(Py_ssize_t n, Py_ssize_t n_paired, int n_heads):
    global SPARE
    cdef Asked asked = SPARE
    cdef Py_ssize_t most_pairs = n_paired * (n_paired - 1) // 2, n_terms = 1 + 2 * n + most_pairs
    cdef size_t size = (
        n * sizeof(Input) + most_pairs * sizeof(PairInput) + 2 * n_terms * sizeof(double)
    )
    if asked is None:
        asked = Asked.__new__(Asked)
    SPARE = None
    if size > asked.room:
        PyMem_Free(asked.memory)
        asked.room = 0
        asked.memory = PyMem_Malloc(2 * size)
        if asked.memory == NULL:
            raise MemoryError
        asked.room = 2 * size
    asked.n = asked.n_numbers = asked.n_pairs = 0
    asked.categories = None
    asked.inputs = <Input *>asked.memory
    asked.pairs = <PairInput *>(asked.inputs + n)
    asked.terms = <double *>(asked.pairs + most_pairs)
    asked.variance_terms = asked.terms + n_terms
    return asked
