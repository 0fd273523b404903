from __future__ import annotations

import gzip
import itertools
import pathlib
import re
from collections.abc import Iterator
from typing import Any

from river_trapezoid._files import replacing
from river_trapezoid._parameters import check_number

from ._download import open_tar, reading
from .base import Instance, PublicDataset, RemoteFile

__all__ = ["IMDB"]

_URL = "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz"
_ARCHIVE_SUMS = {84125825: "c40f74a18d3b61f90feba1e17730e0d38e8b97c05fde7008942e91923d1658fe"}
_VOCABULARY_SIZE = 89527
# The vocabulary has words with inner hyphens and apostrophes but without a possessive s, exclamation
# and question marks, and a few smileys.
_POSSESSIVE = re.compile(r"(?<=\w)'s\b")
_TOKEN = re.compile(r"[:;]-?[()]|[!?]|[^\W_]+(?:['-][^\W_]+)*")


class IMDB(PublicDataset):
    """Movie reviews, as counts of words.

    The positive class consists of good reviews, with 7 stars or more; the others have 4 or less.
    The features are the words in lower case, and their values are counts; a word that is not in a
    review has no key. The text is split into words as in the vocabulary that is published with the
    reviews. The counts are close to the published ones, but computed from the text. All good
    reviews come first: shuffle them. 25,000 reviews, half of them positive. `features` reads the
    words of the vocabulary from its file, the most frequent first.

    Origin: Large Movie Review Dataset v1.0, training part. No licence is stated there. The reviews
    are packed into one file when they are downloaded.

    Parameters
    ----------
    n_words
        Size of the vocabulary, at most 89,527: the most frequent words. Papers on feature streams
        use 7,500.

    References
    ----------
    [^1]: Maas, A.L., Daly, R.E., Pham, P.T., Huang, D., Ng, A.Y. and Potts, C., 2011. Learning word vectors for sentiment analysis. Annual Meeting of the Association for Computational Linguistics, pp.142-150.

    """

    def __init__(self, n_words: int = 7500):
        check_number("n_words", n_words, integer=True, at_least=1, at_most=_VOCABULARY_SIZE)
        archive: Any = {"urls": (_URL,), "archive_sums": _ARCHIVE_SUMS}
        super().__init__(
            # Its size depends on the version of the compressor.
            RemoteFile("imdb/aclImdb_train.tsv.gz", member="train", **archive),
            RemoteFile(
                "imdb/imdb.vocab",
                sums={845980: "461d5e16f3339682367dd6f5e013aa8ade72f1e7856d92667ca1df6c7995b760"},
                member="imdb.vocab",
                **archive,
            ),
            n_samples=25000,
            n_features=n_words,
            sparse=True,
        )
        self.n_words = n_words

    @property
    def features(self) -> list[str]:
        """The words of the vocabulary, the most frequent first, read from its file."""
        _, vocabulary = self.files
        if not vocabulary.is_there:
            self.download()
        with vocabulary.path.open(encoding="utf-8", newline="\n") as lines:
            return [line.rstrip("\n") for line in itertools.islice(lines, self.n_words)]

    def _unpack(self, archive: pathlib.Path, files: list[RemoteFile]) -> None:
        reviews, vocabulary = self.files
        super()._unpack(archive, [vocabulary])
        with replacing(reviews.path) as scratch:
            pack_reviews(archive, scratch)

    def _iter(self) -> Iterator[Instance]:
        reviews, _ = self.files
        words = {word: word for word in self.features}
        with gzip.open(reviews.path, "rt", encoding="utf-8", newline="\n") as lines:
            for line in lines:
                kind, _, _, text = line.split("\t", 3)
                x: dict[str, float] = {}
                for token in tokens(text):
                    if word := words.get(token):
                        x[word] = x.get(word, 0.0) + 1.0
                yield x, kind == "pos"


def tokens(text: str) -> list[str]:
    """Split a review into words, exclamation and question marks, and smileys.

    >>> tokens("It's a <br />well-made film. Don't miss it! :-)")
    ['it', 'a', 'well-made', 'film', "don't", 'miss', 'it', '!', ':-)']

    """
    return _TOKEN.findall(_POSSESSIVE.sub("", text.lower().replace("<br />", " ")))


def pack_reviews(archive: pathlib.Path, path: pathlib.Path) -> None:
    """Write the training reviews of the archive to one compressed file, a review per line.

    The columns are `pos` or `neg`, the number, the stars, and the text. Good reviews come first, in
    the order of their numbers.
    """
    pattern = re.compile(r"aclImdb/train/(pos|neg)/(\d+)_(\d+)\.txt")
    reviews = []
    with reading("the archive of reviews"), open_tar(archive) as files:
        for name, file in files:
            if found := pattern.fullmatch(name):
                kind, number, stars = found.groups()
                text = " ".join(file.read().decode("utf-8").splitlines())
                line = f"{kind}\t{number}\t{stars}\t{text}\n"
                reviews.append((kind == "neg", int(number), line))
    reviews.sort()
    with gzip.open(path, "wt", encoding="utf-8", newline="\n") as lines:
        lines.writelines(line for _, _, line in reviews)
