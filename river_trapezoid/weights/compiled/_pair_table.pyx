# cython: language_level=3, binding=False, cdivision=True
"""The pairs of features that are known, with features named by numbers.

A linked list has the pairs in the order of learning; those that have gone make room for new ones
in a list of their own.
"""

from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc

from river_trapezoid.weights._pair_table import PRIOR_VARIANCE as _PRIOR_VARIANCE
from river_trapezoid.weights.compiled._feature_table cimport PREFETCH

cdef double PRIOR_VARIANCE = _PRIOR_VARIANCE


cdef inline uint64_t home(PairTable t, Py_ssize_t a, Py_ssize_t b) noexcept:
    cdef uint64_t mix = (<uint64_t>a * 0x9E3779B97F4A7C15ULL) ^ (<uint64_t>b * 0xD6E8FEB86659FD93ULL)
    return (mix ^ (mix >> 32)) & t.mask


cdef inline void index_insert(PairTable t, Py_ssize_t pair) noexcept:
    cdef uint64_t place = home(t, t.pairs[pair].a, t.pairs[pair].b)
    while t.index[place]:
        place = (place + 1) & t.mask
    t.index[place] = <uint32_t>(pair + 1)


cdef inline uint64_t place_of(PairTable t, Py_ssize_t pair) noexcept:
    """Where in the index a pair is."""
    cdef uint64_t place = home(t, t.pairs[pair].a, t.pairs[pair].b)
    while t.index[place] != <uint32_t>(pair + 1):
        place = (place + 1) & t.mask
    return place


cdef void index_remove(PairTable t, uint64_t place) noexcept:
    """Empty a place, and close the gap in the run behind it."""
    cdef uint64_t following = place, wanted
    cdef const Pair *pair
    while True:
        following = (following + 1) & t.mask
        if not t.index[following]:
            break
        pair = &t.pairs[t.index[following] - 1]
        wanted = home(t, pair.a, pair.b)
        # What is not yet past its home may move into the gap.
        if ((following - wanted) & t.mask) >= ((following - place) & t.mask):
            t.index[place] = t.index[following]
            place = following
    t.index[place] = 0


cdef inline void unlink(PairTable t, Py_ssize_t number) noexcept:
    cdef Pair *pair = &t.pairs[number]
    if pair.older >= 0:
        t.pairs[pair.older].newer = pair.newer
    else:
        t.oldest = pair.newer
    if pair.newer >= 0:
        t.pairs[pair.newer].older = pair.older
    else:
        t.newest = pair.older


cdef inline void link_newest(PairTable t, Py_ssize_t number) noexcept:
    cdef Pair *pair = &t.pairs[number]
    pair.older, pair.newer = t.newest, -1
    if t.newest >= 0:
        t.pairs[t.newest].newer = number
    else:
        t.oldest = number
    t.newest = number


cdef void remove(PairTable t, Py_ssize_t number) noexcept:
    index_remove(t, place_of(t, number))
    unlink(t, number)
    t.pairs[number].newer = t.vacant
    t.vacant = number
    t.n_known -= 1


