from __future__ import annotations

import zlib

__all__ = ["StringSample"]

# The distinct strings of text have at least this mean number of words, and are more than this share.
_WORDS_OF_TEXT = 4
_NEW_IN_TEXT = 0.5
# With this mean number of words, a column may be text as well.
_WORDS_OF_PHRASES = 3
# Columns with more than this share of distinct strings hold identifiers, unless they are short.
_NEW_IN_IDENTIFIERS = 0.9
_FEWEST_IDENTIFIERS = 20
_SIZE = 10_000


class StringSample:
    """The first strings of a column, which decide what it holds.

    Attributes
    ----------
    n
        The number of strings in the sample.
    most
        The number of strings after which the sample is full.

    """

    _TAG = "river_trapezoid.columns.StringSample"
    most = _SIZE

    def __init__(self) -> None:
        self.n = 0
        self._n_words = 0
        # Checksums, which are the same in every process; none are needed once the sample is full.
        self._met: set[int] = set()
        self._n_met = 0

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        if not 0 <= self.n_distinct <= self.n <= _SIZE or self._n_words < 0:
            raise ValueError("the counts of a sample of strings must be consistent")
        if any(type(checksum) is not int for checksum in self._met):
            raise ValueError("the checksums of a sample must be integers")

    @property
    def n_distinct(self) -> int:
        """The number of distinct strings in the sample."""
        return len(self._met) or self._n_met

    @property
    def is_full(self) -> bool:
        """Whether no more strings are needed."""
        return self.n >= _SIZE

    def add(self, text: str) -> None:
        """Add a string to the sample, unless it is full."""
        if self.n >= _SIZE:
            return
        self.n += 1
        checksum = zlib.crc32(text.encode("utf-8", "surrogatepass"))
        if checksum not in self._met:
            self._met.add(checksum)
            self._n_words += len(text.split())
        if self.n == _SIZE:
            self._forget()

    def add_again(self) -> None:
        """Count a string that is already in the sample, unless the sample is full."""
        if self.n < _SIZE:
            self.n += 1
            if self.n == _SIZE:
                self._forget()

    def _forget(self) -> None:
        self._n_met = len(self._met)
        self._met = set()

    def kind(self) -> str:
        """`"text"`, `"identifier"` or `"category"`."""
        if not self.n:
            return "category"
        new = self.n_distinct / self.n
        if self._n_words >= _WORDS_OF_TEXT * self.n_distinct and new > _NEW_IN_TEXT:
            return "text"
        if new > _NEW_IN_IDENTIFIERS and self.n >= _FEWEST_IDENTIFIERS:
            return "identifier"
        return "category"

    def is_wordy(self) -> bool:
        """Whether the strings have three words or more on average, as phrases do."""
        return self._n_words >= _WORDS_OF_PHRASES * self.n_distinct
