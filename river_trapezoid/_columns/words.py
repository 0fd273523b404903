from __future__ import annotations

import re
import unicodedata

__all__ = ["words_of"]

_WORD = re.compile(r"\b\w[\w\-]+\b")


def words_of(text: str) -> dict[str, float]:
    """Return the words of a text with their counts, as River's `BagOfWords` does.

    Examples
    --------
    >>> words_of("Dead again: the LINE is dead")
    {'dead': 2.0, 'again': 1.0, 'the': 1.0, 'line': 1.0, 'is': 1.0}

    """
    if not text.isascii():
        letters = unicodedata.normalize("NFKD", text)
        text = "".join([letter for letter in letters if not unicodedata.combining(letter)])
    words = _WORD.findall(text.lower())
    counts = dict.fromkeys(words, 1.0)
    if len(counts) < len(words):
        counts = {word: float(words.count(word)) for word in counts}
    return counts