cdef class PairTable:
    """The known pairs of features; the one learned from longest ago is dropped first."""

    def __cinit__(self, most=1000, n_bins=10):
        self.most, self.n_bins = most, n_bins
        self.cells = 2 * self.n_bins * self.n_bins
        self.oldest = self.newest = self.vacant = -1

    def __dealloc__(self):
        self.clear()

    def __len__(self):
        return self.n_known

    def __sizeof__(self):
        cdef size_t numbers = (self.cells + PAIR_WIDTH) * sizeof(double)
        index = (self.mask + 1) * sizeof(uint32_t) if self.index != NULL else 0
        return object.__sizeof__(self) + self.room * (sizeof(Pair) + numbers) + index

    cdef int reserve(self, Py_ssize_t more) except -1:
        """Make room for more pairs."""
        cdef Py_ssize_t room = self.n_known + more, i
        cdef uint64_t size = 16
        cdef uint32_t *index
        cdef Pair *known
        cdef double *counts
        if self.noted != NULL:
            self.note_room(more)
        if room <= self.room:
            return 0
        room = max(room, min(room + room // 2, self.most + more))
        while size < 2 * <uint64_t>room:
            size *= 2
        index = <uint32_t *>PyMem_Calloc(size, sizeof(uint32_t))
        if index == NULL:
            raise MemoryError
        known = <Pair *>PyMem_Realloc(self.pairs, room * sizeof(Pair))
        if known == NULL:
            PyMem_Free(index)
            raise MemoryError
        self.pairs = known
        counts = <double *>PyMem_Realloc(self.numbers, room * PAIR_WIDTH * sizeof(double))
        if counts == NULL:
            PyMem_Free(index)
            raise MemoryError
        self.numbers = counts
        counts = <double *>PyMem_Realloc(self.counts, room * self.cells * sizeof(double))
        if counts == NULL:
            PyMem_Free(index)
            raise MemoryError
        self.counts = counts
        PyMem_Free(self.index)
        self.index, self.mask, self.room = index, size - 1, room
        i = self.oldest
        while i >= 0:
            index_insert(self, i)
            i = self.pairs[i].newer
        return 0

    cdef Py_ssize_t find(self, Py_ssize_t a, Py_ssize_t b) noexcept:
        """The number of a pair; -1 if it is not known."""
        cdef uint64_t place
        cdef Py_ssize_t number
        if not self.n_known:
            return -1
        place = home(self, a, b)
        while self.index[place]:
            number = <Py_ssize_t>self.index[place] - 1
            if self.pairs[number].a == a and self.pairs[number].b == b:
                return number
            place = (place + 1) & self.mask
        return -1

    cdef Py_ssize_t touch(self, Py_ssize_t a, Py_ssize_t b) noexcept:
        """The number of a pair that is learned from, which is added if need be; there is room."""
        cdef Py_ssize_t number = self.find(a, b)
        if number >= 0:
            self.note(number)
            unlink(self, number)
        else:
            number = self.vacant
            if number >= 0:
                self.note(number)
                self.vacant = self.pairs[number].newer
            else:
                number = self.used
                self.used += 1
            self.n_known += 1
            self.pairs[number] = Pair(a, b, -1, -1)
            self.numbers[PAIR_WIDTH * number] = 0.0
            self.numbers[PAIR_WIDTH * number + 1] = PRIOR_VARIANCE
            self.numbers[PAIR_WIDTH * number + 2] = 1.0
            memset(self.counts + self.cells * number, 0, self.cells * sizeof(double))
            index_insert(self, number)
        link_newest(self, number)
        return number

    cdef void drop(self, const Py_ssize_t *features, Py_ssize_t n) noexcept:
        """Free the pairs of features."""
        cdef Py_ssize_t number = self.oldest if n else -1, newer, i
        while number >= 0:
            newer = self.pairs[number].newer
            for i in range(n):
                if self.pairs[number].a == features[i] or self.pairs[number].b == features[i]:
                    remove(self, number)
                    break
            number = newer

    cdef void truncate(self) noexcept:
        """Free the pairs beyond the number kept, the one learned from longest ago first."""
        while self.n_known > self.most:
            remove(self, self.oldest)

    cdef void clear(self) noexcept:
        """Forget all pairs."""
        self.commit()
        PyMem_Free(self.pairs)
        PyMem_Free(self.numbers)
        PyMem_Free(self.counts)
        PyMem_Free(self.index)
        self.pairs, self.numbers, self.counts, self.index = NULL, NULL, NULL, NULL
        self.used = self.n_known = self.room = 0
        self.oldest = self.newest = self.vacant = -1

    cdef list order(self):
        """The numbers of the pairs, the one learned from longest ago first."""
        cdef Py_ssize_t number = self.oldest
        cdef list numbers = []
        while number >= 0:
            numbers.append(number)
            number = self.pairs[number].newer
        return numbers

    cdef tuple features_of(self, Py_ssize_t number):
        """The features of a pair, by their numbers."""
        return self.pairs[number].a, self.pairs[number].b

    cdef void prefetch(self, Py_ssize_t number, Py_ssize_t place) noexcept:
        """Prefetch the four cells of a pair from a place on."""
        cdef double *counts = self.counts + self.cells * number + place
        PREFETCH(counts)
        PREFETCH(counts + 2 * self.n_bins)

    cdef int begin(self) except -1:
        """Save the pairs until `commit` or `rollback`."""
        cdef size_t size = PAIR_WIDTH * sizeof(double)
        self.old_pairs = <Pair *>PyMem_Malloc((self.used + 1) * sizeof(Pair))
        self.old_pair_numbers = <double *>PyMem_Malloc((self.used + 1) * size)
        self.noted = <char *>PyMem_Calloc(self.used + 1, 1)
        if self.old_pairs == NULL or self.old_pair_numbers == NULL or self.noted == NULL:
            self.commit()
            raise MemoryError
        if self.used:
            memcpy(self.old_pairs, self.pairs, self.used * sizeof(Pair))
            memcpy(self.old_pair_numbers, self.numbers, self.used * size)
        self.old_used, self.old_n_known = self.used, self.n_known
        self.old_oldest, self.old_newest, self.old_vacant = self.oldest, self.newest, self.vacant
        return 0

    cdef int note_room(self, Py_ssize_t more) except -1:
        """Make room for the counts of more pairs."""
        cdef Py_ssize_t room = min(self.n_old_counts + more, self.old_used)
        cdef size_t size = self.cells * sizeof(double)
        cdef double *counts
        cdef Py_ssize_t *numbers
        if room <= self.old_counts_room:
            return 0
        room = min(2 * room + 8, self.old_used)
        numbers = <Py_ssize_t *>PyMem_Realloc(self.old_numbers, room * sizeof(Py_ssize_t))
        if numbers == NULL:
            raise MemoryError
        self.old_numbers = numbers
        counts = <double *>PyMem_Realloc(self.old_counts, room * size)
        if counts == NULL:
            raise MemoryError
        self.old_counts, self.old_counts_room = counts, room
        return 0

    cdef void note(self, Py_ssize_t number) noexcept:
        """Note the counts of a pair before they change; there is room."""
        cdef Py_ssize_t cells = self.cells
        if self.noted == NULL or number >= self.old_used or self.noted[number]:
            return
        self.noted[number] = 1
        memcpy(
            self.old_counts + self.n_old_counts * cells,
            self.counts + cells * number,
            cells * sizeof(double),
        )
        self.old_numbers[self.n_old_counts] = number
        self.n_old_counts += 1

    cdef void commit(self) noexcept:
        """Discard the saved state of the pairs."""
        PyMem_Free(self.old_pairs)
        PyMem_Free(self.old_pair_numbers)
        PyMem_Free(self.noted)
        PyMem_Free(self.old_counts)
        PyMem_Free(self.old_numbers)
        self.old_pairs, self.old_pair_numbers, self.noted = NULL, NULL, NULL
        self.old_counts, self.old_numbers = NULL, NULL
        self.n_old_counts = self.old_counts_room = 0

    cdef void rollback(self) noexcept:
        """Restore the pairs to their state at `begin`."""
        cdef Py_ssize_t cells = self.cells, i
        if self.old_used:
            memcpy(self.pairs, self.old_pairs, self.old_used * sizeof(Pair))
            memcpy(self.numbers, self.old_pair_numbers, self.old_used * PAIR_WIDTH * sizeof(double))
        for i in range(self.n_old_counts):
            memcpy(
                self.counts + cells * self.old_numbers[i],
                self.old_counts + i * cells,
                cells * sizeof(double),
            )
        self.used, self.n_known = self.old_used, self.old_n_known
        self.oldest, self.newest, self.vacant = self.old_oldest, self.old_newest, self.old_vacant
        if self.index != NULL:
            memset(self.index, 0, (self.mask + 1) * sizeof(uint32_t))
        i = self.oldest
        while i >= 0:
            index_insert(self, i)
            i = self.pairs[i].newer
        self.commit()
