from __future__ import annotations

__all__ = ["StringSample"]

# Text has at least this mean number of words, and more than this share of distinct strings.
_WORDS_OF_TEXT = 4
_NEW_IN_TEXT = 0.5
# A column with this mean number of words of letters may be text as well; dates have fewer.
_WORDS_OF_PHRASES = 3
# Columns with more than this share of distinct strings hold identifiers, unless they are short.
_NEW_IN_IDENTIFIERS = 0.9
_FEWEST_IDENTIFIERS = 20
_SIZE = 10_000


class StringSample:
    """A sample of the strings in a column, to detect the kind of the column."""

    def __init__(self) -> None:
        self.n = 0
        self._n_words = 0
        self._n_of_letters = 0
        self._distinct: set[int] = set()

    @property
    def is_full(self) -> bool:
        """Whether no more strings are needed."""
        return self.n >= _SIZE

    def add(self, text: str) -> None:
        """Add a string to the sample."""
        self.n += 1
        words = text.split()
        self._n_words += len(words)
        self._n_of_letters += sum(word.strip(".,;:!?'\"()").isalpha() for word in words)
        self._distinct.add(hash(text))

    def kind(self) -> str:
        """`"text"`, `"identifier"` or `"category"`."""
        new = len(self._distinct) / self.n
        if self._n_words >= _WORDS_OF_TEXT * self.n and new > _NEW_IN_TEXT:
            return "text"
        if new > _NEW_IN_IDENTIFIERS and self.n >= _FEWEST_IDENTIFIERS:
            return "identifier"
        return "category"

    def is_wordy(self) -> bool:
        """Whether the strings have at least three words on average, as phrases do."""
        return self._n_of_letters >= _WORDS_OF_PHRASES * self.n
